package import Authentication
internal import Bytes
internal import HTTP

/// What can be said of rules, routes and parents by looking at all of them together.
package enum RuleTableFindings {
    /// All findings, those of the rules first.
    ///
    /// `rules` are those of the file, without the parents' own; `credentials` are all that are written.
    package static func find(
        rules: [Rule],
        routes: [RoutePattern],
        parents: [ParentProxy],
        credentials: [Credential]
    ) -> [RuleTableFinding] {
        var findings = hiddenRules(rules)
        let reachesLoopback = routes.contains { $0.route.to?.address?.isLoopback == true }
        for rule in rules {
            findings += (rule.space.isProxy ? ofProxyRule(rule, parents) : ofOriginRule(rule, parents, reachesLoopback))
                .map { RuleTableFinding(subject: .rule(rule.index), kind: $0) }
        }
        findings += hiddenRoutes(routes)
        for parent in parents {
            let isSecure = IPAddress(parent.origin.host)?.isLoopback == true
            let isHeldBack = !isSecure && parent.rules(from: 0).contains { $0.isHeldBackWithoutTLS }
            if isHeldBack { findings.append(RuleTableFinding(subject: .parent(parent.name), kind: .heldBack)) }
        }
        return findings + unused(rules, routes, parents, credentials)
    }

    private static func hiddenRules(_ rules: [Rule]) -> [RuleTableFinding] {
        var earlier = HidingIndex()
        return rules.enumerated().compactMap { place, rule in
            defer { earlier.insert(place, hosts: rule.space.hosts) }
            let hiding = earlier.candidates(for: rule.space.hosts).first { rules[$0].hides(rule) }
            return hiding.map { RuleTableFinding(subject: .rule(rule.index), kind: .hidden(by: rules[$0].index)) }
        }
    }

    private static func hiddenRoutes(_ routes: [RoutePattern]) -> [RuleTableFinding] {
        var earlier = HidingIndex()
        return routes.enumerated().compactMap { place, route in
            let hosts = route.hosts ?? [HostPattern(form: .any)]
            defer { earlier.insert(place, hosts: hosts) }
            let hiding = earlier.candidates(for: hosts).first { routes[$0].hides(route) }
            return hiding.map { RuleTableFinding(subject: .route(place), kind: .hidden(by: $0)) }
        }
    }

    private static func ofProxyRule(_ rule: Rule, _ parents: [ParentProxy]) -> [RuleTableFinding.Kind] {
        let named = parents.filter { parent in
            let address = IPAddress(parent.origin.host)
            return rule.space.hosts.contains { $0.matches(host: parent.origin.host, address: address) }
        }
        if named.isEmpty { return [.noParent] }
        let reached = named.filter { rule.space.matchesSchemeAndPort(of: $0.origin) }
        if reached.isEmpty, case .number = rule.space.port { return [.parentPort(named.map(\.origin.port))] }
        let isSecure = reached.contains { IPAddress($0.origin.host)?.isLoopback == true }
        return rule.isHeldBackWithoutTLS && !isSecure ? [.heldBack] : []
    }

    private static func ofOriginRule(
        _ rule: Rule,
        _ parents: [ParentProxy],
        _ reachesLoopback: Bool
    ) -> [RuleTableFinding.Kind] {
        var kinds: [RuleTableFinding.Kind] = []
        if rule.space.scheme == .https {
            kinds.append(.tunnelled)
        } else if rule.isHeldBackWithoutTLS, !reachesLoopback, !rule.space.hosts.contains(where: \.mightBeLoopback) {
            kinds.append(.heldBack)
        }
        for (place, host) in rule.space.hosts.enumerated() {
            if rule.credential != nil, host.isTooWideForSecret { kinds.append(.tooWide(pattern: place)) }
            let parent = parents.first { parent in
                let address = IPAddress(parent.origin.host)
                guard host.isSingleHost, address?.isLoopback != true else { return false }
                if case .number(let port) = rule.space.port, port != parent.origin.port { return false }
                return host.matches(host: parent.origin.host, address: address)
            }
            if let parent { kinds.append(.parentHost(parent.name, pattern: place)) }
        }
        return kinds
    }

    private static func unused(
        _ rules: [Rule],
        _ routes: [RoutePattern],
        _ parents: [ParentProxy],
        _ credentials: [Credential]
    ) -> [RuleTableFinding] {
        let used = Set(rules.compactMap(\.credential?.name) + parents.flatMap(\.credentials).map(\.name))
        let taken = Set(
            routes.flatMap(\.route.via).compactMap { hop in
                if case .parent(let parent) = hop { parent.name } else { nil }
            })
        return credentials.filter { !used.contains($0.name) }
            .map { RuleTableFinding(subject: .credential($0.name), kind: .unused) }
            + parents.filter { !taken.contains($0.name) }
            .map { RuleTableFinding(subject: .parent($0.name), kind: .unused) }
    }
}
