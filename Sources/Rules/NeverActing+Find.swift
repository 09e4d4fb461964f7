internal import Authentication
internal import Bytes
package import HTTP

extension NeverActing {
    /// Everything in a file that never acts, found by looking at all of it together: rules, then routes.
    ///
    /// `rules` are those of the file, without what the parents use.
    package static func find(
        rules: [Rule],
        routes: [RoutePattern],
        parents: [ParentProxy],
        interception: InterceptionConfiguration? = nil,
        fixed: [Origin] = []
    ) -> [NeverActing] {
        let reasons = rules.map { rule in
            rule.space.isProxy
                ? reason(ofProxyRule: rule, parents) : reason(ofOriginRule: rule, routes, interception, fixed)
        }
        let alone = rules.indices.compactMap { place in
            reasons[place].map { NeverActing(subject: .rule(place), place: rules[place].place, reason: $0) }
        }
        return hiddenRules(rules) + alone + hiddenRoutes(routes)
    }

    private static func hiddenRules(_ rules: [Rule]) -> [NeverActing] {
        var earlier = HidingIndex()
        return rules.indices.compactMap { place in
            let rule = rules[place]
            defer { earlier.insert(place, hosts: rule.space.hosts) }
            guard let hiding = earlier.candidates(for: rule.space.hosts).first(where: { rules[$0].hides(rule) })
            else { return nil }
            return NeverActing(subject: .rule(place), place: rule.place, reason: .hidden(by: rules[hiding].place))
        }
    }

    private static func hiddenRoutes(_ routes: [RoutePattern]) -> [NeverActing] {
        var earlier = HidingIndex()
        return routes.indices.compactMap { place in
            let hosts = routes[place].hosts ?? [HostPattern(form: .any)]
            defer { earlier.insert(place, hosts: hosts) }
            guard let hiding = earlier.candidates(for: hosts).first(where: { routes[$0].hides(routes[place]) })
            else { return nil }
            return NeverActing(
                subject: .route(place),
                place: routes[place].route.place,
                reason: .hidden(by: routes[hiding].route.place)
            )
        }
    }

    private static func reason(ofProxyRule rule: Rule, _ parents: [ParentProxy]) -> Reason? {
        let named = parents.filter { parent in
            let address = IPAddress(parent.origin.host)
            return rule.space.hosts.contains { $0.matches(host: parent.origin.host, address: address) }
        }
        if named.isEmpty { return .noParent }
        let reached = named.filter { rule.space.matchesSchemeAndPort(of: $0.origin) }
        if reached.isEmpty, case .number = rule.space.port { return .parentPort(named.map(\.origin.port)) }
        let isSecure = reached.contains(where: \.isReachedSecurely)
        guard let credential = rule.credential, rule.isHeldBackWithoutTLS, !isSecure else { return nil }
        return .heldBack(credential: credential.name, methods: rule.sends)
    }

    private static func reason(
        ofOriginRule rule: Rule,
        _ routes: [RoutePattern],
        _ interception: InterceptionConfiguration?,
        _ fixed: [Origin]
    ) -> Reason? {
        guard let credential = rule.credential else { return nil }
        let hosts = rule.space.hosts
        let meetsTLS = hosts.contains { host in
            interception?.mightOpen(host) == true || routes.contains { $0.mightUpgrade(host) }
                || fixed.contains { $0.scheme == .https && host.matches(host: $0.host, address: IPAddress($0.host)) }
        }
        // A client certificate is about https, whatever is written.
        if rule.space.scheme == .https || rule.isForClientCertificate { return meetsTLS ? nil : .tunnelled }
        let isFixedInTheClear = fixed.contains { origin in
            origin.scheme == .http && hosts.contains { $0.matches(host: origin.host, address: IPAddress(origin.host)) }
        }
        if rule.space.scheme == .http, !isFixedInTheClear, let route = upgrade(ofAll: hosts, routes) {
            return .upgraded(by: route)
        }
        guard rule.isHeldBackWithoutTLS, !meetsTLS || rule.space.scheme == .http else { return nil }
        let isSecure =
            hosts.contains(where: \.mightBeLoopback) || routes.contains { $0.route.to?.address?.isLoopback == true }
        return isSecure ? nil : .heldBack(credential: credential.name, methods: rule.sends)
    }

    /// Where the route stands that upgrades all requests to these hosts, if one does.
    private static func upgrade(ofAll hosts: [HostPattern], _ routes: [RoutePattern]) -> SourcePlace? {
        let deciding = hosts.map { host in routes.first { $0.meets(host) } }
        guard let first = deciding.first, let place = first?.route.place else { return nil }
        return zip(hosts, deciding).allSatisfy { $1?.upgradesAll(of: $0) == true } ? place : nil
    }
}

extension RoutePattern {
    /// Whether some host that the pattern matches takes this route.
    fileprivate func meets(_ pattern: HostPattern) -> Bool {
        hosts?.contains { $0.covers(pattern) || pattern.covers($0) } ?? true
    }

    /// Whether an http request to a host that the pattern matches may go over TLS by this route.
    package func mightUpgrade(_ pattern: HostPattern) -> Bool {
        route.upgrade != nil && scheme != .https && meets(pattern)
    }

    /// Whether each http request to any host that the pattern matches goes over TLS, where this route decides.
    fileprivate func upgradesAll(of pattern: HostPattern) -> Bool {
        guard route.upgrade != nil, scheme != .https, case .any = port else { return false }
        return hosts?.contains { $0.covers(pattern) } ?? true
    }
}
