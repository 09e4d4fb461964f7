/// The challenge of NTLM [MS-NLMP, section 2.2.1.2], as far as it has to be looked at.
enum Type2 {
    /// `NTLMSSP`, NUL, and the number of the message.
    private static let opening: [UInt8] = Array("NTLMSSP\0".utf8) + [2, 0, 0, 0]
    /// Where the length of the target info stands.
    private static let place = 40

    /// Whether a token is a challenge, or has one in it, that says nothing about its server.
    static func hasNoTargetInfo(_ token: [UInt8]) -> Bool {
        guard let start = start(in: token) else { return false }
        let length = start + place
        guard length + 1 < token.count else { return true }
        return token[length] == 0 && token[length + 1] == 0
    }

    private static func start(in token: [UInt8]) -> Int? {
        guard token.count >= opening.count else { return nil }
        return (0...token.count - opening.count).first { token[$0...].starts(with: opening) }
    }
}
