import Glibc
import Support
import Testing

/// Clients that leave while the verdict on a password that nobody has seen confirmed is still out.
@Suite struct ImpatientClientTests {
    /// A peer that refuses what has no value; the first that has one waits for `gate` and gets `verdict`, others "in".
    private func peer(_ demand: Demand, _ gate: Gate, _ verdict: [ScriptedPeer.Step]) throws -> ScriptedPeer {
        let isFirst = Locked(true)
        return try ScriptedPeer { [refusal = demand.refusal, field = demand.field] request in
            guard request[field] != nil else { return [refusal] }
            let waits = isFirst.withLock { value in
                defer { value = false }
                return value
            }
            return waits ? [.wait(gate)] + verdict : [.response(body: "in")]
        }
    }

    private func start(_ proxy: RunningProxy, _ url: String) throws -> HTTPClient {
        let client = try proxy.connect(limit: .seconds(30))
        try client.send(request("GET \(url) HTTP/1.1", ["Host: h"]))
        return client
    }

    @Test("A-7 however many clients leave before a slow verdict, a wrong password is sent once", arguments: Demand.all)
    func impatient(_ demand: Demand) throws {
        let peer = try ScriptedPeer { [refusal = demand.refusal, field = demand.field] request in
            request[field] == nil ? [refusal] : [.pause(.seconds(1)), refusal]
        }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 2, files: ["secret": "wrong"])
        for number in 0..<8 {
            let client = try start(proxy, demand.url(of: peer, path: "/\(number)/"))
            pause(.milliseconds(250))
            client.reset()
        }
        let response = try proxy.get(demand.url(of: peer))
        #expect(reason(of: response) == "credential.withheld")
        #expect(demand.attempts(at: peer) == 1)
    }

    @Test(
        "A-7 the verdict on a scout's value is learned without its client, and those who wait go by it",
        arguments: Demand.all,
        [true, false]
    )
    func learned(_ demand: Demand, _ isRight: Bool) throws {
        let gate = Gate()
        let peer = try peer(demand, gate, [isRight ? .response(body: "in") : demand.refusal])
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 2, files: ["secret": "any"])
        let scout = try start(proxy, demand.url(of: peer, path: "/scout"))
        try eventually("the scout") { demand.attempts(at: peer) == 1 }
        let waiters = try (0..<6).map { try start(proxy, demand.url(of: peer, path: "/\($0)")) }
        pause(.milliseconds(300))
        scout.reset()
        pause(.milliseconds(500))
        #expect(demand.attempts(at: peer) == 1)
        gate.opens()
        for waiter in waiters {
            let response = try waiter.receive()
            if isRight {
                #expect(response.status == 200)
            } else {
                #expect(reason(of: response) == "credential.withheld")
            }
        }
        #expect(demand.attempts(at: peer) == (isRight ? 7 : 1))
        try proxy.waitForLog("client.gone")
    }

    @Test("A-8 the role passes on when the connection of a scout without a client fails", arguments: Demand.all)
    func lost(_ demand: Demand) throws {
        let gate = Gate()
        let peer = try peer(demand, gate, [.reset])
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 2, files: ["secret": "right"])
        let scout = try start(proxy, demand.url(of: peer, path: "/scout"))
        try eventually("the scout") { demand.attempts(at: peer) == 1 }
        let waiter = try start(proxy, demand.url(of: peer, path: "/waiter"))
        pause(.milliseconds(200))
        scout.reset()
        #expect(try waiter.isSilent(for: .milliseconds(300)))
        gate.opens()
        #expect(try waiter.receive().status == 200)
        #expect(demand.attempts(at: peer) == 2)
    }

    @Test("A-8 the role passes on at once when the scout's client leaves before its value went")
    func unsent() throws {
        let challenge = #"Digest realm="Staff", nonce="n", qop="auth-int""#
        let peer = try ScriptedPeer(
            beforeBody: { request in
                request["Authorization"] == nil && request.target == "/scout" ? [.unauthorized(challenge)] : []
            },
            answer: { request in
                request["Authorization"] == nil ? [.unauthorized(challenge)] : [.response(body: "in")]
            }
        )
        let proxy = try RunningProxy(Demand.anyPort, workers: 2, files: ["secret": "right"])
        // Its value covers a body that doesn't come to its end.
        let scout = try proxy.connect()
        try scout.send(request("POST \(peer.url)/scout HTTP/1.1", ["Host: h", "Content-Length: 10"], body: "half"))
        try eventually("the scout to be challenged") { peer.connectionCount == 1 }
        pause(.milliseconds(300))
        let waiter = try start(proxy, "\(peer.url)/waiter")
        #expect(try waiter.isSilent(for: .milliseconds(500)))
        scout.reset()
        #expect(try waiter.receive().status == 200)
        #expect(peer.requests.count { $0["Authorization"] != nil } == 1)
    }

    @Test(
        "A-7 a body that turns out malformed while its value is judged is refused at once, and costs no other attempt"
    )
    func malformedBody() throws {
        let gate = Gate()
        let attempts = Locked(0)
        let refusal = ScriptedPeer.Step.unauthorized(#"Basic realm="Staff""#)
        let peer = try ScriptedPeer(
            beforeBody: { request in
                guard request["Authorization"] != nil else { return [refusal] }
                attempts.withLock { $0 += 1 }
                return [.wait(gate), refusal]
            },
            answer: { _ in [] }
        )
        let proxy = try RunningProxy(Demand.anyPort, workers: 2, files: ["secret": "wrong"])
        let client = try proxy.connect()
        let head = ["Host: h", "Transfer-Encoding: chunked"]
        try client.send(request("POST \(peer.url)/ HTTP/1.1", head, body: "5\r\nhello\r\n"))
        try eventually("the scout") { attempts.withLock { $0 } == 1 }
        // The rest is read from when the expectation was not met in time.
        try client.send("no chunk\r\n")
        #expect(try client.receive(to: "POST").status == 400)
        let waiter = try start(proxy, "\(peer.url)/waiter")
        #expect(try waiter.isSilent(for: .milliseconds(500)))
        gate.opens()
        #expect(reason(of: try waiter.receive()) == "credential.withheld")
        #expect(attempts.withLock { $0 } == 1)
    }

    @Test("A-7 a process that is told to end waits for such a verdict as for what is under way, and keeps it")
    func drain() throws {
        let demand = Demand(scheme: "Basic", status: 401)
        let gate = Gate()
        let peer = try peer(demand, gate, [demand.refusal])
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 2, files: ["secret": "wrong"])
        let scout = try start(proxy, demand.url(of: peer))
        try eventually("the scout") { demand.attempts(at: peer) == 1 }
        scout.reset()
        pause(.milliseconds(200))
        proxy.process.send(signal: SIGTERM)
        pause(.milliseconds(500))
        #expect(proxy.process.isRunning)
        gate.opens()
        #expect(try proxy.process.waitForExit(within: .seconds(10)) == .status(0))
        let next = try RunningProxy(demand.rules(for: peer), workers: 2, folder: proxy.folder)
        #expect(reason(of: try next.get(demand.url(of: peer))) == "credential.withheld")
        #expect(demand.attempts(at: peer) == 1)
    }

    @Test("H-10 a client that leaves ends the upstream attempt where no verdict is waited for", arguments: Demand.all)
    func confirmed(_ demand: Demand) throws {
        let gate = Gate()
        let peer = try ScriptedPeer { [refusal = demand.refusal, field = demand.field] request in
            guard request[field] != nil else { return [refusal] }
            return request.target.hasSuffix("/slow") ? [.wait(gate), .response()] : [.response(body: "in")]
        }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 1, files: ["secret": "right"])
        #expect(try proxy.get(demand.url(of: peer)).status == 200)
        let client = try start(proxy, demand.url(of: peer, path: "/slow"))
        try eventually("the request") { peer.requests.last?.target.hasSuffix("/slow") == true }
        #expect(peer.openConnectionCount > 0)
        client.reset()
        try proxy.waitForLog("client.gone")
        gate.opens()
        try eventually("its connection to end") { peer.openConnectionCount == 0 }
    }
}
