import Authentication
import Bytes
import Crypto
import Exchange
import HTTP
import Rules
import Testing

/// Whole exchanges without a socket: events in, steps out.
@Suite struct WholeExchangeTests {
    @Test("A-1 a 401 is answered on the same connection, and what it brought is passed on without its challenge")
    func basic() throws {
        var exchange = try Drive("GET http://h.test/a HTTP/1.1\r\nHost: h.test\r\n\r\n", cleartext: [.basic])
        #expect(exchange.begin() == .acquire(fresh: false))
        #expect(exchange.connect() == .send)
        #expect(exchange.send() == .wait)
        #expect(!exchange.leg.contains("authorization:"))
        #expect(exchange.receive("401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0") == .ask(.origin))
        #expect(exchange.ledger(.go(isSettled: false)) == .send)
        #expect(exchange.send() == .wait)
        #expect(exchange.leg.contains("authorization: basic "))
        guard case .relay(let form) = exchange.receive("200 OK\r\nContent-Length: 2") else {
            Issue.record("not passed on")
            return
        }
        #expect(form.isAnswered && form.isPrivate && form.framing == .fixed(2))
        #expect(exchange.machine.reports.map(\.verdict) == [.confirmed(.answer)])
        #expect(exchange.machine.attempts == 2)
    }

    @Test("A-6 a refused answer is a rejection and the client is told why")
    func rejected() throws {
        var exchange = try Drive("GET http://h.test/a HTTP/1.1\r\nHost: h.test\r\n\r\n", cleartext: [.basic])
        _ = exchange.begin()
        _ = exchange.connect()
        _ = exchange.send()
        _ = exchange.receive("401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0")
        _ = exchange.ledger(.go(isSettled: false))
        _ = exchange.send()
        guard
            case .relay(let form) = exchange.receive(
                "401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0"
            )
        else {
            Issue.record("not passed on")
            return
        }
        #expect(form.told?.reason == "credential.rejected")
        #expect(exchange.machine.reports.map(\.verdict) == [.rejected])
    }

    @Test("A-7 what the ledger withholds is not sent, and the client is told so")
    func withheld() throws {
        var exchange = try Drive("GET http://h.test/a HTTP/1.1\r\nHost: h.test\r\n\r\n", cleartext: [.basic])
        _ = exchange.begin()
        _ = exchange.connect()
        _ = exchange.send()
        _ = exchange.receive("401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0")
        let reason = LocalResponse(502, nil, "credential.withheld", "no")
        guard case .relay(let form) = exchange.ledger(.withheld(reason)) else {
            Issue.record("not passed on")
            return
        }
        #expect(form.told?.reason == "credential.withheld")
        #expect(exchange.machine.attempts == 1)
    }

    @Test("A-14 Basic is not sent without TLS unless the rule says so")
    func cleartext() throws {
        var exchange = try Drive("GET http://h.test/a HTTP/1.1\r\nHost: h.test\r\n\r\n")
        _ = exchange.begin()
        _ = exchange.connect()
        _ = exchange.send()
        guard
            case .relay(let form) = exchange.receive(
                "401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0"
            )
        else {
            Issue.record("not passed on")
            return
        }
        #expect(form.told?.reason == "cleartext.refused")
    }

    @Test("A-5 a stale nonce is answered three times without asking the ledger again, then told")
    func stale() throws {
        var exchange = try Drive("GET http://h.test/a HTTP/1.1\r\nHost: h.test\r\n\r\n")
        _ = exchange.begin()
        _ = exchange.connect()
        _ = exchange.send()
        let challenge = "401 No\r\nContent-Length: 0\r\nWWW-Authenticate: Digest realm=\"r\", qop=\"auth\", nonce="
        #expect(exchange.receive(challenge + "\"n0\"") == .ask(.origin))
        #expect(exchange.ledger(.go(isSettled: false)) == .send)
        for round in 1...3 {
            #expect(exchange.send() == .wait)
            #expect(exchange.leg.contains("nonce=\"n\(round - 1)\""))
            #expect(exchange.receive(challenge + "\"n\(round)\", stale=true") == .send)
        }
        #expect(exchange.send() == .wait)
        guard case .relay(let form) = exchange.receive(challenge + "\"n4\", stale=true") else {
            Issue.record("not passed on")
            return
        }
        #expect(form.told?.reason == "digest.stale")
        #expect(!exchange.machine.reports.contains { $0.verdict == .rejected })
    }

