/// A range of addresses with a common prefix, written address/length (CIDR).
package struct IPNetwork: Hashable, Sendable {
    /// The first address of the range.
    package let address: IPAddress
    /// The number of leading bits that are compared: 0 to 32, or 0 to 128.
    package let prefixLength: Int

    /// The network that holds `address`; nil where the length doesn't fit the family.
    ///
    /// One of IPv4-mapped addresses is the IPv4 network inside, as what it is compared with is.
    package init?(address: IPAddress, prefixLength: Int) {
        let bits = address.family == .v4 ? 32 : 128
        guard (0...bits).contains(prefixLength) else { return nil }
        let isMapped = address.unmapped != address && prefixLength >= 96
        let prefixLength = isMapped ? prefixLength - 96 : prefixLength
        let address = isMapped ? address.unmapped : address
        self.address = Self.masked(address, prefixLength)
        self.prefixLength = prefixLength
    }

    /// The network of one address.
    package init(_ address: IPAddress) {
        let address = address.unmapped
        self.address = address
        prefixLength = address.family == .v4 ? 32 : 128
    }

    /// The network that `text` writes as address/length, or as an address alone; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        guard parts.count == 2 else {
            self.init(address)
            return
        }
        let digits = String(parts[1])
        let utf8 = digits.utf8
        guard utf8.count <= 3, let length = ASCII.decimal(utf8.span) else { return nil }
        self.init(address: address, prefixLength: Int(length))
    }

    /// Whether bits behind the prefix were zero in `text`, as they are in `address`.
    package static func isExact(_ text: String) -> Bool {
        guard let network = IPNetwork(text), let slash = text.firstIndex(of: "/") else { return true }
        return IPAddress(String(text[..<slash]))?.unmapped == network.address
    }

    /// Whether `address` lies in the range; an IPv4-mapped address counts as the IPv4 address inside.
    package func contains(_ address: IPAddress) -> Bool {
        if address.family == self.address.family && Self.masked(address, prefixLength) == self.address { return true }
        let inner = address.unmapped
        return inner.family == self.address.family && Self.masked(inner, prefixLength) == self.address
    }

    private static func masked(_ address: IPAddress, _ length: Int) -> IPAddress {
        if let value = address.v4 {
            return IPAddress(v4: length == 0 ? 0 : value & (UInt32.max << UInt32(32 - length)))
        }
        let high = length == 0 ? 0 : address.high & (UInt64.max << UInt64(max(0, 64 - length)))
        let low = length <= 64 ? 0 : address.low & (UInt64.max << UInt64(128 - length))
        return IPAddress(v6: high, low)
    }
}

extension IPNetwork: CustomStringConvertible {
    /// address/length.
    package var description: String { "\(address)/\(prefixLength)" }
}
