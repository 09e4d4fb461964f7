internal import Authentication
internal import Bytes
package import HTTP

/// All rules in file order, those of the parents behind them, with an index by host.
package final class RuleTable: Sendable {
    /// In file order.
    package let rules: [Rule]
    private let index: HostIndex
    /// Those with a client certificate, which are looked up apart.
    private let certificateRules: [Rule]
    /// What a host is upgraded to, which is where a rule without a port looks for it.
    private let routes: RouteTable
    /// The origins of fixed listeners, whose ports a rule without a port means, too.
    private let fixed: [Origin]

    /// A table of the rule file's rules, the `index` of each being its place in the list, and of the parents' `use`.
    package init(
        rules: [Rule],
        parents: [ParentProxy] = [],
        routes: RouteTable = RouteTable([]),
        fixed: [Origin] = []
    ) {
        self.routes = routes
        self.fixed = fixed
        var all = rules
        for parent in parents {
            all += parent.rules(from: all.count)
        }
        var index = HostIndex()
        for (place, rule) in all.enumerated() {
            precondition(rule.index == place, "a rule's index is its place in file order")
            index.insert(place, hosts: rule.space.hosts)
        }
        self.rules = all
        self.index = index
        certificateRules = all.filter(\.isForClientCertificate)
    }

    /// The rules that are about an origin (or about a parent, which is then the origin given).
    ///
    /// Worth keeping for each origin: it holds for all requests, whatever their client and path.
    package func candidates(for origin: Origin, isProxy: Bool) -> CandidateRules {
        let entries = index.entries(host: origin.host, address: IPAddress(origin.host))
        let usualPorts = isProxy ? [] : usualPorts(of: origin)
        let matching = entries.map { self.rules[$0] }.filter {
            $0.space.isProxy == isProxy && !$0.isForClientCertificate
                && $0.space.matchesSchemeAndPort(of: origin, usualPorts: usualPorts)
        }
        return CandidateRules(
            origin: origin,
            isProxy: isProxy,
            usualPorts: usualPorts,
            rules: matching.filter { !$0.isForHeader },
            headerRules: matching.filter(\.isForHeader)
        )
    }

    /// Whether any rule may answer by NTLM or Negotiate, after which a connection belongs to a client (C-1).
    package var hasHandshakes: Bool {
        rules.contains { $0.methods.contains(.ntlm) || $0.methods.contains(.negotiate) }
    }

    /// The ports at which upgrades and fixed listeners reach an origin's host by its scheme; empty: the protocol's own.
    private func usualPorts(of origin: Origin) -> [UInt16] {
        let upgraded = origin.scheme == .https ? routes.upgradePorts(of: origin.host) : []
        return upgraded + fixed.filter { $0.scheme == origin.scheme && $0.host == origin.host }.map(\.port)
    }

    /// Whether any rule gives a client certificate.
    package var hasClientCertificates: Bool { !certificateRules.isEmpty }

    /// The first rule with a client certificate for a TLS connection to this origin or parent on behalf of the client
    /// (T-6).
    ///
    /// It goes together with whatever answers a challenge, so it is looked up apart from the rules for those.
    package func clientCertificateRule(for origin: Origin, isProxy: Bool, client: Client) -> Rule? {
        guard !certificateRules.isEmpty, origin.scheme == .https else { return nil }
        let address = IPAddress(origin.host)
        let usualPorts = isProxy ? [] : usualPorts(of: origin)
        return certificateRules.first { rule in
            rule.space.isProxy == isProxy && rule.space.matchesSchemeAndPort(of: origin, usualPorts: usualPorts)
                && rule.admits(client)
                && rule.space.hosts.contains { $0.matches(host: origin.host, address: address) }
        }
    }
}
