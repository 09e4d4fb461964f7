import Authentication
import Bytes
import Crypto
import Exchange
import HTTP
import Rules

/// What the exchange ended with, for the client.
enum Ending: Equatable {
    case relayed(UInt16, ResponseForm)
    case responded(LocalResponse)
    case tunnelled
    /// The tunnel is opened; its first request gets this response, if any.
    case served(LocalResponse?)
    /// The tunnel is neither opened nor joined.
    case hungUp
    /// Nobody was there any more.
    case abandoned
    /// The scripted responses were used up.
    case unfinished

    var status: UInt16? {
        switch self {
        case .relayed(let status, _): status
        case .responded(let response): response.status
        case .tunnelled, .served: 200
        case .hungUp, .abandoned, .unfinished: nil
        }
    }

    /// The reason code that is told.
    var reason: String? {
        switch self {
        case .relayed(_, let form): form.told?.reason
        case .responded(let response): response.reason
        case .served(let response): response?.reason
        case .tunnelled, .hungUp, .abandoned, .unfinished: nil
        }
    }
}

/// Carries out the steps of the machine without a socket: heads in, heads out.
struct ExchangeDrive: ~Copyable {
    var machine = ExchangeStateMachine()
    /// The heads that went upstream.
    private(set) var legs: [String] = []
    /// The verdicts that the ledger was told, such as `rejected staff`.
    private(set) var verdicts: [String] = []
    /// How many heads had gone when a rejection was to be recorded.
    private(set) var legsAtRejections: [Int] = []
    /// Names of credentials that the ledger withholds.
    var withheld: Set<String> = []
    /// Whether the ledger makes each exchange the scout.
    var isScout = false
    /// Whether another exchange is the scout.
    var isWaiting = false
    /// Behind which leg's request the client leaves.
    var leavesBehind: Int?
    /// Behind which legs' requests the connection ends without a byte.
    var losesBehind: Set<Int> = []
    /// Whether the body is kept for a further leg.
    var keepsBody = true
    /// Whether a refused response leaves its connection in step.
    var keepsConnection = true
    /// What was asked of mechanisms and of where secrets come from, and what they say to it.
    private(set) var questions: [String] = []
    var tokens: [TokenAnswer] = []
    var secrets: [SecretAnswer] = []
    /// The identities of connections that idle.
    var pool: [ConnectionIdentity] = []
    /// Whether the request's client is another one.
    var client = Client(address: .loopbackV4)
    /// Whether no connection idles that could be used again.
    var opensAnew = false
    /// The other ways to the destination, and why those tried before led nowhere.
    var furtherWays: [Destination] = []
    private(set) var ways: [String] = []
    /// What stands against each connection that is asked for, in their order.
    var connectErrors: [ExchangeError?] = []
    /// What a SOCKS5 proxy was asked, and its replies in their order.
    private(set) var asked: [String] = []
    var replies: [[UInt8]] = []
    private var response = ResponseHead()
    /// The status of the response in hand.
    private var status: UInt16 = 0
    private var nonces = ConnectionNonces()
    private var randomCount = 0
    private let digest = MessageDigest()
    private let destination: Destination
    /// What the client says first in a tunnel that is opened, and what becomes of it.
    var firstWords = FirstWords.hello
    var refusesOther = false
    var trustsOrigin = true

    var isUnattended: Bool { machine.isUnattended }
    var holdsLedgerPlace: Bool { machine.holdsLedgerPlace }

    init(_ destination: Destination) { self.destination = destination }

    /// One request through to its end, against these response heads in their order.
    mutating func exchange(_ request: String, _ responses: String...) -> Ending {
        exchange(request, responses)
    }

