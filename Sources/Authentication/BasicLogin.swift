internal import Bytes
package import Crypto

/// The name and the password that a client logs in at the proxy with.
package struct BasicLogin: Sendable {
    package let name: String
    package let password: Secret

    /// A login from its parts.
    package init(name: String, password: Secret) {
        self.name = name
        self.password = password
    }

    /// Reads the token behind `Basic` [RFC 7617 s.2]; nil where it is no name, colon and password.
    ///
    /// What isn't the UTF-8 that the proxy asks for is taken for Latin-1, which some clients always send.
    package init?(token: Span<UInt8>) {
        guard var pair = Base64.decode(token, .tolerant) else { return nil }
        defer { Wiping.wipe(&pair) }
        if String(validating: pair, as: UTF8.self) == nil {
            var written = pair
            pair = written.flatMap { $0 < 0x80 ? [$0] : [0xc0 | $0 >> 6, 0x80 | $0 & 0x3f] }
            Wiping.wipe(&written)
        }
        guard let colon = pair.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        name = String(decoding: pair[..<colon], as: UTF8.self)
        password = Secret(pair.span.extracting((colon + 1)..<pair.count))
    }

    /// The token behind `Basic` in a value of Proxy-Authorization; nil where that is of another scheme.
    @_lifetime(copy value)
    package static func token(in value: Span<UInt8>) -> Span<UInt8>? {
        guard value.count > 6, ASCII.hasPrefixIgnoringCase(value, "basic ") else { return nil }
        return ASCII.trimmingBlanks(value.extracting(6..<value.count))
    }
}
