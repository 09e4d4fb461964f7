internal import Authentication
internal import Bytes
internal import HTTP

extension NeverActing {
    /// Everything in a file that never acts, found by looking at all of it together: rules, then routes.
    ///
    /// `rules` are those of the file, without what the parents use.
    package static func find(rules: [Rule], routes: [RoutePattern], parents: [ParentProxy]) -> [NeverActing] {
        let reachesLoopback = routes.contains { $0.route.to?.address?.isLoopback == true }
        let reasons = rules.map { rule in
            rule.space.isProxy ? reason(ofProxyRule: rule, parents) : reason(ofOriginRule: rule, reachesLoopback)
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
        let isSecure = reached.contains { IPAddress($0.origin.host)?.isLoopback == true }
        guard let credential = rule.credential, rule.isHeldBackWithoutTLS, !isSecure else { return nil }
        return .heldBack(credential: credential.name)
    }

    private static func reason(ofOriginRule rule: Rule, _ reachesLoopback: Bool) -> Reason? {
        guard let credential = rule.credential else { return nil }
        if rule.space.scheme == .https { return .tunnelled }
        let isSecure = reachesLoopback || rule.space.hosts.contains(where: \.mightBeLoopback)
        return rule.isHeldBackWithoutTLS && !isSecure ? .heldBack(credential: credential.name) : nil
    }
}
