/// What can be told of a certificate's DER without a TLS library: where its key stands [RFC 5280 s.4.1].
///
/// It is enough to pin a certificate by its file. Whether the certificate is good for anything, the TLS library says.
enum CertificateDER {
    /// The SubjectPublicKeyInfo of a certificate; nil for what isn't shaped as one.
    static func publicKeyInfo(_ der: [UInt8]) -> ArraySlice<UInt8>? {
        var outer = DERReader(der[...])
        guard var certificate = outer.sequence(), outer.isAtEnd else { return nil }
        guard var fields = certificate.sequence() else { return nil }
        // version, which is left out in certificates of version 1
        if fields.nextTag == 0xa0 { _ = fields.element(0xa0) }
        guard fields.element(0x02) != nil else { return nil }
        for _ in ["signature", "issuer", "validity", "subject"] {
            guard fields.element(0x30) != nil else { return nil }
        }
        guard let key = fields.element(0x30) else { return nil }
        guard certificate.element(0x30) != nil, certificate.element(0x03) != nil, certificate.isAtEnd else {
            return nil
        }
        return key
    }
}

/// Reads one element of DER after the other [X.690].
private struct DERReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    var nextTag: UInt8? { isAtEnd ? nil : bytes[position] }

    /// The next element with its tag and length, if it has this tag.
    mutating func element(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard let content = content(tag) else { return nil }
        let whole = bytes[position..<content.endIndex]
        position = content.endIndex
        return whole
    }

    /// What is inside the next element, if it is a SEQUENCE.
    mutating func sequence() -> DERReader? {
        guard let content = content(0x30) else { return nil }
        position = content.endIndex
        return DERReader(content)
    }

    private func content(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard nextTag == tag, bytes.endIndex - position >= 2 else { return nil }
        var start = position + 2
        var length = Int(bytes[position + 1])
        if length >= 0x80 {
            let count = length & 0x7f
            guard (1...4).contains(count), bytes.endIndex - start >= count else { return nil }
            length = bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
            start += count
            // DER writes a length in the fewest bytes.
            guard length >= 0x80, count == 1 || length >> (8 * (count - 1)) > 0 else { return nil }
        }
        guard bytes.endIndex - start >= length else { return nil }
        return bytes[start..<start + length]
    }
}
