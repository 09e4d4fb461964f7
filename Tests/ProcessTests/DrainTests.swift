import Glibc
import Support
import Testing

/// How a running proxy comes to its end.
@Suite struct DrainTests {
    /// An origin that keeps what asks for /held waiting at the gate.
    private func holding(_ gate: Gate) throws -> ScriptedPeer {
        try ScriptedPeer { [$0.target == "/held" ? .wait(gate) : .pause(.zero), .response(body: $0.target)] }
    }

    private func get(_ origin: ScriptedPeer, _ path: String) -> String {
        request("GET \(origin.url)\(path) HTTP/1.1", ["Host: h"])
    }

    /// A connection whose request the origin holds.
    private func held(_ proxy: RunningProxy, _ origin: ScriptedPeer) throws -> HTTPClient {
        let client = try proxy.connect()
        try client.send(get(origin, "/held"))
        try origin.waitForRequests(origin.requests.count + 1)
        return client
    }

    @Test("R-8 listening sockets stay open to the end of the drain, and who comes meanwhile is served")
    func staysOpen() throws {
        let gate = Gate()
        let origin = try holding(gate)
        let proxy = try RunningProxy("", workers: 2)
        let idle = try proxy.connect()
        #expect(try idle.exchange(get(origin, "/idle")).text == "/idle")
        let client = try held(proxy, origin)
        proxy.process.send(signal: SIGTERM)
        try eventually("the drain to begin") {
            let new = try proxy.connect()
            return try new.exchange(get(origin, "/new"))["Connection"] == "close"
        }
        for _ in 0..<10 {
            let new = try proxy.connect()
            let response = try new.exchange(get(origin, "/new"))
            #expect(response.text == "/new")
            #expect(response["Connection"] == "close")
            #expect(try new.waitForClose() == .endOfStream)
        }
        let last = try idle.exchange(get(origin, "/last"))
        #expect(last.text == "/last")
        #expect(last["Connection"] == "close")
        gate.opens()
        #expect(try client.receive().text == "/held")
        #expect(try proxy.process.waitForExit() == .status(0))
        #expect(throws: TestFailure.self) { try proxy.connect() }
    }

    @Test("R-8 the queues of listening sockets are emptied before they are closed")
    func emptied() throws {
        let gate = Gate()
        let origin = try holding(gate)
        // At the limit accepting rests, so that whoever comes stands in the queues until the drain is over.
        let proxy = try RunningProxy("limits: { connections: 1 }\ntimeouts: { drain: 2s }", workers: 2)
        let client = try held(proxy, origin)
        proxy.process.send(signal: SIGTERM)
        let waiting = try (0..<30).map { _ in try proxy.connect() }
        for new in waiting { try new.send(get(origin, "/new")) }
        #expect(try waiting[0].isSilent(for: .milliseconds(300)))
        for new in waiting {
            let response = try new.receive()
            #expect(response.text == "/new")
            #expect(response["Connection"] == "close")
        }
        #expect(throws: TestFailure.self) { try proxy.connect() }
        gate.opens()
        #expect(try client.receive().text == "/held")
        #expect(try proxy.process.waitForExit() == .status(0))
    }

    @Test("O-1 what does not end within `drain` and `drain_hard` is cut short")
    func cutShort() throws {
        let gate = Gate()
        let origin = try holding(gate)
        let proxy = try RunningProxy("timeouts: { drain: 0s, drain_hard: 500ms }", workers: 1)
        let client = try held(proxy, origin)
        proxy.process.send(signal: SIGTERM)
        _ = try client.waitForClose()
        #expect(try proxy.process.waitForExit() == .status(0))
        gate.opens()
    }

    @Test("O-1 idle connections don't hold up the end") func idle() throws {
        let origin = try holding(Gate())
        let proxy = try RunningProxy("", workers: 2)
        let clients = try (0..<4).map { _ in try proxy.connect() }
        for client in clients { #expect(try client.exchange(get(origin, "/")).status == 200) }
        proxy.process.send(signal: SIGTERM)
        #expect(try proxy.process.waitForExit(within: .seconds(5)) == .status(0))
        for client in clients { #expect(try client.waitForClose() == .endOfStream) }
    }
}
