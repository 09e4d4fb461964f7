import Authentication
import Bytes
import Crypto
import Events
import Exchange
import HTTP
import Rules
import Support

@testable import Proxy

/// The lane for secrets with a ledger in memory, asked as exchanges ask it.
final class SecretLaneFixture: Sendable {
    let lane: SecretLane
    private let process: LedgerProcess
    private let server = Origin(scheme: .https, host: "api.example")

    init() throws {
        process = try LedgerProcess(folder: nil)
        let means = SecretMeans(
            connecting: ConnectingMeans(
                names: NameService(.system),
                contexts: TLSContexts(),
                ownAddresses: OwnAddresses(listeners: [], local: [])
            ),
            log: ProxyLog(LogConfiguration(), writer: nil)
        )
        lane = SecretLane(ledger: process.ledger, means: means)
    }

    deinit { lane.stop() }

    /// The rules that have these credentials.
    func policy(_ credentials: Credential..., trust: TrustTable = TrustTable([])) -> Policy {
        let configuration = ServerConfiguration(
            listeners: [],
            credentials: credentials,
            rules: RuleTable(rules: []),
            routes: RouteTable([]),
            parents: [],
            trust: trust,
            access: AccessConfiguration(),
            limits: LimitsConfiguration(),
            timeouts: TimeoutsConfiguration(),
            log: LogConfiguration(),
            http: HTTPConfiguration(),
            state: StateLocation(folder: nil, runtimeFolder: nil),
            spool: "/tmp",
            watched: []
        )
        let keys = process.ledger.register(credentials)
        return Policy(configuration, open: [], keys: keys, mint: nil, pseudonym: "test")
    }

    func question(_ credential: Credential, refused: Credential? = nil, host: String? = nil) -> SecretQuestion {
        let server = host.map { Origin(scheme: .https, host: $0) } ?? server
        return SecretQuestion(credential: credential, server: server, isProxy: false, refused: refused)
    }

    /// Asks as the first of an exchange's questions, then has it fetched; `nil` where no answer comes.
    func ask(_ question: SecretQuestion, _ policy: Policy) throws -> SecretAnswer {
        if let answer = lane.known(question, under: policy, now: LedgerProcess.now) { return answer }
        return try fetch(question, policy)
    }

    func fetch(_ question: SecretQuestion, _ policy: Policy) throws -> SecretAnswer {
        let answer = Locked<SecretAnswer?>(nil)
        lane.fetch(question, under: policy, now: LedgerProcess.now) { told in answer.withLock { $0 = told } }
        try eventually("an answer", within: .seconds(60)) { answer.withLock { $0 != nil } }
        return answer.withLock { $0 ?? .none }
    }

    func confirmed(_ credential: Credential, _ policy: Policy) {
        lane.confirmed(credential, by: server, isProxy: false, under: policy)
    }

    func rejected(_ credential: Credential, _ policy: Policy) {
        lane.rejected(credential, by: server, isProxy: false, under: policy, now: LedgerProcess.now)
    }
}

extension SecretAnswer {
    /// The token that was fetched, `-` for none, else the reason why there isn't any.
    var text: String {
        switch self {
        case .fetched(let credential): credential.text
        case .none: "-"
        case .failed(let response): response.reason
        }
    }

    var credential: Credential? {
        if case .fetched(let credential) = self { credential } else { nil }
    }

    /// What a client would be told.
    var explanation: String? {
        if case .failed(let response) = self { response.explanation } else { nil }
    }
}

extension Credential {
    /// The secret as text; a login as `name:password`.
    var text: String {
        switch kind {
        case .token(let token, _): Credential.text(token)
        case .password(let username, _, let password):
            "\(String(decoding: username, as: UTF8.self)):\(Credential.text(password))"
        default: "?"
        }
    }

    private static func text(_ secret: Secret) -> String {
        secret.withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
    }
}
