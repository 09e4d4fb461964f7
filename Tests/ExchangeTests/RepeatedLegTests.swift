import Authentication
import Bytes
import Crypto
import Exchange
import HTTP
import Rules
import Testing

/// What becomes of a connection that fails, and of a way that is not secure: events in, steps out.
@Suite struct RepeatedLegTests {
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

}

/// Drives one exchange with `h.test` under a rule for it.
struct Drive: ~Copyable {
    // What may throw stands before the first of them gets its value.
    var machine: ExchangeStateMachine
    private var head: RequestHead
    private var nonces: ConnectionNonces
    private let destination: Destination
    private let digest: MessageDigest

    init(_ request: String, cleartext: [AuthenticationMethod] = []) throws {
        let bytes = Array(request.utf8)
        var head = RequestHead()
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
        self.head = head
        machine = ExchangeStateMachine()
        nonces = ConnectionNonces()
        digest = MessageDigest()
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

    /// The ledger's file has the rejection.
    mutating func recorded() -> ExchangeStateMachine.Step { machine.rejectionRecorded(head) }

    /// The ledger lets the origin's credential go.
    mutating func go() -> ExchangeStateMachine.Step {
        machine.ledgerAnswered(.origin, .go(isSettled: true, isScout: false), version: 1)
    }

    /// The same request once more, in an exchange of its own.
    mutating func beginAgain() -> ExchangeStateMachine.Step {
        machine.reset()
        return begin()
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
            use: { _, _ in NonceUse(cnonce: Array("cnonce".utf8)) },
            into: &buffer
        )
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
}
