import Exchange
import HTTP
import Testing

/// What becomes of an answer whose connection is the one that its challenge came on.
@Suite struct FurtherLegTests {
    private let lost = ExchangeError(.closedBeforeResponse, .upstream)

    private func challenge(_ nonce: String, length: Int = 0) -> String {
        "401 No\r\nWWW-Authenticate: Digest realm=\"r\", qop=\"auth\", nonce=\"\(nonce)\"\r\nContent-Length: \(length)"
    }

    private func drive(_ method: String) throws -> Drive {
        try Drive("\(method) http://h.test/a HTTP/1.1\r\nHost: h.test\r\nContent-Length: 0\r\n\r\n")
    }

    /// From the request to the answer that is to be sent.
    private func challenged(_ exchange: inout Drive, isReused: Bool = false) -> ExchangeStateMachine.Step {
        _ = exchange.connect(isReused: isReused)
        _ = exchange.send()
        #expect(exchange.receive(challenge("n1")) == .ask(.origin))
        return exchange.go()
    }

    private func lose(_ exchange: inout Drive, isUntouched: Bool = true) -> ExchangeStateMachine.Step {
        exchange.machine.connectionLost(isUntouched: isUntouched, isSent: true, error: lost)
    }

    @Test("H-6 an answer that its challenge's connection loses is sent once more on a fresh one, and only once")
    func repeated() throws {
        var exchange = try drive("GET")
        _ = exchange.begin()
        #expect(challenged(&exchange) == .send)
        _ = exchange.send()
        try #require(lose(&exchange) == .acquire(fresh: true))
        #expect(exchange.connect() == .send)
        _ = exchange.send()
        #expect(lose(&exchange) == .respond(lost.response))
    }

    @Test("H-6 so is one whose connection was kept by reading the challenge's body to its end")
    func repeatedBehindBody() throws {
        var exchange = try drive("GET")
        _ = exchange.begin()
        _ = exchange.connect()
        _ = exchange.send()
        #expect(exchange.receive(challenge("n1", length: 5)) == .ask(.origin))
        #expect(exchange.go() == .drain)
        #expect(exchange.machine.drained(isReusable: true) == .send)
        _ = exchange.send()
        try #require(lose(&exchange) == .acquire(fresh: true))
    }

    @Test("H-6 each leg has a repeat of its own")
    func repeatOfEach() throws {
        var exchange = try drive("GET")
        _ = exchange.begin()
        _ = exchange.connect(isReused: true)
        _ = exchange.send()
        try #require(lose(&exchange) == .acquire(fresh: true))
        #expect(challenged(&exchange) == .send)
        _ = exchange.send()
        try #require(lose(&exchange) == .acquire(fresh: true))
    }

    @Test("A-6 the refusal of an answer that was sent once more is a rejection")
    func refusedRepeat() throws {
        var exchange = try drive("GET")
        _ = exchange.begin()
        _ = challenged(&exchange)
        _ = exchange.send()
        try #require(lose(&exchange) == .acquire(fresh: true))
        _ = exchange.connect()
        _ = exchange.send()
        #expect(exchange.receive(challenge("n2")) == .record)
        guard case .relay(let form) = exchange.recorded() else {
            Issue.record("not told")
            return
        }
        #expect(form.told?.reason == "credential.rejected")
        #expect(exchange.machine.reports.map(\.verdict) == [.rejected])
        #expect(exchange.machine.attempts == 3)
    }

    @Test("H-6 where a challenge's connection ends, what may not be repeated goes on another from then on")
    func remembered() throws {
        var exchange = try drive("POST")
        _ = exchange.begin()
        #expect(challenged(&exchange) == .send)
        _ = exchange.send()
        #expect(lose(&exchange) == .respond(lost.response))
        _ = exchange.beginAgain()
        try #require(challenged(&exchange) == .acquire(fresh: true))
        #expect(exchange.connect() == .send)
    }

    @Test("H-6 an end within a response, or of a connection that carried no leg before, says nothing of that")
    func notRemembered() throws {
        var exchange = try drive("POST")
        _ = exchange.begin()
        _ = exchange.connect(isReused: true)
        _ = exchange.send()
        #expect(lose(&exchange) == .respond(lost.response))
        _ = exchange.beginAgain()
        #expect(challenged(&exchange) == .send)
        _ = exchange.send()
        #expect(lose(&exchange, isUntouched: false) == .respond(lost.response))
        _ = exchange.beginAgain()
        #expect(challenged(&exchange) == .send)
    }

    @Test("A-6b a connection that said what nobody asked for carries no answer: a fresh one does")
    func unusable() throws {
        var exchange = try drive("GET")
        _ = exchange.begin()
        #expect(challenged(&exchange) == .send)
        try #require(exchange.machine.connectionUnusable() == .acquire(fresh: true))
        #expect(exchange.connect() == .send)
        #expect(exchange.machine.attempts == 1)
        _ = exchange.send()
        // It was no repeat: a fresh connection that is lost costs the exchange.
        #expect(lose(&exchange) == .respond(lost.response))
    }

    @Test("S-2 who says something on each connection before it is asked is asked three times, and no more")
    func alwaysUnusable() throws {
        var exchange = try drive("GET")
        _ = exchange.begin()
        _ = exchange.connect()
        for _ in 0..<2 {
            try #require(exchange.machine.connectionUnusable() == .acquire(fresh: true))
            _ = exchange.connect()
        }
        let unasked = ExchangeError(.unaskedBytes, .upstream).response
        #expect(exchange.machine.connectionUnusable() == .respond(unasked))
    }
}
