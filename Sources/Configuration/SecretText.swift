internal import Bytes
internal import Crypto

extension Secret {
    /// A copy of its bytes, of one that stands for a name.
    var bytes: [UInt8] { withBytes { span in span.indices.map { span[$0] } } }

    /// Whether a control character of ASCII is in it.
    var hasControl: Bool { contains(where: ASCII.isControl) }

    /// Whether it is UTF-8.
    var isText: Bool {
        withBytes { span in
            var copy = span.indices.map { span[$0] }
            defer { Wiping.wipe(&copy) }
            return String(validating: copy, as: UTF8.self) != nil
        }
    }

    /// Whether it can be a user's name.
    var isName: Bool { !isEmpty && isText && !String(decoding: bytes, as: UTF8.self).hasControl }

    /// Whether it is so many hexadecimal digits, in either case.
    func isHex(digits: Int) -> Bool { count == digits && !contains { !ASCII.isHexDigit($0) } }

    /// Whether it can be a token: visible characters of ASCII [RFC 6750 s.2.1], of which servers take more than b68token.
    var isToken: Bool { !isEmpty && !contains { $0 <= UInt8(ascii: " ") || $0 >= 0x7F } }

    /// Whether it can stand in a field's value [RFC 9110 s.5.5].
    var isFieldValue: Bool { !contains { ASCII.isControl($0) && $0 != UInt8(ascii: "\t") } }

    /// What its hexadecimal digits stand for; nil where it is something else.
    var decodingHex: Secret? {
        withBytes { span in
            guard var bytes = Hex.decode(span) else { return nil }
            return Secret(wiping: &bytes)
        }
    }

    /// The same with its letters in lower case.
    var lowercasingHex: Secret {
        var bytes = withBytes { span in span.indices.map { ASCII.lowercased(span[$0]) } }
        return Secret(wiping: &bytes)
    }

    /// The two behind each other.
    static func joining(_ prefix: String, _ secret: Secret) -> Secret {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(prefix.utf8.count + secret.count)
        bytes += prefix.utf8
        secret.withBytes { span in for index in span.indices { bytes.append(span[index]) } }
        return Secret(wiping: &bytes)
    }

    private func contains(where isMeant: (UInt8) -> Bool) -> Bool {
        withBytes { span in
            for index in span.indices where isMeant(span[index]) { return true }
            return false
        }
    }
}

extension String {
    /// Whether a control character is in it, or what YAML's escapes make of `\N`, `\L`, `\P` and `\_`.
    var hasControl: Bool {
        let others: [Unicode.Scalar] = ["\u{A0}", "\u{2028}", "\u{2029}"]
        return unicodeScalars.contains { $0.properties.generalCategory == .control || others.contains($0) }
    }
}
