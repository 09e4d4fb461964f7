import Support
import Testing

/// What counts as a confirmation, and what a rejection means where there was one.
@Suite struct ConfirmationTests {
    private static let confirming = [200, 204, 301, 304, 403, 404, 405, 409, 410, 451]
    private static let silent = [400, 408, 421, 425, 429, 431, 500, 502, 503, 504]

    @Test(
        "A-6b a confirmed answer is learned, one without a verdict is not, and neither blocks anything",
        arguments: confirming + silent,
        [401, 407]
    )
    func statuses(_ status: Int, _ challenge: Int) throws {
        let demand = Demand(scheme: "Basic", status: challenge)
        let peer = try ScriptedPeer { [field = demand.field] request in
            let hasBody = status != 204 && status != 304
            let answer = ScriptedPeer.Step.send("HTTP/1.1 \(status) X\r\n\(hasBody ? "Content-Length: 0\r\n" : "")\r\n")
            return [request[field] == nil ? demand.refusal : answer]
        }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 1, files: ["secret": "right"])
        for _ in 0..<2 { #expect(try proxy.get(demand.url(of: peer)).status == status) }
        let isConfirmed = Self.confirming.contains(status)
        #expect(
            peer.requests.map { $0[demand.field] != nil }
                == (isConfirmed ? [false, true, true] : [false, true, false, true])
        )
    }

    @Test("A-6b a connection that breaks is no verdict and blocks nothing", arguments: Demand.all)
    func broken(_ demand: Demand) throws {
        let count = Locked(0)
        let peer = try ScriptedPeer { [field = demand.field] request in
            if request[field] == nil { return [demand.refusal] }
            // Each answer is sent once more on a fresh connection (H-6).
            let isBroken = count.withLock { value in
                value += 1
                return value <= 4
            }
            return [isBroken ? .reset : .response()]
        }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 1, files: ["secret": "right"])
        let statuses = try (0..<4).map { _ in try proxy.get(demand.url(of: peer)).status }
        #expect(statuses == [502, 502, 200, 200])
    }

    @Test("A-6b for a parent the origin's 401 is a confirmation")
    func originRefuses() throws {
        let demand = Demand(scheme: "Basic", status: 407)
        let parent = try ScriptedPeer { request in
            [request["Proxy-Authorization"] == nil ? demand.refusal : .unauthorized("Basic realm=\"o\"")]
        }
        let proxy = try RunningProxy(demand.rules(for: parent), workers: 1, files: ["secret": "right"])
        for _ in 0..<2 { #expect(try proxy.get(demand.url(of: parent)).status == 401) }
        #expect(parent.requests.map { $0["Proxy-Authorization"] != nil } == [false, true, true])
    }

    @Test("A-6b what was accepted ahead of any challenge counts for its own path only, never as a confirmed password")
    func unchallenged() throws {
        let origin = try ScriptedPeer { request in
            [request.target.hasPrefix("/open") ? .response() : .unauthorized("Basic realm=\"Staff\"")]
        }
        let proxy = try RunningProxy(
            """
            credentials: { staff: { username: user, password: { value: wrong } } }
            rules: [ { space: { host: 127.0.0.1, port: any, method: [basic] }, use: staff, preempt: always } ]
            """,
            workers: 2
        )
        for _ in 0..<3 { #expect(try proxy.get("\(origin.url)/open").status == 200) }
        // A confirmed one would have a scout at the second of these targets (A-7c).
        for path in ["/a/x", "/b/y", "/c/z"] { #expect(try proxy.get("\(origin.url)\(path)").status == 401) }
        let attempts = origin.requests.filter { $0["Authorization"] != nil && !$0.target.hasPrefix("/open") }
        #expect(attempts.map(\.target) == ["/a/x"])
    }

    /// A peer that takes what `isRight` says of the values that come, and where they are for.
    private func judging(
        _ demand: Demand,
        _ isRight: @escaping @Sendable (ScriptedPeer.Request) -> Bool
    ) throws -> ScriptedPeer {
        try ScriptedPeer { [field = demand.field] request in
            [request[field] != nil && isRight(request) ? .response(body: "in") : demand.refusal]
        }
    }

    /// A target of its own: for an origin a directory, for a parent an origin.
    private func url(_ demand: Demand, _ peer: ScriptedPeer, _ target: String) -> String {
        demand.isProxy ? "http://\(target).example/" : "\(peer.url)/\(target)/x"
    }

    private func statuses(
        _ proxy: RunningProxy,
        _ demand: Demand,
        _ peer: ScriptedPeer,
        _ targets: String...
    ) throws -> [Int] {
        try targets.map { try proxy.get(url(demand, peer, $0)).status }
    }

    /// Answers to challenges that came: a digest value that went ahead and was refused is none.
    private func answers(_ demand: Demand, _ peer: ScriptedPeer) -> Int {
        peer.requests.compactMap { $0[demand.field] }.count {
            demand.scheme == "Basic" || parameter("nc", of: $0) == "00000001"
        }
    }

    @Test(
        "A-7c a policy refusal of a confirmed credential costs one attempt and blocks that target alone",
        arguments: Demand.all
    )
    func policy(_ demand: Demand) throws {
        let peer = try judging(demand) { !$0.target.contains("blocked") }
        let refused = demand.isProxy ? 502 : 401
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 2, files: ["secret": "right"])
        #expect(try statuses(proxy, demand, peer, "a", "b") == [200, 200])
        #expect(
            try statuses(proxy, demand, peer, "blocked", "a", "blocked", "c", "blocked") == [
                refused, 200, refused, 200, refused,
            ]
        )
        let blocked = peer.requests.filter { $0.target.contains("blocked") && $0[demand.field] != nil }
        #expect(
            blocked.count { demand.scheme == "Basic" || parameter("nc", of: $0[demand.field] ?? "") == "00000001" } == 1
        )
        let told = try proxy.get(url(demand, peer, "blocked"))
        #expect(reason(of: told) == "credential.withheld")
        let listed = try Binary.run(["credentials", "--config", proxy.folder("countersign.yaml")])
        #expect(listed.output.contains("blocked"))
    }

    @Test("A-7c after a rejection one scout goes to another target, and the others wait for it", arguments: Demand.all)
    func scout(_ demand: Demand) throws {
        let (isBroken, gate) = (Locked(false), Gate())
        let peer = try ScriptedPeer { [field = demand.field] request in
            guard request[field] != nil else { return [demand.refusal] }
            guard isBroken.withLock({ $0 }) else { return [.response()] }
            return request.target.contains("blocked") ? [demand.refusal] : [.wait(gate), .response()]
        }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 2, files: ["secret": "right"])
        #expect(try statuses(proxy, demand, peer, "a", "b") == [200, 200])
        isBroken.withLock { $0 = true }
        _ = try proxy.get(url(demand, peer, "blocked"))
        peer.forget()
        let clients = try (0..<8).map { index in
            let client = try proxy.connect()
            try client.send(request("GET \(url(demand, peer, "t\(index)")) HTTP/1.1", ["Host: h"]))
            return client
        }
        try eventually("the scout") { demand.attempts(at: peer) >= 1 }
        pause(.milliseconds(400))
        #expect(demand.attempts(at: peer) == 1)
        gate.opens()
        for client in clients { #expect(try client.receive().status == 200) }
    }

    @Test("A-7c the scout of a password that stopped being right sends no Digest value ahead", arguments: [401, 407])
    func scoutStartsFromChallenge(_ status: Int) throws {
        let demand = Demand(scheme: "Digest", status: status)
        let isOver = Locked(false)
        let peer = try judging(demand) { _ in !isOver.withLock { $0 } }
        // On one loop, where each request finds what the one before learned.
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 1, files: ["secret": "right"])
        #expect(try statuses(proxy, demand, peer, "a", "b", "c", "a") == [200, 200, 200, 200])
        isOver.withLock { $0 = true }
        peer.forget()
        for target in ["a", "b", "c"] { _ = try proxy.get(url(demand, peer, target)) }
        // The value ahead that told the end of it, the answer after it, and the scout's answer.
        #expect(demand.attempts(at: peer) == 3)
    }

    @Test("A-7c a password that stops being right costs two attempts in all", arguments: Demand.all)
    func stopped(_ demand: Demand) throws {
        let isOver = Locked(false)
        let peer = try judging(demand) { _ in !isOver.withLock { $0 } }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 2, files: ["secret": "right"])
        #expect(try statuses(proxy, demand, peer, "a", "b", "c") == [200, 200, 200])
        isOver.withLock { $0 = true }
        peer.forget()
        let targets = ["a", "b", "c", "d", "e", "a"]
        for target in targets {
            #expect(try proxy.get(url(demand, peer, target)).status == (demand.isProxy ? 502 : 401))
        }
        #expect(answers(demand, peer) == 2)
        let statuses = try concurrently(16) { try proxy.get(url(demand, peer, "z\($0)")).status }
        #expect(statuses.allSatisfy { $0 == (demand.isProxy ? 502 : 401) })
        #expect(answers(demand, peer) == 2)
        // Nor is it tried at a server that never saw it.
        guard !demand.isProxy else { return }
        let another = try demand.refusingPeer()
        #expect(try proxy.get(demand.url(of: another)).status == 401)
        #expect(demand.attempts(at: another) == 0)
    }
}
