import Support
import Testing

/// A password that was never right, asked for by many at once.
@Suite struct WrongPasswordTests {
    @Test("A-7 64 concurrent clients with a wrong password cost one attempt", arguments: Demand.all)
    func oneAttempt(_ demand: Demand) throws {
        let peer = try demand.refusingPeer()
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 2, files: ["secret": "wrong"])
        let responses = try concurrently(64) { index in
            try proxy.get(demand.url(of: peer, path: "/\(index)"))
        }
        #expect(demand.attempts(at: peer) == 1)
        // A 407 never reaches a client that no rule sends it to (A-13).
        #expect(Set(responses.map(\.status)) == [demand.isProxy ? 502 : 401])
        #expect(responses.allSatisfy { ["credential.withheld", "credential.rejected"].contains(reason(of: $0)) })
    }

    @Test("A-7 a realm that the server makes up anew doesn't bring another attempt")
    func madeUpRealms() throws {
        let peer = try ScriptedPeer { request in
            [.unauthorized(#"Basic realm="\#(request.connection).\#(request.index)""#)]
        }
        let proxy = try RunningProxy(Demand.anyPort, workers: 2, files: ["secret": "wrong"])
        for path in ["/a", "/b/c", "/d/e/f"] {
            #expect(try proxy.get("http://127.0.0.1:\(peer.port)\(path)").status == 401)
        }
        #expect(peer.requests.count { $0["Authorization"] != nil } == 1)
    }
}