    @Test("H-6 a reused connection that ends before a byte of response is replaced once, and only once")
    func repeated() throws {
        var exchange = try Drive("GET http://h.test/a HTTP/1.1\r\nHost: h.test\r\n\r\n")
        _ = exchange.begin()
        _ = exchange.connect(isReused: true)
        _ = exchange.send()
        let error = ExchangeError(.closedBeforeResponse, .upstream)
        #expect(exchange.machine.connectionLost(isUntouched: true, isSent: true, error: error) == .acquire(fresh: true))
        _ = exchange.connect(isReused: true)
        _ = exchange.send()
        #expect(
            exchange.machine.connectionLost(isUntouched: true, isSent: true, error: error) == .respond(error.response)
        )
    }

    @Test("H-6 a request that may not be repeated is not")
    func unrepeatable() throws {
        var exchange = try Drive("POST http://h.test/a HTTP/1.1\r\nHost: h.test\r\nContent-Length: 0\r\n\r\n")
        _ = exchange.begin()
        _ = exchange.connect(isReused: true)
        _ = exchange.send()
        let error = ExchangeError(.closedBeforeResponse, .upstream)
        #expect(
            exchange.machine.connectionLost(isUntouched: true, isSent: true, error: error) == .respond(error.response)
        )
    }

    @Test("A-26 TRACE never carries a credential")
    func trace() throws {
        var exchange = try Drive("TRACE http://h.test/a HTTP/1.1\r\nHost: h.test\r\n\r\n", cleartext: [.basic])
        _ = exchange.begin()
        _ = exchange.connect()
        _ = exchange.send()
        guard
            case .relay(let form) = exchange.receive(
                "401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0"
            )
        else {
            Issue.record("not passed on")
            return
        }
        #expect(form.told?.reason == "trace.refused")
    }

    @Test("A-13 the client's own Authorization goes on, and no value of ours takes its place")
    func ownAuthorization() throws {
        var exchange = try Drive(
            "GET http://h.test/a HTTP/1.1\r\nHost: h.test\r\nAuthorization: Basic eDp5\r\n\r\n",
            cleartext: [.basic]
        )
        _ = exchange.begin()
        _ = exchange.connect()
        _ = exchange.send()
        #expect(exchange.leg.contains("authorization: basic edp5"))
        guard
            case .relay(let form) = exchange.receive(
                "401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0"
            )
        else {
            Issue.record("not passed on")
            return
        }
        #expect(form.told?.reason == "client-credential.kept")
    }
}

/// Drives one exchange with `h.test` under a rule for it.
struct Drive: ~Copyable {
    var machine = ExchangeStateMachine()
    private var head = RequestHead()
    private var nonces = ConnectionNonces()
    private let destination: Destination
    private let digest = MessageDigest()
    /// The last leg's head, in lower case.
    private(set) var leg = ""

    init(_ request: String, cleartext: [AuthenticationMethod] = []) throws {
        let bytes = Array(request.utf8)
        guard case .head = head.parse(bytes.span, limits: Limits()) else { throw DriveError.notARequest }
        let origin = Origin(scheme: .http, host: "h.test", port: nil)
        let credential = Credential(
            name: "login",
            kind: .password(username: Array("user".utf8), domain: nil, password: Secret("passwd"))
        )
        let rule = Rule(
            index: 0,
            name: "rules[0]",
            place: SourcePlace(line: 1),
            space: ProtectionSpacePattern(hosts: [try HostPattern("h.test")], port: .any),
            disposition: .useCredential(credential),
            cleartext: MethodSet(cleartext)
        )
        let hop = Hop(
            key: "h",
            host: "h.test",
            port: 80,
            address: nil,
            parent: nil,
            candidates: CandidateRules(origin: origin, isProxy: true, rules: [])
        )
        destination = Destination(
            origin: origin,
            isTunnel: false,
            route: .direct,
            hop: hop,
            candidates: CandidateRules(origin: origin, isProxy: false, rules: [rule])
        )
    }

    enum DriveError: Error { case notARequest }

    mutating func begin() -> ExchangeStateMachine.Step {
        machine.begin(
            head,
            destination: destination,
            client: Client(address: .loopbackV4),
            terms: ExchangeTerms(upgrades: false, mightBeAnswered: true),
            ledgerVersion: 1
        )
    }

    mutating func connect(isReused: Bool = false) -> ExchangeStateMachine.Step {
        machine.connected(isReused: isReused)
    }

    mutating func send() -> ExchangeStateMachine.Step {
        var buffer = ByteBuffer()
        machine.appendLeg(
            head,
            pseudonym: "test",
            nonces: &nonces,
            digest: digest,
            random: { Array("cnonce".utf8) },
            into: &buffer
        )
        let readable = buffer.readable
        var bytes: [UInt8] = []
        for index in 0..<readable.count { bytes.append(readable[index]) }
        leg = String(decoding: bytes, as: UTF8.self).lowercased()
        return machine.legSent()
    }

    mutating func receive(_ text: String) -> ExchangeStateMachine.Step {
        var response = ResponseHead()
        let bytes = Array("HTTP/1.1 \(text)\r\n\r\n".utf8)
        _ = response.parse(bytes.span, limits: Limits(), requestMethod: head.method)
        let reading = ResponseReading(
            client: ClientTerms(version: .http11, keepsAlive: true),
            isRequestSent: true,
            keepsAlive: response.fields.keepsConnection(response.version),
            bodyLength: response.bodyLength(for: head.method)
        )
        return machine.responseHeadReceived(response, head, reading)
    }

    mutating func ledger(_ word: LedgerWord) -> ExchangeStateMachine.Step {
        machine.ledgerAnswered(.origin, word, version: 1)
    }
}
