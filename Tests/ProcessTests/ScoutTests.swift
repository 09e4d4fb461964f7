import Support
import Testing

/// Requests that would use a password that nobody has seen confirmed yet: one goes, the others wait.
@Suite struct ScoutTests {
    /// How an attempt ends that says nothing about the password.
    enum NoVerdict: CaseIterable {
        case connectionFails, serverError
    }

    private func start(
        _ proxy: RunningProxy,
        _ url: String,
        _ fields: [String] = [],
        body: String = ""
    ) throws -> HTTPClient {
        let client = try proxy.connect(limit: .seconds(30))
        let method = body.isEmpty ? "GET" : "POST"
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        try client.send(request("\(method) \(url) HTTP/1.1", ["Host: h"] + length + fields, body: body))
        return client
    }

    /// A peer that refuses what has no value; of the others the first, second, … does `steps`, and then waits for its gate.
    private func peer(
        _ demand: Demand,
        _ first: @escaping @Sendable (Int) -> [ScriptedPeer.Step]
    ) throws -> ScriptedPeer {
        let count = Locked(0)
        return try ScriptedPeer { [refusal = demand.refusal, field = demand.field] request in
            guard request[field] != nil else { return [refusal] }
            let number = count.withLock { value in
                value += 1
                return value
            }
            return first(number)
        }
    }

