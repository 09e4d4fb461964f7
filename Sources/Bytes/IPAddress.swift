/// An IPv4 or IPv6 address without zone.
package struct IPAddress: Hashable, Sendable {
    /// The version of the Internet Protocol.
    package enum Family: UInt8, Hashable, Sendable {
        case v4, v6
    }

    /// The version of the Internet Protocol.
    package let family: Family
    /// The first eight octets in network order; 0 for IPv4.
    package let high: UInt64
    /// The last eight octets in network order; for IPv4 the four octets in the lower half.
    package let low: UInt64

    /// The IPv4 address with this value in host order.
    package init(v4 value: UInt32) {
        family = .v4
        high = 0
        low = UInt64(value)
    }

    /// The IPv6 address with these halves in host order.
    package init(v6 high: UInt64, _ low: UInt64) {
        family = .v6
        self.high = high
        self.low = low
    }

    /// The value of an IPv4 address in host order; nil for IPv6.
    package var v4: UInt32? { family == .v4 ? UInt32(truncatingIfNeeded: low) : nil }

    /// 127.0.0.1
    package static let loopbackV4 = IPAddress(v4: 0x7f00_0001)
    /// ::1
    package static let loopbackV6 = IPAddress(v6: 0, 1)

    /// Whether it is in 127.0.0.0/8, or is ::1, also as an IPv4-mapped address.
    package var isLoopback: Bool {
        if let value = unmapped.v4 { return value >> 24 == 127 }
        return high == 0 && low == 1
    }

    /// Whether it is 0.0.0.0 or ::, also as an IPv4-mapped address.
    package var isUnspecified: Bool {
        let address = unmapped
        return address.high == 0 && address.low == 0
    }

    /// The IPv4 address inside an IPv4-mapped one [RFC 4291 s.2.5.5.2], else itself.
    package var unmapped: IPAddress {
        guard family == .v6, high == 0, low >> 32 == 0xffff else { return self }
        return IPAddress(v4: UInt32(truncatingIfNeeded: low))
    }

    /// The sixteen-bit group at `index` (0 to 7) of an IPv6 address.
    package func group(_ index: Int) -> UInt16 {
        let half = index < 4 ? high : low
        return UInt16(truncatingIfNeeded: half >> UInt64((3 - index % 4) * 16))
    }
}

extension IPAddress: CustomStringConvertible {
    /// Dotted decimal, or the form of RFC 5952 in lower case without brackets.
    package var description: String {
        var buffer = ByteBuffer(capacity: 40)
        append(into: &buffer)
        return String(buffer.readable)
    }

    /// Appends `description`.
    package func append(into buffer: inout ByteBuffer) {
        guard family == .v6 else { return Self.appendV4(UInt32(truncatingIfNeeded: low), into: &buffer) }
        if high == 0, low >> 32 == 0xffff {
            buffer.append("::ffff:")
            return Self.appendV4(UInt32(truncatingIfNeeded: low), into: &buffer)
        }
        let zeros = longestRunOfZeros
        var index = 0
        while index < 8 {
            if index == zeros.lowerBound && !zeros.isEmpty {
                buffer.append("::")
                index = zeros.upperBound
                continue
            }
            if index > 0 && index != zeros.upperBound || index > 0 && zeros.isEmpty {
                buffer.append(UInt8(ascii: ":"))
            }
            buffer.append(hex: UInt64(group(index)))
            index += 1
        }
    }

    /// The first of the longest runs of at least two zero groups [RFC 5952 s.4.2].
    private var longestRunOfZeros: Range<Int> {
        var longest = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8 && group(end) == 0 { end += 1 }
            if end - start > max(longest.count, 1) { longest = start..<end }
            start = end + 1
        }
        return longest
    }

    private static func appendV4(_ value: UInt32, into buffer: inout ByteBuffer) {
        for shift in [UInt32(24), 16, 8, 0] {
            buffer.append(decimal: UInt64(value >> shift & 255))
            if shift > 0 { buffer.append(UInt8(ascii: ".")) }
        }
    }

    /// The octets in network order: 4 or 16.
    package var networkBytes: [UInt8] {
        switch family {
        case .v4: (0..<4).map { UInt8(truncatingIfNeeded: low >> UInt64(24 - 8 * $0)) }
        case .v6: (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - 8 * ($0 % 8))) }
        }
    }
}
