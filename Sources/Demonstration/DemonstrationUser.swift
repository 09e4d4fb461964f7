internal import Bytes

/// Somebody whom the demo's servers know.
struct DemonstrationUser {
    let name: String
    let password: String

    /// Whether an Authorization field is this user's for Basic [RFC 7617 s.2].
    func isBasic(_ credentials: [UInt8]) -> Bool {
        let scheme = Array("basic ".utf8)
        guard credentials.count > scheme.count, credentials.prefix(scheme.count).map({ $0 | 0x20 }) == scheme else {
            return false
        }
        let token = Array(credentials.dropFirst(scheme.count))
        return Base64.decode(token.span) == Array("\(name):\(password)".utf8)
    }
}
