import Support
import Testing

/// Peers that end a connection behind their challenge without having said so.
@Suite struct ClosedBehindChallengeTests {
    /// A peer that ends each connection it refused a request on, as soon as the next comes on it; the others are judged.
    private func peer(
        _ demand: Demand,
        _ judge: @escaping @Sendable (ScriptedPeer.Request) -> ScriptedPeer.Step
    ) throws -> ScriptedPeer {
        let refused = Locked<Set<Int>>([])
        return try ScriptedPeer { request in
            if refused.withLock({ $0.contains(request.connection) }) { return [.close] }
            guard request[demand.field] == nil else { return [judge(request)] }
            refused.withLock { _ = $0.insert(request.connection) }
            return [demand.refusal]
        }
    }

    @Test(
        "H-6 an answer that its challenge's connection loses is sent once more on a fresh one",
        arguments: Demand.all,
        ["GET", "PUT"]
    )
    func repeated(_ demand: Demand, _ method: String) throws {
        let peer = try peer(demand) { .response(body: $0.body.text) }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 1, files: ["secret": "right"])
        let lines = ["Host: h", "Content-Length: 4", "Connection: close"]
        let text = request("\(method) \(demand.url(of: peer)) HTTP/1.1", lines, body: "body")
        #expect(try proxy.connect().exchange(text).text == "body")
        // The challenge, its answer, and that once more.
        #expect(peer.requests.map(\.connection) == [0, 0, 1])
    }

    @Test("H-6 where that happened, what may not be repeated is answered on a fresh connection", arguments: Demand.all)
    func remembered(_ demand: Demand) throws {
        let peer = try peer(demand) { .response(200, ["Connection: close"], body: $0.body.text) }
        // Nothing is sent ahead, so each request is challenged.
        let rules = demand.rules(for: peer).split(separator: "use: staff").joined(
            separator: "use: staff, preempt: never"
        )
        let proxy = try RunningProxy(rules, workers: 1, files: ["secret": "right"])
        let lines = ["Host: h", "Content-Length: 4", "Connection: close"]
        let text = request("POST \(demand.url(of: peer)) HTTP/1.1", lines, body: "body")
        #expect(try proxy.connect().exchange(text).status == 502)
        for _ in 0..<3 { #expect(try proxy.connect().exchange(text).text == "body") }
        #expect(peer.requests.map(\.connection) == [0, 0, 1, 2, 3, 4, 5, 6])
    }

    @Test("H-6 a connection whose end is there before the answer carries it no more", arguments: Demand.all)
    func endedBefore(_ demand: Demand) throws {
        let gate = Gate()
        let peer = try ScriptedPeer { request in
            request[demand.field] == nil ? [.wait(gate), demand.refusal, .close] : [.response(body: "in")]
        }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 1, files: ["secret": "right"])
        let client = try proxy.connect()
        let lines = ["Host: h", "Content-Length: 4"]
        try client.send(request("POST \(demand.url(of: peer)) HTTP/1.1", lines, body: "body"))
        try peer.waitForRequests(1)
        // Challenge and end lie in the kernel's buffer together when they are read.
        try proxy.process.standingStill {
            gate.opens()
            try eventually("the peer to close") { peer.openConnectionCount == 0 }
        }
        #expect(try client.receive().text == "in")
        #expect(peer.requests.map(\.connection) == [0, 1])
    }

    @Test("H-15 a parent that ends behind its 407 gets the CONNECT's answer on a fresh connection")
    func connect() throws {
        let demand = Demand(scheme: "Basic", status: 407)
        let parent = try ScriptedPeer { request in
            request[demand.field] == nil ? [demand.refusal, .close] : [.send("HTTP/1.1 200 OK\r\n\r\n"), .echo]
        }
        let proxy = try RunningProxy(demand.rules(for: parent), workers: 1, files: ["secret": "right"])
        // Whether the end is there before the answer goes is a matter of time; once seen, it is remembered.
        let text = request("CONNECT a.test:443 HTTP/1.1", ["Host: a.test:443"], body: "ping")
        _ = try proxy.connect().exchange(text)
        let client = try proxy.connect()
        #expect(try client.exchange(text).status == 200)
        #expect(try client.receive(bytes: 4) == Array("ping".utf8))
    }

    @Test(
        "A-6 a refusal of an answer that was sent once more is a rejection: a wrong password costs no third attempt",
        arguments: Demand.all
    )
    func wrongPassword(_ demand: Demand) throws {
        let peer = try peer(demand) { [refusal = demand.refusal] _ in refusal }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 1, files: ["secret": "wrong"])
        for path in ["/a/", "/b/"] {
            let response = try proxy.get(demand.url(of: peer, path: path))
            #expect(response.status == (demand.isProxy ? 502 : 401))
            #expect(reason(of: response) == (path == "/a/" ? "credential.rejected" : "credential.withheld"))
            #expect(demand.attempts(at: peer) == 2)
        }
    }
}
