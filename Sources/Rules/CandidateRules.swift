internal import Authentication
package import HTTP

/// The rules that are about one origin or parent, in file order, and what they say of a request to it.
package struct CandidateRules: Sendable {
    /// The origin, or the parent's own.
    package let origin: Origin
    /// Whether `origin` is a parent.
    package let isProxy: Bool
    /// The ports at which upgrades and fixed listeners reach the origin's host, where they go without saying.
    let usualPorts: [UInt16]
    /// In file order.
    package let rules: [Rule]
    /// Those whose credential adds fields, which are looked up apart, in file order.
    let headerRules: [Rule]
    /// Whether one of them names a path, so that ambiguous paths must be told apart.
    package let namesPath: Bool
    /// Whether one of them is for some clients only, so that what it opened isn't for others (S-4).
    package let namesClients: Bool

    /// The candidates for an origin, as `RuleTable.candidates` finds them.
    package init(origin: Origin, isProxy: Bool, usualPorts: [UInt16] = [], rules: [Rule], headerRules: [Rule] = []) {
        self.usualPorts = usualPorts
        self.origin = origin
        self.isProxy = isProxy
        self.rules = rules
        self.headerRules = headerRules
        addsFields = !headerRules.isEmpty
        namesPath = (rules + headerRules).contains { $0.space.path != nil }
        namesClients = rules.contains { $0.clients != nil }
    }

    /// Which of the rules admit this client, by their places in the file.
    package func places(for client: Client) -> [Int] { rules.filter { $0.admits(client) }.map(\.index) }

    /// Whether no rule is about it.
    package var isEmpty: Bool { rules.isEmpty }

    /// Whether some request gets fields.
    package let addsFields: Bool

    /// Whether a challenge might be answered for this client, so that the request must be kept (B-1).
    package func mightAnswer(_ client: Client) -> Bool {
        rules.contains { $0.credential != nil && $0.admits(client) }
    }

    /// Whether one of the rules says this very realm, so that it is no secret.
    package func nameRealm(_ realm: [UInt8]) -> Bool {
        rules.contains {
            guard case .oneOf(let realms) = $0.space.realm else { return false }
            return realms.contains(realm)
        }
    }

    /// The rule with this place in file order, if it is about this origin.
    package func rule(at index: Int) -> Rule? {
        rules.first { $0.index == index }
    }
}