    mutating func exchange(_ request: String, _ responses: [String]) -> Ending {
        legs = []
        verdicts = []
        questions = []
        legsAtRejections = []
        machine.reset()
        var head = RequestHead()
        let bytes = Array((request + "\r\n\r\n").utf8)
        guard case .head = head.parse(bytes.span, limits: Limits()) else { return .unfinished }
        machine.isBodyKept = keepsBody
        var left = responses[...]
        var step = machine.begin(
            head,
            destination: destination,
            client: client,
            terms: ExchangeTerms(upgrades: false, mightBeAnswered: true),
            ledgerVersion: 1
        )
        // No exchange takes more steps than this: 24 requests of at most five steps each (A-18).
        for _ in 0..<200 {
            noteReports()
            switch step {
            case .ask(let side): step = word(side, head)
            case .obtain(let side): step = obtain(side, head)
            case .record:
                legsAtRejections.append(legs.count)
                step = machine.rejectionRecorded(head)
            case .collectBody: step = machine.bodyCollected(hash: Array("0123456789abcdef".utf8))
            case .acquire where !connectErrors.isEmpty && connectErrors[0] != nil:
                step = machine.failed(connectErrors.removeFirst() ?? ExchangeError(.unreachable, .upstream))
            case .acquire(let fresh):
                if !connectErrors.isEmpty { connectErrors.removeFirst() }
                if fresh { nonces = ConnectionNonces() }
                let pooled =
                    fresh ? nil : pool.firstIndex { Optional($0).fitness(for: machine.wantedIdentity) ?? 0 > 0 }
                let identity = pooled.map { pool.remove(at: $0) }
                let isFresh = fresh || opensAnew || machine.destination?.hop.socks != nil
                step = machine.connected(isReused: pooled != nil || !isFresh, identity: identity)
            case .negotiate(let request):
                asked.append("\(request)")
                let reply = replies.isEmpty ? [] : replies.removeFirst()
                let outcome = SOCKSNegotiation.read(reply.span, after: request)
                guard outcome != .needMore else { return .unfinished }
                step = machine.negotiated(outcome, head)
            case .reroute(let error): step = reroute(error, head)
            case .secure(.opened) where !trustsOrigin:
                step = machine.failed(ExchangeError(.closedBeforeResponse, .upstream))
            case .secure(let layer): step = machine.secured(layer)
            case .send: step = send(head)
            case .drain: step = machine.drained(isReusable: keepsConnection)
            case .wait, .sendBody, .relayInterim:
                if legs.count == leavesBehind {
                    leavesBehind = nil
                    step = machine.clientGone()
                    continue
                }
                if losesBehind.contains(legs.count) {
                    losesBehind.remove(legs.count)
                    let error = ExchangeError(.closedBeforeResponse, .upstream)
                    step = machine.connectionLost(isUntouched: true, isSent: true, error: error)
                    continue
                }
                guard let response = left.popFirst() else { return .unfinished }
                step = receive(response, head)
            case .relay(let form): return end(.relayed(status, form))
            case .respond(let response), .challengeClient(let response, _): return end(.responded(response))
            case .tunnel: return end(.tunnelled)
            case .open: step = machine.looked(firstWords, refusesOther: refusesOther)
            case .welcome: step = machine.welcomed()
            case .serve(let failure): return end(.served(failure))
            case .hangUp: return end(.hungUp)
            case .dismiss: return .unfinished
            case .abandon: return end(.abandoned)
            }
        }
        return .unfinished
    }

    /// Takes the next of the other ways, if there is one.
    private mutating func reroute(_ error: ExchangeError, _ head: borrowing RequestHead) -> ExchangeStateMachine.Step {
        ways.append(error.response.reason)
        return machine.rerouted(
            to: furtherWays.isEmpty ? nil : furtherWays.removeFirst(),
            after: error,
            head,
            terms: ExchangeTerms(upgrades: false, mightBeAnswered: true),
            ledgerVersion: 1
        )
    }

    /// Takes the next scripted answer of a mechanism or of where secrets come from.
    private mutating func obtain(_ side: Side, _ head: borrowing RequestHead) -> ExchangeStateMachine.Step {
        switch machine.wanted(side, head) {
        case .secret(let question):
            questions.append("secret \(question.credential.name)\(question.refused == nil ? "" : " anew")")
            guard !secrets.isEmpty else { return .wait }
            return machine.secretObtained(side, secrets.removeFirst(), head)
        case .token(let question):
            let input = question.input.map { String(decoding: $0, as: UTF8.self) } ?? "-"
            questions.append(
                "\(side) \(question.mechanism) \(question.host) \(input)\(question.isFinal ? " final" : "")"
            )
            guard !tokens.isEmpty else { return .wait }
            return machine.tokenObtained(side, tokens.removeFirst(), response, head)
        case nil:
            return .wait
        }
    }

