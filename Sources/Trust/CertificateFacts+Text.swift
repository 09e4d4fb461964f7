internal import Bytes

extension CertificateFacts {
    /// Its pin as an entry of `pins`, with its subject and the days of its validity behind it as a comment (T-10).
    package var pinLine: String {
        let first = CivilDate(unixSeconds: notBefore)
        let last = CivilDate(unixSeconds: notAfter)
        return "- \(publicKeyPin)  # \(DisplayText.line(subject)), \(first) to \(last)"
    }

    /// The names and addresses that it is for, for messages; the first few of many.
    var presentedNames: String {
        var names = dnsNames.map { DisplayText.line(String(decoding: $0, as: UTF8.self)) }
        names += addresses.compactMap { IPAddress(networkBytes: $0)?.description }
        let shown = names.prefix(5).joined(separator: ", ")
        return names.count > 5 ? "\(shown) and \(names.count - 5) more" : shown
    }
}

extension IPAddress {
    /// The address of 4 or 16 octets in network order; nil for any other number.
    fileprivate init?(networkBytes bytes: [UInt8]) {
        func value(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        switch bytes.count {
        case 4: self.init(v4: UInt32(truncatingIfNeeded: value(bytes[...])))
        case 16: self.init(v6: value(bytes[..<8]), value(bytes[8...]))
        default: return nil
        }
    }
}
