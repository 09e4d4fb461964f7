package import Authentication

extension Credential {
    /// The method by which a rule with this list sends it without a challenge: the only one that it answers, or the first
    /// of the list, where that is bearer, negotiate with a ticket, or a basic that is written.
    package func methodWithoutChallenge(among listed: [AuthenticationMethod]?) -> AuthenticationMethod? {
        let answers = answers
        guard let first = listed?.first ?? (answers.count == 1 ? answers.first : nil), answers.contains(first) else {
            return nil
        }
        switch first {
        case .bearer: return first
        case .basic: return listed == nil ? nil : first
        // A login by password would ask for a ticket before it is known that one is wanted.
        case .negotiate: return answers == [.negotiate] ? first : nil
        case .digest, .ntlm, .clientCertificate: return nil
        }
    }

    /// When it is sent ahead unless a rule says otherwise.
    package func usualPreemption(namesRealm: Bool) -> Preemption {
        isHeader || answers == [.bearer] && !namesRealm ? .always : .learned
    }

    /// Whether it has nothing for a host that it doesn't know, so that a rule may use it for any.
    package var choosesByHost: Bool {
        switch deferred {
        case .helper, .netrc: true
        case .programs, .oauth2, nil: false
        }
    }
}