    private mutating func end(_ ending: Ending) -> Ending {
        if machine.leavesConnectionClean, let identity = machine.identity { pool.append(identity) }
        noteReports()
        machine.ended()
        return ending
    }

    private mutating func noteReports() {
        for report in machine.reports {
            let word =
                switch report.verdict {
                case .confirmed: "confirmed"
                case .rejected: "rejected"
                case .none: "no verdict on"
                }
            verdicts.append("\(word) \(report.credential.name)")
        }
        machine.reports = []
    }

    private mutating func word(_ side: Side, _ head: borrowing RequestHead) -> ExchangeStateMachine.Step {
        if isWaiting { return machine.ledgerAnswered(side, .wait, version: 1) }
        guard let name = machine.question(side, head)?.credential.name, withheld.contains(name) else {
            return machine.ledgerAnswered(side, .go(isSettled: !isScout, isScout: isScout), version: 1)
        }
        let reason = LocalResponse(502, .httpRequestDenied, "credential.withheld", "It was refused before.")
        return machine.ledgerAnswered(side, .withheld(reason), version: 1)
    }

    private mutating func send(_ head: borrowing RequestHead) -> ExchangeStateMachine.Step {
        var buffer = ByteBuffer()
        randomCount += 1
        let cnonce = Array("c\(randomCount)".utf8)
        machine.appendLeg(
            head,
            pseudonym: "p",
            nonces: &nonces,
            digest: digest,
            use: { _, _ in NonceUse(cnonce: cnonce) },
            into: &buffer
        )
        legs.append(text(buffer.readable))
        return machine.legSent()
    }

    private mutating func receive(_ text: String, _ head: borrowing RequestHead) -> ExchangeStateMachine.Step {
        response = ResponseHead()
        let bytes = Array((text + "\r\n\r\n").utf8)
        if case .failed(let error) = response.parse(bytes.span, limits: Limits(), requestMethod: head.method) {
            return machine.responseMalformed(error)
        }
        let reading = ResponseReading(
            client: ClientTerms(version: .http11, keepsAlive: true),
            isRequestSent: true,
            keepsAlive: keepsConnection,
            bodyLength: response.bodyLength(for: head.method)
        )
        status = response.status
        return machine.responseHeadReceived(response, head, reading)
    }

    /// The value of a field of a leg; nil where it isn't there.
    func value(_ name: String, ofLeg leg: Int) -> String? {
        guard legs.indices.contains(leg) else { return nil }
        for line in legs[leg].split(separator: "\r\n") where line.hasPrefix("\(name): ") {
            return String(line.dropFirst(name.count + 2))
        }
        return nil
    }
}

private func text(_ bytes: Span<UInt8>) -> String {
    String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
}

extension Destination {
    /// An origin that is dialled directly at a loopback address, where every method counts as secure (A-14).
    static func direct(_ rules: [Rule]) -> Destination {
        let origin = Origin(scheme: .http, host: "a.example")
        let hop = Hop(
            key: "a",
            host: "a.example",
            port: 80,
            address: .loopbackV4,
            parent: nil,
            candidates: RuleTable(rules: []).candidates(for: origin, isProxy: true)
        )
        return Destination(
            origin: origin,
            isTunnel: false,
            route: .direct,
            hop: hop,
            candidates: RuleTable(rules: rules).candidates(for: origin, isProxy: false)
        )
    }

