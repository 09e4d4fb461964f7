import Support
import Testing

@Suite struct ChallengeBodyTests {
    private func origin(bodySize: Int) throws -> ScriptedPeer {
        let text = String(repeating: "x", count: bodySize)
        return try ScriptedPeer { request in
            request["Authorization"] == nil
                ? [.unauthorized("Basic realm=\"x\"", body: text)] : [.response(body: "in")]
        }
    }

    @Test("B-6 the body of a challenge is drained to keep its connection")
    func drained() throws {
        let origin = try origin(bodySize: 200_000)
        let proxy = try RunningProxy(BodyReplayTests.answering, workers: 1)
        #expect(try proxy.get("\(origin.url)/").text == "in")
        #expect(origin.requests.map(\.connection) == [0, 0])
    }

    @Test("B-6 a longer one costs its connection")
    func dropped() throws {
        let origin = try origin(bodySize: 2_000_000)
        let proxy = try RunningProxy(BodyReplayTests.answering, workers: 1)
        #expect(try proxy.get("\(origin.url)/").text == "in")
        #expect(origin.requests.map(\.connection) == [0, 1])
    }

    @Test(
        "B-7 a challenge that comes while the upload goes on is answered, and framing stays in step",
        arguments: [false, true]
    )
    func duringUpload(_ closes: Bool) throws {
        let origin = try ScriptedPeer(
            beforeBody: { request in
                guard request["Authorization"] == nil else { return [] }
                return [.unauthorized("Basic realm=\"x\"")] + (closes ? [.close] : [])
            },
            answer: { $0["Authorization"] == nil ? [] : [.response(body: "\($0.body.fingerprint)")] }
        )
        let proxy = try RunningProxy(BodyReplayTests.answering, workers: 1)
        let client = try proxy.connect()
        let body = ScriptedPeer.pattern(0..<60_000)
        try client.send(request("POST \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: \(body.count)"]))
        try client.send(Array(body.prefix(1000)))
        try eventually("the origin to be asked") { origin.connectionCount > 0 }
        pause(.milliseconds(100))
        try client.send(Array(body.dropFirst(1000)))
        let response = try client.receive()
        #expect(response.status == 200)
        #expect(response.text == "\(MessageBody.fingerprint(of: body))")
        #expect(origin.faults.allSatisfy { $0.hasPrefix("the stream ended") })
        #expect(try client.exchange(request("GET \(origin.url)/ HTTP/1.1", ["Host: h"])).status == 200)
    }

    @Test(
        "B-6 a parent's challenge is drained, or costs its connection, in the same way",
        arguments: [(200_000, [0, 0]), (2_000_000, [0, 1])]
    )
    func parent(_ bodySize: Int, _ connections: [Int]) throws {
        let demand = Demand(scheme: "Digest", status: 407)
        let text = String(repeating: "x", count: bodySize)
        let parent = try ScriptedPeer { request in
            request["Proxy-Authorization"] == nil
                ? [.proxyAuthenticationRequired(demand.challenge, body: text)] : [.response(body: "in")]
        }
        let proxy = try RunningProxy(demand.rules(for: parent), workers: 1, files: ["secret": "right"])
        #expect(try proxy.get(demand.url(of: parent)).text == "in")
        #expect(parent.requests.map(\.connection) == connections)
    }

    @Test(
        "B-6 the body of a challenge is drained up to `drain_on_challenge`",
        arguments: [(1000, [0, 0]), (3000, [0, 1])]
    )
    func limit(_ bodySize: Int, _ connections: [Int]) throws {
        let origin = try origin(bodySize: bodySize)
        let rules = BodyReplayTests.answering + "limits: { drain_on_challenge: 2KiB }"
        let proxy = try RunningProxy(rules, workers: 1)
        #expect(try proxy.get("\(origin.url)/").text == "in")
        #expect(origin.requests.map(\.connection) == connections)
    }

    /// Refuses what has no value while its body still comes, and reads on or closes.
    private func impatient(_ demand: Demand, closes: Bool) throws -> ScriptedPeer {
        try ScriptedPeer(
            beforeBody: { request in
                guard request[demand.field] == nil else { return [] }
                return [demand.refusal] + (closes ? [.close] : [])
            },
            answer: { $0[demand.field] == nil ? [] : [.response(body: "\($0.body.fingerprint)")] }
        )
    }

    @Test(
        "B-7 the rest of an upload that is challenged on its way is spooled and goes with the answer",
        arguments: Demand.all,
        [false, true]
    )
    func spooledRest(_ demand: Demand, _ closes: Bool) throws {
        let peer = try impatient(demand, closes: closes)
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 1, files: ["secret": "right"])
        let client = try proxy.connect(limit: .seconds(30))
        let body = ScriptedPeer.pattern(0..<3_000_000)
        try client.send("POST \(demand.url(of: peer)) HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        for start in stride(from: 0, to: body.count, by: 100_000) {
            try client.send("\(String(100_000, radix: 16))\r\n")
            try client.send(Array(body[start..<start + 100_000]))
            try client.send("\r\n")
            if start == 0 {
                try eventually("the peer to be asked") { peer.connectionCount > 0 }
                pause(.milliseconds(50))
            }
        }
        try client.send("0\r\n\r\n")
        let response = try client.receive()
        #expect(response.status == 200)
        #expect(response.text == "\(MessageBody.fingerprint(of: body))")
        // What the challenged connection got ends inside its body: never is anything else a request on it.
        #expect(peer.requests.allSatisfy { $0.method == "POST" && $0[demand.field] != nil })
        #expect(peer.faults.allSatisfy { $0.hasPrefix("the stream ended") })
        let next = request("GET \(demand.url(of: peer)) HTTP/1.1", ["Host: h"])
        #expect(try client.exchange(next).status == 200)
    }

    @Test(
        "B-7 one that is challenged on its way and is not kept is told, and its connection ends",
        arguments: [401, 407]
    )
    func notKept(_ status: Int) throws {
        let demand = Demand(scheme: "Digest", status: status)
        let peer = try ScriptedPeer(
            beforeBody: { $0[demand.field] == nil ? [.pause(.milliseconds(300)), demand.refusal] : [] },
            answer: { _ in [] }
        )
        let rules = demand.rules(for: peer) + "\nlimits: { replay_memory: 1KiB, replay_disk: 8KiB }"
        let proxy = try RunningProxy(rules, workers: 1, files: ["secret": "right"])
        let client = try proxy.connect()
        let head = request("POST \(demand.url(of: peer)) HTTP/1.1", ["Host: h", "Content-Length: 60000"])
        try client.send(Array(head.utf8) + ScriptedPeer.pattern(0..<30_000))
        let response = try client.receive()
        #expect(response.status == (status == 401 ? 401 : 502))
        #expect(reason(of: response) == "body.not-kept")
        #expect(response["Connection"] == "close")
        #expect(demand.attempts(at: peer) == 0)
    }

    @Test(
        "B-6 a refusal whose connection ends while a scout's verdict is awaited is told whole, or answered on another",
        arguments: ["", "who are you?"],
        [false, true]
    )
    func endsWhileHeld(_ text: String, _ isRight: Bool) throws {
        let gate = Gate()
        let challenge = "WWW-Authenticate: Basic realm=\"x\""
        let origin = try ScriptedPeer { request in
            if request["Authorization"] != nil {
                let verdict = isRight ? [ScriptedPeer.Step.response(body: "in")] : [.unauthorized("Basic realm=\"x\"")]
                return (request.target == "/scout" ? [.wait(gate)] : []) + verdict
            }
            guard request.target == "/late" else { return [.unauthorized("Basic realm=\"x\"")] }
            return [.send("HTTP/1.1 401 No\r\n\(challenge)\r\n\r\n\(text)"), .close]
        }
        let proxy = try RunningProxy(Demand.anyPort, workers: 1, files: ["secret": "s"])
        let scout = try proxy.connect()
        try scout.send(request("GET \(origin.url)/scout HTTP/1.1", ["Host: h"]))
        try origin.waitForRequests(2)
        let late = try proxy.connect()
        try late.send(request("GET \(origin.url)/late HTTP/1.1", ["Host: h"]))
        try origin.waitForRequests(3)
        try eventually("the late one's connection to end") { origin.openConnectionCount == 1 }
        pause(.milliseconds(200))
        gate.opens()
        #expect(try scout.receive().status == (isRight ? 200 : 401))
        let response = try late.receive()
        #expect(response.status == (isRight ? 200 : 401))
        #expect(response.text == (isRight ? "in" : text))
    }
}
