import Support
import Testing

/// A Digest server as strict as RFC 7616 section 3.4 lets it be: each count is the last of its nonce plus one.
private final class StrictDigestServer: Sendable {
    private struct State {
        var counts: [String: Int] = [:]
        var faults: [String] = []
    }

    private let state = Locked(State())
    let isProxy: Bool

    init(isProxy: Bool) { self.isProxy = isProxy }

    var faults: [String] { state.withLock { $0.faults } }
    var nonceCount: Int { state.withLock { $0.counts.count } }

    func answer(_ request: ScriptedPeer.Request) -> [ScriptedPeer.Step] {
        guard let value = request[isProxy ? "Proxy-Authorization" : "Authorization"] else { return [challenge()] }
        let nonce = parameter("nonce", of: value)
        let count = Int(parameter("nc", of: value), radix: 16) ?? -1
        let response = Digest.md5(
            [
                Digest.md5("user:Staff:right"), nonce, parameter("nc", of: value), parameter("cnonce", of: value),
                "auth", Digest.md5("\(request.method):\(request.target)"),
            ].joined(separator: ":")
        )
        return state.withLock { state in
            guard let last = state.counts[nonce], count == last + 1, parameter("response", of: value) == response
            else {
                state.faults.append("\(request.target): \(value)")
                return [isProxy ? .response(407) : .response(401)]
            }
            state.counts[nonce] = count
            return [.response(body: request.target)]
        }
    }

    private func challenge() -> ScriptedPeer.Step {
        let nonce = state.withLock { state in
            let nonce = "n\(state.counts.count)"
            state.counts[nonce] = 0
            return nonce
        }
        let value = #"Digest realm="Staff", qop="auth", nonce="\#(nonce)""#
        return isProxy ? .proxyAuthenticationRequired(value) : .unauthorized(value)
    }
}

/// The value of a parameter of a Digest answer, without its quotes; empty when it isn't there.
func parameter(_ name: String, of value: String) -> String {
    for part in value.drop(while: { $0 != " " }).split(separator: ",") {
        let trimmed = part.drop { $0 == " " }
        if trimmed.hasPrefix("\(name)=") { return String(trimmed.dropFirst(name.count + 1).filter { $0 != "\"" }) }
    }
    return ""
}

/// Nonces and their counts under load.
@Suite struct NonceCountTests {
    @Test("A-4b no count is out of order from 16 connections over 2 workers", arguments: [false, true])
    func strict(isProxy: Bool) throws {
        let server = StrictDigestServer(isProxy: isProxy)
        let peer = try ScriptedPeer { server.answer($0) }
        let demand = Demand(scheme: "Digest", status: isProxy ? 407 : 401)
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 2, files: ["secret": "right"])
        let statuses = try concurrently(16) { connection in
            let client = try proxy.connect()
            return try (0..<20).map { index in
                let url = demand.url(of: peer, path: "/\(connection)/\(index)?q=\(index)")
                let authority = url.split(separator: "/")[1]
                return try client.exchange("GET \(url) HTTP/1.1\r\nHost: \(authority)\r\n\r\n").status
            }
        }
        #expect(Set(statuses.joined()) == [200])
        #expect(server.faults.isEmpty, "\(server.faults.prefix(3))")
        // What was learned is sent ahead: there are far fewer challenges than requests.
        #expect(server.nonceCount <= 64, "\(server.nonceCount)")
    }
}
