import Support
import Testing

/// The login that a scripted peer demands, and the challenges and answers that go with it.
struct Demand: Sendable, CustomTestStringConvertible {
    let scheme: String
    /// 401 of an origin, 407 of a parent.
    let status: Int

    static let all = [401, 407].flatMap { status in
        ["Basic", "Digest"].map { Demand(scheme: $0, status: status) }
    }

    var testDescription: String { "\(scheme), \(status)" }
    var isProxy: Bool { status == 407 }
    /// The field of the request that carries the answer.
    var field: String { isProxy ? "Proxy-Authorization" : "Authorization" }

    var challenge: String {
        scheme == "Basic"
            ? #"Basic realm="Staff""#
            : #"Digest realm="Staff", qop="auth", algorithm=SHA-256, nonce="\#(Demand.freshNonce)", opaque="0p""#
    }

    private static let nonces = Locked(0)
    /// A nonce that no challenge has had: its first count is a first answer's.
    private static var freshNonce: String {
        nonces.withLock { count in
            count += 1
            return "n0nce\(count)"
        }
    }

    /// The refusal with its challenge.
    var refusal: ScriptedPeer.Step {
        isProxy ? .proxyAuthenticationRequired(challenge) : .unauthorized(challenge)
    }

    /// A peer that refuses whatever comes.
    func refusingPeer() throws -> ScriptedPeer {
        try ScriptedPeer { _ in [refusal] }
    }

    /// A peer that takes whatever carries a value.
    func takingPeer() throws -> ScriptedPeer {
        try ScriptedPeer { request in request[field] == nil ? [refusal] : [.response(body: "in")] }
    }

    /// How many values came to a peer.
    func attempts(at peer: ScriptedPeer) -> Int { peer.requests.count { $0[field] != nil } }

    /// Rules with one credential `staff` whose password is in the file `secret`, for the peer as origin or parent.
    func rules(for peer: ScriptedPeer) -> String {
        guard isProxy else { return Demand.anyPort }
        return """
            credentials: { staff: { username: user, password: { file: secret } } }
            proxies: { corp: { url: "http://127.0.0.1:\(peer.port)", use: staff } }
            routes: [ { host: "*", via: corp } ]
            """
    }

    /// What a client asks for so that the peer gets it.
    func url(of peer: ScriptedPeer, path: String = "/") -> String {
        isProxy ? "http://origin.example\(path)" : "http://127.0.0.1:\(peer.port)\(path)"
    }

    /// Rules with `staff` for each port of this machine.
    static let anyPort = """
        credentials: { staff: { username: user, password: { file: secret } } }
        rules: [ { space: { host: 127.0.0.1, port: any }, use: staff } ]
        """
}

/// The reason code that a response tells in Proxy-Status [RFC 9209 2.1.6]; nil where it tells none.
func reason(of response: HTTPResponse) -> String? {
    guard let status = response["Proxy-Status"], let start = status.range(ofText: "details=\"") else { return nil }
    return String(status[start...].prefix { $0 != ":" && $0 != "\"" })
}

extension String {
    /// The place behind the first occurrence of `text`.
    fileprivate func range(ofText text: String) -> Index? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
