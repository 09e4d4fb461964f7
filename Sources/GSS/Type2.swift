/// The challenge of NTLM [MS-NLMP, section 2.2.1.2], as far as gss-ntlmssp has to be helped with it.
enum Type2 {
    /// `NTLMSSP`, NUL, and the number of the message.
    private static let opening: [UInt8] = Array("NTLMSSP\0".utf8) + [2, 0, 0, 0]
    /// Where the flags begin, whose lowest two bits are NTLMSSP_NEGOTIATE_UNICODE and NTLM_NEGOTIATE_OEM.
    private static let flags = 20
    /// Where the length of the target info stands.
    private static let targetInfo = 40

    /// Whether a token is a challenge, or has one in it, that says nothing about its server.
    static func hasNoTargetInfo(_ token: [UInt8]) -> Bool {
        guard let start = start(in: token) else { return false }
        let length = start + targetInfo
        guard length + 1 < token.count else { return true }
        return token[length] == 0 && token[length + 1] == 0
    }

    /// The same token with one charset in its challenge: OEM is to be ignored beside Unicode [section 2.2.2.5], where
    /// gss-ntlmssp fails.
    static func withOneCharset(_ token: [UInt8]) -> [UInt8] {
        guard let start = start(in: token), start + flags < token.count, token[start + flags] & 3 == 3 else {
            return token
        }
        var token = token
        token[start + flags] &= ~2
        return token
    }

    private static func start(in token: [UInt8]) -> Int? {
        guard token.count >= opening.count else { return nil }
        return (0...token.count - opening.count).first { token[$0...].starts(with: opening) }
    }
}
