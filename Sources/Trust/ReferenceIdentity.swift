package import Bytes

/// Whom we mean to speak to, to be found in the certificate [RFC 9525 s.6.1].
package enum ReferenceIdentity: Hashable, Sendable {
    /// A DNS name: A-labels, lower case, no trailing dot.
    case name(String)
    /// An address.
    case address(IPAddress)

    /// What a host of a URL or of a rule file stands for, without brackets: an address if it is one, else a name.
    package init(host: String) {
        if let address = IPAddress(host) {
            self = .address(address)
            return
        }
        var bytes = host.utf8.map(ASCII.lowercased)
        if bytes.count > 1, bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        self = .name(String(decoding: bytes, as: UTF8.self))
    }

    /// Whether the certificate is for it.
    ///
    /// Only the subjectAltName counts, never the subject's common name; a name is never found among addresses and an
    /// address never among names [RFC 9525 s.6.3 to 6.5].
    package func matches(_ certificate: CertificateFacts) -> Bool {
        switch self {
        case .name(let name):
            let name = Array(name.utf8)
            return certificate.dnsNames.contains { PresentedName.matches($0.span, reference: name.span) }
        case .address(let address):
            let bytes = address.networkBytes
            return certificate.addresses.contains(bytes)
        }
    }
}

extension ReferenceIdentity: CustomStringConvertible {
    /// The name or the address, without brackets.
    package var description: String {
        switch self {
        case .name(let name): name
        case .address(let address): address.description
        }
    }
}

extension IPAddress {
    /// The octets in network order, as an iPAddress of a subjectAltName has them [RFC 5280 s.4.2.1.6].
    fileprivate var networkBytes: [UInt8] {
        switch family {
        case .v4: (0..<4).map { UInt8(truncatingIfNeeded: low >> UInt64(24 - 8 * $0)) }
        case .v6: (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - 8 * ($0 % 8))) }
        }
    }
}

/// DNS names as certificates present them.
private enum PresentedName {
    /// Whether the presented name is the reference name, or a wildcard whose star stands for its first label.
    ///
    /// The star must be the whole leftmost label and stands for exactly one label [RFC 9525 s.6.3]. One with a single
    /// label behind it (`*.com`) would be for the hosts of many owners, and matches nothing.
    static func matches(_ presented: Span<UInt8>, reference: Span<UInt8>) -> Bool {
        guard isName(reference) else { return false }
        if ASCII.equalsIgnoringCase(presented, reference) { return true }
        guard presented.count > 2, presented[0] == UInt8(ascii: "*"), presented[1] == UInt8(ascii: ".") else {
            return false
        }
        let domain = presented.extracting(last: presented.count - 2)
        guard isName(domain), ASCII.firstIndex(of: UInt8(ascii: "."), in: domain) != nil else { return false }
        guard let dot = ASCII.firstIndex(of: UInt8(ascii: "."), in: reference), dot > 0 else { return false }
        return ASCII.equalsIgnoringCase(domain, reference.extracting(last: reference.count - dot - 1))
    }

    /// Whether it is labels of letters, digits, hyphens and underscores, the last of which isn't a number: what ends in
    /// a number would be an address.
    private static func isName(_ name: Span<UInt8>) -> Bool {
        var length = 0
        var isNumber = true
        for index in name.indices {
            let byte = name[index]
            if byte == UInt8(ascii: ".") {
                guard length > 0 else { return false }
                length = 0
                isNumber = true
            } else {
                guard
                    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-")
                        || byte == UInt8(ascii: "_")
                else { return false }
                length += 1
                isNumber = isNumber && ASCII.isDigit(byte)
            }
        }
        return length > 0 && !isNumber
    }
}