    /// An origin behind a parent at a loopback address, whose challenges `parentRules` answer.
    ///
    /// `place` is that of the parent among `hopCount` hops.
    static func behindParent(
        _ rules: [Rule],
        isTunnel: Bool = false,
        isOpened: Bool = false,
        place: Int = 0,
        of hopCount: Int = 1
    ) -> Destination {
        let origin = Origin(scheme: .http, host: "a.example", port: isTunnel ? 443 : 80)
        let parent = ParentProxy(
            name: "corp",
            place: SourcePlace(line: 1),
            origin: Origin(scheme: .http, host: "127.0.0.1", port: 3128)
        )
        let table = RuleTable(rules: rules)
        let hop = Hop(
            key: "p",
            host: "127.0.0.1",
            port: 3128,
            address: nil,
            parent: parent,
            candidates: table.candidates(for: parent.origin, isProxy: true)
        )
        let route = Route(via: [.parent(parent)], to: nil, index: 0, place: SourcePlace(line: 2))
        var terms = DestinationTerms()
        terms.place = place
        return Destination(
            origin: origin,
            isTunnel: isTunnel,
            isOpened: isOpened,
            route: route,
            hopCount: hopCount,
            terms: terms,
            hop: hop,
            candidates: table.candidates(for: origin, isProxy: false)
        )
    }
}

extension Destination {
    /// An origin that a SOCKS5 proxy connects to, at a loopback address unless another is given.
    static func bySOCKS(
        _ rules: [Rule],
        at host: String = "127.0.0.1",
        isTunnel: Bool = false,
        of hopCount: Int = 1
    ) -> Destination {
        let origin = Origin(scheme: .http, host: "a.example", port: isTunnel ? 443 : 80)
        let parent = ParentProxy(
            name: "socks",
            place: SourcePlace(line: 1),
            kind: .socks5,
            origin: Origin(scheme: .http, host: host, port: 1080)
        )
        let table = RuleTable(rules: rules)
        let hop = Hop(
            key: "s",
            host: host,
            port: 1080,
            address: nil,
            parent: nil,
            socks: SOCKSProxy(
                parent: parent,
                host: origin.host,
                port: origin.port,
                candidates: table.candidates(for: parent.origin, isProxy: true)
            ),
            candidates: CandidateRules(origin: origin, isProxy: true, rules: [])
        )
        return Destination(
            origin: origin,
            isTunnel: isTunnel,
            route: Route(via: [.parent(parent)], to: nil, index: 0, place: SourcePlace(line: 2)),
            hopCount: hopCount,
            hop: hop,
            candidates: table.candidates(for: origin, isProxy: false)
        )
    }
}

extension Rule {
    /// A rule for the origin, or with `isProxy` for the parent.
    static func of(
        _ index: Int,
        _ disposition: Disposition,
        isProxy: Bool = false,
        methods: [AuthenticationMethod]? = nil,
        realm: String? = nil,
        clientCredential: ClientCredentialPolicy = .keep,
        placeholder: String? = nil,
        cleartext: MethodSet = .all
    ) -> Rule {
        Rule(
            index: index,
            name: "rules[\(index)]",
            place: SourcePlace(line: index + 1),
            space: ProtectionSpacePattern(
                hosts: [HostPattern(form: .any)],
                port: .any,
                isProxy: isProxy,
                realm: realm.map { .oneOf([Array($0.utf8)]) } ?? .any,
                methods: methods
            ),
            disposition: disposition,
            cleartext: cleartext,
            clientCredential: clientCredential,
            placeholder: placeholder.map { Array($0.utf8) }
        )
    }
}

extension Disposition {
    /// A credential of that name, user `user`, password `pass`.
    static func use(_ name: String) -> Disposition {
        .useCredential(Credential(name: name, username: "user", password: Secret("pass")))
    }
}

/// `user:pass` [RFC 7617 section 2].
let basicValue = "Basic dXNlcjpwYXNz"
let get = "GET http://a.example/x/y HTTP/1.1\r\nHost: a.example"
let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0"

func unauthorized(_ challenges: String...) -> String { refusal("401 No\r\n", "WWW", challenges) }
func proxyRefusal(_ challenges: String...) -> String { refusal("407 No\r\n", "Proxy", challenges) }

private func refusal(_ status: String, _ prefix: String, _ challenges: [String]) -> String {
    "HTTP/1.1 \(status)" + challenges.map { "\(prefix)-Authenticate: \($0)\r\n" }.joined() + "Content-Length: 0"
}
