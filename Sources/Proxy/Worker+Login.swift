internal import Authentication
internal import Bytes
internal import Crypto
internal import Rules

extension Worker {
    /// What a login is worth that came otherwise than in a field of HTTP's (RFC 1929); nil where it has to be looked at
    /// first, and `told` is called on this loop, unless `forgetLogin` was called with the number that is in `number` then.
    func judgeLogin(
        name: [UInt8],
        password: Secret,
        by file: LoginFile,
        from client: Client,
        number: inout UInt64,
        told: @escaping (LoginVerifier.Verdict) -> Void
    ) -> LoginVerifier.Verdict? {
        // A colon ends the name in what the file's names are compared with.
        guard !name.contains(UInt8(ascii: ":")) else { return .wrong }
        var pair = name + [UInt8(ascii: ":")]
        password.withBytes { bytes in for index in bytes.indices { pair.append(bytes[index]) } }
        var token = Base64.encode(pair.span)
        defer {
            Wiping.wipe(&pair)
            Wiping.wipe(&token)
        }
        let key = shared.logins.pair(of: token.span, digest)
        if let known = file.name(of: key) { return .right(known) }
        guard let login = BasicLogin(token: token.span) else { return .wrong }
        lastArriving += 1
        let (peers, index, own) = (shared.peers, index, lastArriving)
        number = own
        loggingIn[own] = told
        shared.logins.verify(login, key, by: file, from: client) { verdict in
            peers.send(to: index) { $0.loggingIn.removeValue(forKey: own)?(verdict) }
        }
        return nil
    }

    /// Nobody waits for that login any more.
    func forgetLogin(_ number: UInt64) { loggingIn[number] = nil }
}
