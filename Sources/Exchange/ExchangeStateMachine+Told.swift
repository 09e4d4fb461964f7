internal import Authentication
internal import Rules

// What the log is told of an exchange.
extension ExchangeStateMachine {
    /// The name of the credential that answered, the origin's before the parent's, and of its rule.
    package var usedCredential: (credential: String, rule: String)? {
        for (side, isAnswered) in [(Side.origin, origin.isAnswered), (.parent, parent.isAnswered)] where isAnswered {
            guard let credential = credential(side) else { continue }
            return (credential.name, rule(side)?.name ?? "")
        }
        // Fields that were added are no answer, but they are a credential.
        if let rule = originFields.rule { return (originFields.credential?.name ?? "", rule.name) }
        if let rule = parentFields.rule { return (parentFields.credential?.name ?? "", rule.name) }
        return loggedIn
    }

    /// Whose challenges came last: the origin's before the parent's; nil where there were none.
    package var challenger: Side? {
        if !origin.challenges.isEmpty { return .origin }
        return parent.challenges.isEmpty ? nil : .parent
    }

    /// A credential answered, ahead of time or behind a challenge.
    package var isAnswered: Bool { origin.isAnswered || parent.isAnswered || loggedIn != nil }

    /// The protection space of the last challenge of this exchange: its server, and its realm where a rule names that.
    ///
    /// Any other realm may be an echo of a secret that was sent (S-5), now or in an earlier exchange.
    package var challengedSpace: String? {
        guard let destination else { return nil }
        if !origin.challenges.isEmpty {
            return destination.serverName + Self.namedRealm(in: origin.challenges, destination.candidates)
        }
        guard !parent.challenges.isEmpty else { return nil }
        return destination.hop.serverName + Self.namedRealm(in: parent.challenges, destination.hop.candidates)
    }

    private static func namedRealm(in challenges: [AuthenticationChallenge], _ candidates: CandidateRules) -> String {
        for challenge in challenges {
            guard let realm = challenge.realm, candidates.nameRealm(realm) else { continue }
            return " " + String(decoding: realm, as: UTF8.self)
        }
        return ""
    }
}
