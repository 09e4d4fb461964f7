package import Authentication
internal import Bytes
package import HTTP

/// What the rule file means for one request, found by the same look-ups and the same `decide` as the running proxy's (O-5).
package struct Explanation: Sendable {
    /// The request that is asked about.
    package struct Question: Sendable {
        /// What the client asks for.
        package var origin: Origin
        /// The path with its query, as it is sent; empty for a CONNECT.
        package var path: [UInt8]
        /// The client's method.
        package var method: HTTPMethod
        /// Who asks.
        package var client: Client
        /// A 401's challenges, if there is one.
        package var challenges: [AuthenticationChallenge]
        /// The challenges of the parent's 407, if there is one.
        package var proxyChallenges: [AuthenticationChallenge]
        /// When it is asked, in seconds of Unix time: pins may have expired by then.
        package var now: Int64

        /// A question; without a client it is one of this machine.
        package init(
            origin: Origin,
            path: [UInt8],
            method: HTTPMethod = .get,
            client: Client = Client(address: .loopbackV4),
            challenges: [AuthenticationChallenge] = [],
            proxyChallenges: [AuthenticationChallenge] = [],
            now: Int64 = 0
        ) {
            self.now = now
            self.origin = origin
            self.path = path
            self.method = method
            self.client = client
            self.challenges = challenges
            self.proxyChallenges = proxyChallenges
        }

        /// Whether the client sends a CONNECT for it, as clients do for https.
        package var asksForTunnel: Bool { origin.scheme == .https || method == .connect }
    }

    /// Why a rule isn't about the request.
    package enum Mismatch: Hashable, Sendable {
        /// It is about parents, and an origin asks; or the other way round.
        case server
        case host, port, scheme, client, path
        /// It names a path, and the target's is ambiguous.
        case ambiguousPath
    }

    /// A rule that is about the request.
    package struct Applying: Sendable {
        /// The rule.
        package let rule: Rule
        /// What is left to it behind the rules before it that are for any realm; empty: it never decides here.
        package let methods: MethodSet
        /// Why it answers a method all the same not; methods that it answers aren't listed.
        package let objections: [AuthenticationMethod: PassReason]
    }

    /// What the rules say of one server of the request: the origin, or the parent on the way.
    package struct Side: Sendable {
        /// The origin, or the parent's own.
        package let server: Origin
        /// Whether it is a parent that speaks SOCKS5.
        let isSOCKS: Bool
        /// The candidates of the server.
        package let candidates: CandidateRules
        /// The request as they see it.
        package let facts: RequestFacts
        /// The rules that are about the request, in file order.
        package let applying: [Applying]
        /// The others of the file, in file order.
        package let others: [(rule: Rule, mismatch: Mismatch)]
        /// The rule whose credential goes with the first request.
        package let ahead: Rule?
        /// The fields that the request gets.
        package let fields: FieldsVerdict
        /// The challenges that were asked about.
        package let challenges: [AuthenticationChallenge]
        /// Those of them that the rules are asked about.
        package let offers: [Offer]
        /// What would be done; nil: no challenge was asked about.
        package let decision: Decision?
    }

    /// What was asked.
    package let question: Question
    /// The listener that takes the request: one that is fixed to the origin, else the first that the client may use; nil:
    /// none.
    package let listener: ListenerConfiguration?
    /// Who logs in there.
    let login: LoginRequirement
    /// Which destinations may be reached.
    let access: AccessConfiguration
    /// How names are looked up.
    let dns: DNSConfiguration
    /// Whether the client sends a CONNECT, or bytes of TLS as if it had.
    let asksForTunnel: Bool
    /// How the origin is reached.
    package let route: Route
    /// What is dialled at the end of the route: what spaces and trust are about, after `upgrade`.
    package let dialled: Origin
    /// Whose TLS is opened, if the rule file has any; nil: nobody's.
    let interception: InterceptionConfiguration?
    /// What must hold of the origin, and of a parent that speaks TLS.
    let security: [Security]
    /// Whether the client's CONNECT is joined through, and nobody sees what is inside.
    package let isTunnelled: Bool
    /// The origin's side; nil in a tunnel.
    package let origin: Side?
    /// The side of the route's first parent; nil: it goes directly.
    package let parent: Side?
    /// The rules and routes of the file that never act, whatever is asked.
    package let neverActing: [NeverActing]

    /// Looks everything up that concerns the question.
    package init(_ question: Question, in configuration: ServerConfiguration) {
        self.question = question
        let listener = Self.listener(for: question, in: configuration)
        self.listener = listener
        login = listener?.require ?? configuration.access.require
        access = configuration.access
        dns = configuration.dns
        let ofParents = configuration.parents.reduce(0) { $0 + $1.credentials.count }
        neverActing = NeverActing.find(
            rules: Array(configuration.rules.rules.dropLast(ofParents)),
            routes: configuration.routes.routes,
            parents: configuration.parents,
            interception: configuration.interception,
            fixed: configuration.fixedOrigins
        )
        let route = configuration.routes.route(for: question.origin)
        self.route = route
        interception = configuration.interception
        let asksForTunnel = question.asksForTunnel && listener?.fixedOrigin == nil
        self.asksForTunnel = asksForTunnel
        isTunnelled = asksForTunnel && configuration.interception?.opens(host: question.origin.host) != true
        let parentProxy: ParentProxy? =
            if case .parent(let parent)? = route.hops(to: question.origin).first { parent } else { nil }
        let upgrade = asksForTunnel ? question.origin.port : route.upgrade
        let dialled = upgrade.map { Origin(scheme: .https, host: question.origin.host, port: $0) } ?? question.origin
        self.dialled = dialled
        var client = question.client
        client.listener = client.listener ?? listener?.name
        let reached = route.to?.address ?? IPAddress(question.origin.host)
        // Within a tunnel the client itself judges the origin, but the policy says whether there may be one (T-12).
        security = [
            Security(dialled, isProxy: false, client, configuration),
            parentProxy.flatMap { Security($0.origin, isProxy: true, client, configuration) },
        ].compactMap(\.self)
        origin =
            isTunnelled
            ? nil
            : Side(
                dialled,
                isProxy: false,
                client,
                question,
                question.challenges,
                configuration.rules,
                isSecure: dialled.scheme == .https || parentProxy == nil && reached?.isLoopback == true
            )
        let isTunnel = dialled.scheme == .https || asksForTunnel
        parent = parentProxy.map { Side(of: $0, client, question, configuration.rules, isTunnel: isTunnel) }
    }

    private static func listener(
        for question: Question,
        in configuration: ServerConfiguration
    ) -> ListenerConfiguration? {
        let usable = configuration.listeners.filter { listener in
            var client = question.client
            client.listener = listener.name
            return configuration.admits(client, by: listener)
        }
        return usable.first { $0.fixedOrigin == question.origin } ?? usable.first { $0.takes(question) }
    }
}

