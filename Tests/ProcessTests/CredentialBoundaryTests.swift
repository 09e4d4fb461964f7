import Support
import Testing

/// Where values go, and where they never do.
@Suite struct CredentialBoundaryTests {
    private static let schemes = ["Basic", "Digest"]

    @Test("A-9 what was learned is sent ahead to its own origin only", arguments: schemes)
    func origins(_ scheme: String) throws {
        let demand = Demand(scheme: scheme, status: 401)
        let guarded = try demand.takingPeer()
        let other = try ScriptedPeer { _ in [.response(body: "open")] }
        let proxy = try RunningProxy(Demand.anyPort, workers: 1, files: ["secret": "right"])
        for _ in 0..<3 {
            #expect(try proxy.get(demand.url(of: guarded, path: "/a")).status == 200)
            #expect(try proxy.get(demand.url(of: other, path: "/a")).status == 200)
        }
        #expect(guarded.requests.count == 4)
        #expect(demand.attempts(at: guarded) == 3)
        #expect(demand.attempts(at: other) == 0)
        #expect(other.requests.allSatisfy { $0["Proxy-Authorization"] == nil })
    }

    @Test("S-4 a parent's value never reaches an origin, nor an origin's another parent", arguments: schemes)
    func parents(_ scheme: String) throws {
        let demand = Demand(scheme: scheme, status: 407)
        let guarded = try demand.takingPeer()
        let open = try ScriptedPeer { _ in [.response(body: "open")] }
        let direct = try ScriptedPeer { _ in [.response(body: "direct")] }
        let proxy = try RunningProxy(
            """
            credentials: { staff: { username: user, password: { file: secret } } }
            proxies:
              corp: { url: "http://127.0.0.1:\(guarded.port)", use: staff }
              free: { url: "http://127.0.0.1:\(open.port)" }
            routes:
              - { host: a.example, via: corp }
              - { host: b.example, via: free }
            """,
            workers: 1,
            files: ["secret": "right"]
        )
        for _ in 0..<2 {
            #expect(try proxy.get("http://a.example/").status == 200)
            #expect(try proxy.get("http://b.example/").text == "open")
            #expect(try proxy.get("http://127.0.0.1:\(direct.port)/").text == "direct")
        }
        #expect(demand.attempts(at: guarded) == 2)
        for peer in [open, direct] {
            #expect(peer.requests.allSatisfy { $0["Proxy-Authorization"] == nil && $0["Authorization"] == nil })
        }
        #expect(guarded.requests.allSatisfy { $0["Authorization"] == nil })
    }

    @Test("A-1 a 407 of an origin is never answered nor passed on")
    func strayProxyChallenge() throws {
        let peer = try ScriptedPeer { _ in [.proxyAuthenticationRequired(#"Basic realm="Staff""#)] }
        let proxy = try RunningProxy(Demand.anyPort, workers: 2, files: ["secret": "right"])
        let response = try proxy.get("http://127.0.0.1:\(peer.port)/")
        #expect(response.status == 502)
        #expect(response["Proxy-Authenticate"] == nil)
        #expect(response["Proxy-Status"]?.contains("http_protocol_error") == true)
        #expect(peer.requests.count == 1)
    }

    @Test("A-26 TRACE carries no value, ahead or in answer")
    func trace() throws {
        let demand = Demand(scheme: "Basic", status: 401)
        let peer = try demand.takingPeer()
        let proxy = try RunningProxy("http: { trace: true }\n" + Demand.anyPort, workers: 1, files: ["secret": "right"])
        #expect(try proxy.get(demand.url(of: peer)).status == 200)
        peer.forget()
        #expect(try proxy.get(demand.url(of: peer), method: "TRACE").status == 401)
        #expect(demand.attempts(at: peer) == 0)
    }
}
