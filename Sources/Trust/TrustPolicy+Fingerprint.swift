internal import Bytes

extension TrustPolicy.Terms {
    /// The SHA-256 of all terms in one unambiguous writing: each field has its length or its fixed size.
    ///
    /// Not Swift's own hash, which is too short to keep apart what must never meet.
    var fingerprint: Fingerprint {
        var text = ByteBuffer(capacity: 256)
        text.append(pinning.rawValue)
        text.append(decimal: UInt64(pins.publicKeys.count))
        for pin in pins.publicKeys { text.append(field: pin.fingerprint.bytes) }
        text.append(decimal: UInt64(pins.certificates.count))
        for pin in pins.certificates { text.append(field: pin.fingerprint.bytes) }
        for flag in [validatesDomainName, allowsInvalidCertificates, strict, enforces] { text.append(flag ? 1 : 0) }
        text.append(decimal: UInt64(anchors.count))
        for anchor in anchors {
            switch anchor {
            case .system: text.append(0)
            case .file(_, let pem):
                text.append(1)
                text.append(field: pem)
            }
        }
        text.append(field: expires.map { Array(String($0).utf8) })
        text.append(field: reportURL.map { Array($0.utf8) })
        text.append(minimumVersion.rawValue)
        text.append(maximumVersion.rawValue)
        text.append(field: ciphers.map { Array($0.utf8) })
        text.append(field: groups.map { Array($0.utf8) })
        switch revocation {
        case .off: text.append(0)
        case .staple: text.append(1)
        case .mustStaple: text.append(2)
        case .crl(_, let bytes):
            text.append(3)
            text.append(field: bytes)
        }
        text.append(tunnel.map { $0.rawValue + 1 } ?? 0)
        return Fingerprint(of: text.readable)
    }
}

extension ByteBuffer {
    /// Appends a field with its length before it; nil is told from an empty one.
    fileprivate mutating func append(field: [UInt8]?) {
        guard let field else { return append(UInt8(ascii: "-")) }
        append(decimal: UInt64(field.count))
        append(UInt8(ascii: ":"))
        append(field.span)
    }
}