extension ListenerConfiguration {
    /// Whether what is asked about may come by this listener.
    fileprivate func takes(_ question: Explanation.Question) -> Bool {
        switch mode {
        case .forward, .transparent, .socks5: true
        case .fixed(let fixed): fixed.origin == question.origin
        case .tunnel(let target): target == question.origin
        }
    }
}

extension Explanation.Side {
    /// The side of a parent; `isTunnel` where it is asked for a tunnel.
    package init(
        of parent: ParentProxy,
        _ client: Client,
        _ question: Explanation.Question,
        _ table: RuleTable,
        isTunnel: Bool
    ) {
        self.init(
            parent.origin,
            isProxy: true,
            client,
            question,
            question.proxyChallenges,
            table,
            isSecure: parent.isReachedSecurely,
            isTunnel: isTunnel,
            isSOCKS: parent.kind == .socks5
        )
    }

    fileprivate init(
        _ server: Origin,
        isProxy: Bool,
        _ client: Client,
        _ question: Explanation.Question,
        _ challenges: [AuthenticationChallenge],
        _ table: RuleTable,
        isSecure: Bool,
        isTunnel: Bool = false,
        isSOCKS: Bool = false
    ) {
        let path = isTunnel || isSOCKS ? [] : question.path
        let method = isTunnel || isSOCKS ? .connect : question.method
        self.isSOCKS = isSOCKS
        let facts = RequestFacts(client: client, method: method, isSecure: isSecure)
        let candidates = table.candidates(for: server, isProxy: isProxy)
        self.server = server
        self.candidates = candidates
        self.facts = facts
        let about = Self.rules(of: table, about: candidates, facts, path)
        applying = about.applying
        others = about.others
        self.challenges = challenges
        ahead = candidates.preemptive(request: facts, path: path.span)
        fields = candidates.fields(request: facts, path: path.span)
        offers = Offer.all(in: challenges, from: server, isProxy: isProxy)
        decision = challenges.isEmpty ? nil : candidates.decide(offers: offers, request: facts, path: path.span)
    }

    private static func rules(
        of table: RuleTable,
        about candidates: CandidateRules,
        _ facts: RequestFacts,
        _ path: [UInt8]
    ) -> (applying: [Explanation.Applying], others: [(rule: Rule, mismatch: Explanation.Mismatch)]) {
        let isAmbiguous = candidates.isAmbiguous(path.span)
        var applying: [Explanation.Applying] = []
        var others: [(rule: Rule, mismatch: Explanation.Mismatch)] = []
        var left = MethodSet.all
        for rule in table.rules {
            if let mismatch = rule.mismatch(candidates, facts.client, path, isAmbiguous) {
                others.append((rule, mismatch))
                continue
            }
            var objections: [AuthenticationMethod: PassReason] = [:]
            for method in AuthenticationMethod.allCases where rule.credential != nil && rule.methods.contains(method) {
                objections[method] = candidates.objection(to: rule, method: method, request: facts)
            }
            let own = rule.methods.intersection(left)
            applying.append(Explanation.Applying(rule: rule, methods: own, objections: objections))
            if rule.space.realm == .any { left.subtract(rule.methods) }
        }
        return (applying, others)
    }
}

extension Rule {
    /// Why the rule isn't about a request to a server, or nil if it is; the realm and method of a challenge come after.
    fileprivate func mismatch(
        _ candidates: CandidateRules,
        _ client: Client,
        _ path: [UInt8],
        _ isAmbiguous: Bool
    ) -> Explanation.Mismatch? {
        let server = candidates.origin
        guard space.isProxy == candidates.isProxy else { return .server }
        let address = IPAddress(server.host)
        guard space.hosts.contains(where: { $0.matches(host: server.host, address: address) }) else { return .host }
        if let scheme = space.scheme, scheme != server.scheme { return .scheme }
        guard space.matchesSchemeAndPort(of: server, usualPorts: candidates.usualPorts) else { return .port }
        guard admits(client) else { return .client }
        guard let pattern = space.path else { return nil }
        if isAmbiguous { return .ambiguousPath }
        return pattern.matches(path.span) ? nil : .path
    }
}
