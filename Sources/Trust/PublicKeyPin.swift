internal import Bytes

/// The SHA-256 of a certificate's SubjectPublicKeyInfo [RFC 7469 s.2.4].
package struct PublicKeyPin: Hashable, Sendable {
    /// The hash itself.
    package let fingerprint: Fingerprint

    /// A pin from the hash.
    package init(fingerprint: Fingerprint) {
        self.fingerprint = fingerprint
    }

    /// The pin of a SubjectPublicKeyInfo in DER.
    package init(ofPublicKeyInfo der: Span<UInt8>) {
        fingerprint = Fingerprint(of: der)
    }

    /// Reads `sha256/BASE64`, or `sha256//BASE64` as curl writes it; nil unless it stands for exactly 32 bytes.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        // The second slash may as well be the first digit of the base64: only one of both readings has 32 bytes.
        for prefix in ["sha256/", "sha256//"] where bytes.starts(with: prefix.utf8) {
            guard let hash = Base64.decode(bytes.span.extracting(prefix.utf8.count..<bytes.count)) else { continue }
            guard let fingerprint = Fingerprint(hash.span) else { continue }
            self.fingerprint = fingerprint
            return
        }
        return nil
    }

    /// The hash in base64, as `pin-sha256` and the rule file have it.
    package var base64: String { String(decoding: Base64.encode(fingerprint.bytes.span), as: UTF8.self) }
}

extension PublicKeyPin: CustomStringConvertible {
    /// `sha256/BASE64`, ready to be pasted into a rule file.
    package var description: String { "sha256/\(base64)" }
}