    @Test(
        "A-8 the role passes to exactly one waiter when the scout ends without a verdict",
        arguments: NoVerdict.allCases,
        Demand.all
    )
    func handOver(_ end: NoVerdict, _ demand: Demand) throws {
        let (first, second) = (Gate(), Gate())
        let ending: ScriptedPeer.Step = end == .connectionFails ? .reset : .response(503)
        // On a connection that failed it is sent once more on a fresh one (H-6).
        let last = end == .connectionFails ? 2 : 1
        let peer = try peer(demand) { number in
            switch number {
            case 1: [.wait(first), ending]
            case last: [ending]
            case last + 1: [.wait(second), .response(body: "in")]
            default: [.response(body: "in")]
            }
        }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 2, files: ["secret": "right"])
        let scout = try start(proxy, demand.url(of: peer, path: "/scout"))
        try eventually("the scout") { demand.attempts(at: peer) == 1 }
        let waiters = try (0..<6).map { try start(proxy, demand.url(of: peer, path: "/\($0)")) }
        // All have been challenged by now, or wait before they are sent.
        pause(.milliseconds(300))
        #expect(demand.attempts(at: peer) == 1)
        first.opens()
        try eventually("the next scout") { demand.attempts(at: peer) == last + 1 }
        pause(.milliseconds(300))
        #expect(demand.attempts(at: peer) == last + 1)
        if end == .connectionFails { #expect(try scout.receive().status == 502) }
        if end == .serverError { #expect(try scout.receive().status == 503) }
        second.opens()
        for waiter in waiters { #expect(try waiter.receive().status == 200) }
    }

    @Test("A-8 after five seconds without a verdict a second scout goes, and never a third")
    func secondScout() throws {
        let demand = Demand(scheme: "Basic", status: 401)
        let gate = Gate()
        let peer = try peer(demand) { _ in [.wait(gate), .response(body: "in")] }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 2, files: ["secret": "right"])
        let clock = ContinuousClock()
        let scout = try start(proxy, demand.url(of: peer, path: "/scout"))
        try eventually("the scout") { demand.attempts(at: peer) == 1 }
        let begin = clock.now
        let waiters = try (0..<6).map { try start(proxy, demand.url(of: peer, path: "/\($0)")) }
        while clock.now - begin < .milliseconds(4500) {
            #expect(demand.attempts(at: peer) == 1)
            pause(.milliseconds(100))
        }
        try eventually("a second scout", within: .seconds(3)) { demand.attempts(at: peer) == 2 }
        while clock.now - begin < .seconds(12) {
            #expect(demand.attempts(at: peer) == 2)
            pause(.milliseconds(100))
        }
        gate.opens()
        for client in [scout] + waiters { #expect(try client.receive().status == 200) }
    }

    @Test("A-8 a wrong password costs no more than its two scouts, however long they take")
    func secondScoutWrong() throws {
        let demand = Demand(scheme: "Basic", status: 401)
        let gate = Gate()
        let peer = try peer(demand) { [refusal = demand.refusal] _ in [.wait(gate), refusal] }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 2, files: ["secret": "wrong"])
        let clients = try (0..<6).map { try start(proxy, demand.url(of: peer, path: "/\($0)/")) }
        try eventually("a second scout", within: .seconds(8)) { demand.attempts(at: peer) == 2 }
        gate.opens()
        for client in clients { #expect(try client.receive().status == 401) }
        #expect(demand.attempts(at: peer) == 2)
    }

    @Test("A-8 a body over replay_memory is no scout while a request without one waits, and is one where none does")
    func heavy() throws {
        let demand = Demand(scheme: "Basic", status: 401)
        let (first, second) = (Gate(), Gate())
        let peer = try peer(demand) { number in
            switch number {
            case 1: [.wait(first), .response(503)]
            case 2: [.wait(second), .response(503)]
            default: [.response(body: "in")]
            }
        }
        let rules = demand.rules(for: peer) + "\nlimits: { replay_memory: 1KiB }"
        let proxy = try RunningProxy(rules, workers: 2, files: ["secret": "right"])
        let body = String(repeating: "a", count: 5000)
        // Alone it goes.
        let scout = try start(proxy, demand.url(of: peer, path: "/scout"), body: body)
        try eventually("the scout") { demand.attempts(at: peer) == 1 }
        let heavy = try start(proxy, demand.url(of: peer, path: "/heavy"), body: body)
        try eventually("the heavy one to be challenged") { peer.requests.contains { $0.target == "/heavy" } }
        pause(.milliseconds(200))
        let light = try start(proxy, demand.url(of: peer, path: "/light"))
        try eventually("the light one to be challenged") { peer.requests.contains { $0.target == "/light" } }
        pause(.milliseconds(200))
        first.opens()
        try eventually("the next scout") { demand.attempts(at: peer) == 2 }
        #expect(peer.requests.last { $0[demand.field] != nil }?.target == "/light")
        second.opens()
        #expect(try heavy.receive(to: "POST").status == 200)
        #expect(try scout.receive(to: "POST").status == 503)
        #expect(try light.receive().status == 503)
    }

    @Test("A-8 who waits longer than response_head gets 503 and costs no attempt")
    func unconfirmed() throws {
        let peer = try ScriptedPeer { _ in [.response(body: "in")] }
        let proxy = try RunningProxy(
            """
            credentials: { staff: { username: user, password: { value: right } } }
            rules: [ { space: { host: 127.0.0.1, port: any, method: [basic] }, use: staff, preempt: always } ]
            timeouts: { response_head: 2s }
            """,
            workers: 2
        )
        // Its value goes ahead; as long as its body comes, it is not late itself.
        let scout = try proxy.connect()
        try scout.send(request("POST \(peer.url)/a HTTP/1.1", ["Host: h", "Content-Length: 1000"]))
        try eventually("the scout") { peer.connectionCount == 1 }
        let clock = ContinuousClock()
        let begin = clock.now
        let waiter = try start(proxy, "\(peer.url)/b")
        while try waiter.isSilent(for: .zero), clock.now - begin < .seconds(4) {
            try scout.send("a")
            pause(.milliseconds(200))
        }
        #expect(clock.now - begin >= .milliseconds(1900))
        let response = try waiter.receive()
        #expect(response.status == 503)
        #expect(reason(of: response) == "credential.unconfirmed")
        #expect(peer.requests.isEmpty && peer.connectionCount == 1)
    }

    @Test(
        "A-8 a credential that was confirmed elsewhere has one scout at each new origin",
        arguments: ["Basic", "Digest"]
    )
    func newOrigin(_ scheme: String) throws {
        let demand = Demand(scheme: scheme, status: 401)
        let known = try demand.takingPeer()
        let gate = Gate()
        let new = try peer(demand) { number in number == 1 ? [.wait(gate), .response()] : [.response()] }
        let proxy = try RunningProxy(Demand.anyPort, workers: 2, files: ["secret": "right"])
        #expect(try proxy.get(demand.url(of: known)).status == 200)
        let clients = try (0..<8).map { try start(proxy, demand.url(of: new, path: "/\($0)/")) }
        try eventually("the scout") { demand.attempts(at: new) == 1 }
        pause(.milliseconds(300))
        #expect(demand.attempts(at: new) == 1)
        #expect(try proxy.get(demand.url(of: known, path: "/other")).status == 200)
        gate.opens()
        for client in clients { #expect(try client.receive().status == 200) }
    }
}
