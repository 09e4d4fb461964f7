internal import Bytes
package import HTTP

/// All rules in file order, those of the parents behind them, with an index by host.
package final class RuleTable: Sendable {
    /// In file order.
    package let rules: [Rule]
    private let index: HostIndex

    /// A table of the rule file's rules, the `index` of each being its place in the list, and of the parents' `use`.
    package init(rules: [Rule], parents: [ParentProxy] = []) {
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
    }

    /// The rules that are about an origin (or about a parent, which is then the origin given).
    ///
    /// Worth keeping for each origin: it holds for all requests, whatever their client and path.
    package func candidates(for origin: Origin, isProxy: Bool) -> CandidateRules {
        let entries = index.entries(host: origin.host, address: IPAddress(origin.host))
        let matching = entries.lazy.map { self.rules[$0] }.filter {
            $0.space.isProxy == isProxy && $0.space.matchesSchemeAndPort(of: origin)
        }
        return CandidateRules(origin: origin, isProxy: isProxy, rules: Array(matching))
    }
}
