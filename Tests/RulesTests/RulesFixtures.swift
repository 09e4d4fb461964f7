import Authentication
import Bytes
import Crypto
import HTTP
import Rules
import Testing

/// A credential of a user by that name; its secret is never looked at here.
func credential(_ name: String, persistence: Credential.Persistence = .session) -> Credential {
    Credential(name: name, username: name, password: Secret("secret of \(name)"), persistence: persistence)
}

/// Everything of a rule but its place, to be numbered by `table`.
struct RuleDraft {
    var hosts = ["a.example"]
    var port = PortPattern.protocolDefault
    var scheme: Scheme?
    var isProxy = false
    var realm = RealmPattern.any
    var methods: [AuthenticationMethod]?
    var path: String?
    var disposition = Disposition.performDefaultHandling
    var clients: [String]?
    var preempt = Preemption.learned
    var cleartext: MethodSet = []
    var allowsCrossSite = false
    var clientCredential = ClientCredentialPolicy.keep
    var placeholder: String?

    init(_ disposition: Disposition) {
        self.disposition = disposition
    }

    /// A rule that uses the credential of that name.
    init(use name: String) {
        self.init(.useCredential(credential(name)))
    }

    func with(_ change: (inout RuleDraft) -> Void) -> RuleDraft {
        var copy = self
        change(&copy)
        return copy
    }

    func rule(_ index: Int) throws -> Rule {
        Rule(
            index: index,
            name: "rules[\(index)]",
            place: SourcePlace(file: "countersign.yaml", line: index + 10),
            space: ProtectionSpacePattern(
                hosts: try hosts.map { try HostPattern($0) },
                port: port,
                scheme: scheme,
                isProxy: isProxy,
                realm: realm,
                methods: methods,
                path: try path.map { try PathPattern($0) }
            ),
            disposition: disposition,
            clients: try clients?.map { try ClientPattern($0) },
            preempt: preempt,
            cleartext: cleartext,
            allowsCrossSite: allowsCrossSite,
            clientCredential: clientCredential,
            placeholder: placeholder.map { Array($0.utf8) }
        )
    }
}

func table(_ drafts: [RuleDraft], parents: [ParentProxy] = []) throws -> RuleTable {
    RuleTable(rules: try drafts.enumerated().map { try $1.rule($0) }, parents: parents)
}

/// One challenge, as the offer that it makes; the strengths are those of A-11.
enum Challenge: Int, CaseIterable {
    case negotiate = 7
    case bearer = 6
    case digestSHA512 = 5
    case digestSHA256 = 4
    case ntlm = 3
    case digestMD5 = 2
    case basic = 1

    var method: AuthenticationMethod {
        switch self {
        case .negotiate: .negotiate
        case .bearer: .bearer
        case .digestSHA512, .digestSHA256, .digestMD5: .digest
        case .ntlm: .ntlm
        case .basic: .basic
        }
    }
}

func offers(_ challenges: [Challenge], realm: String? = "R", origin: Origin, isProxy: Bool = false) -> [Offer] {
    challenges.enumerated().map { index, challenge in
        let bytes = realm.map { Array($0.utf8) }
        let space =
            isProxy
            ? ProtectionSpace(parent: origin, realm: bytes, method: challenge.method)
            : ProtectionSpace(origin: origin, realm: bytes, method: challenge.method)
        return Offer(index: index, space: space, strength: challenge.rawValue)
    }
}

extension Origin {
    static let a = Origin(scheme: .http, host: "a.example")
    static let parent = Origin(scheme: .http, host: "proxy.example", port: 3128)
}

extension RequestFacts {
    /// A GET of a local client over a way that counts as secure.
    static func get(_ change: (inout RequestFacts) -> Void = { _ in }) -> RequestFacts {
        var facts = RequestFacts(client: Client(address: .loopbackV4), method: .get, isSecure: true)
        change(&facts)
        return facts
    }
}

/// A decision in words: `answer 1 rules[0]`, `default`, `cancel rules[2]`; then `pass 0 rule.none`.
func words(_ decision: Decision) -> [String] {
    let steps = decision.steps.map { step in
        switch step {
        case .answer(let offer, let rule): "answer \(offer) \(rule.name)"
        case .performDefaultHandling(let rule): ["default", rule?.name].compactMap { $0 }.joined(separator: " ")
        case .cancel(let rule): ["cancel", rule?.name].compactMap { $0 }.joined(separator: " ")
        }
    }
    let passed = decision.passedOver.map {
        ["pass \($0.offer)", $0.reason.code, $0.rule?.name].compactMap { $0 }.joined(separator: " ")
    }
    return steps + passed
}

extension ServerConfiguration {
    static func of(
        rules: RuleTable = RuleTable(rules: []),
        routes: RouteTable = RouteTable([]),
        parents: [ParentProxy] = [],
        credentials: [Credential] = [],
        listeners: [ListenerConfiguration] = [.any],
        trust: TrustTable = TrustTable([]),
        interception: InterceptionConfiguration? = nil,
        access: [ClientPattern]? = nil,
        destinations: DestinationRules = DestinationRules(),
        dns: DNSConfiguration = DNSConfiguration()
    ) -> ServerConfiguration {
        ServerConfiguration(
            listeners: listeners,
            credentials: credentials,
            rules: rules,
            routes: routes,
            parents: parents,
            trust: trust,
            interception: interception,
            access: AccessConfiguration(clients: access, destinations: destinations),
            limits: LimitsConfiguration(),
            timeouts: TimeoutsConfiguration(),
            log: LogConfiguration(),
            dns: dns,
            http: HTTPConfiguration(),
            state: StateLocation(folder: nil, runtimeFolder: nil),
            spool: "/tmp",
            watched: []
        )
    }
}

extension Credential {
    /// A client certificate, whose parts are never looked at here.
    static func certificate(_ name: String) -> Credential {
        let parts = ClientCertificate.pem(certificate: [], privateKey: Secret("key of \(name)"), passphrase: nil)
        return Credential(name: name, kind: .clientCertificate(parts))
    }
}

extension InterceptionConfiguration {
    static func opening(_ hosts: [String], except: [String] = []) throws -> InterceptionConfiguration {
        InterceptionConfiguration(
            authority: Authority(certificatePath: "ca.pem", certificate: [], privateKey: Secret("key")),
            hosts: try hosts.map { try HostPattern($0) },
            except: try except.map { try HostPattern($0) },
            other: nil
        )
    }
}

extension ListenerConfiguration {
    static let any = ListenerConfiguration(address: .tcp(.loopbackV4, 3128), name: nil, clients: nil)
}
