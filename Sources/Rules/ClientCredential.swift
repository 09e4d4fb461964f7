package import Authentication
internal import Bytes

/// What becomes of the Authorization that a request brings itself.
package enum ClientCredentialVerdict: Sendable {
    /// It goes on, and no value of a rule takes its place but in answer to a challenge for a rule that says `replace`.
    case keep
    /// It is dropped, and the rule's credential stands in for it; where `sendsAhead`, in the same request already.
    case replace(rule: Rule, sendsAhead: Bool)
    /// The request is refused with 403.
    case refuse(rule: Rule)
}

extension CandidateRules {
    /// Judges the Authorization of a request by its own bytes and the rules that are about the request.
    ///
    /// A placeholder counts for whichever rule knows it. Of the policies the first rule's decides; one that names a realm
    /// can only refuse, since no realm is known before a challenge. `path` is the path that is sent; one that
    /// `refusesAmbiguous` refuses never comes here. A login in the target is judged as the Basic value that it stands for.
    package func clientCredential(
        _ value: Span<UInt8>,
        request: RequestFacts,
        path: Span<UInt8>
    ) -> ClientCredentialVerdict {
        let isAmbiguous = isAmbiguous(path)
        if let rule = ruleOfPlaceholder(in: value, request, path, isAmbiguous) {
            return .replace(rule: rule, sendsAhead: giveWay(value, to: rule, request, path, isAmbiguous))
        }
        for rule in rules {
            guard rule.admits(request.client), rule.credential != nil || rule.clientCredential != .keep else {
                continue
            }
            if let pattern = rule.space.path {
                guard !isAmbiguous, pattern.matches(path) else { continue }
            }
            switch rule.clientCredential {
            case .refuse: return .refuse(rule: rule)
            case .keep where rule.space.realm == .any: return .keep
            case .replace where rule.space.realm == .any:
                return .replace(rule: rule, sendsAhead: giveWay(value, to: rule, request, path, isAmbiguous))
            case .keep, .replace: continue
            }
        }
        return .keep
    }

    /// Whether a request is refused with 403 for its path alone: a rule for a path says `refuse`, and nobody knows whether
    /// the request's is that path; allocates nothing.
    package func refusesAmbiguous(_ path: Span<UInt8>, of client: Client) -> Bool {
        guard isAmbiguous(path) else { return false }
        let isRefusing = { (rule: Rule) in
            rule.space.path != nil && rule.clientCredential == .refuse && rule.admits(client)
        }
        return rules.contains(where: isRefusing) || headerRules.contains(where: isRefusing)
    }

    /// Some rule lets no credential of this client's own through.
    package func refusesClientCredentials(of client: Client) -> Bool {
        rules.contains { $0.clientCredential == .refuse && $0.admits(client) }
    }

    private func ruleOfPlaceholder(
        in value: Span<UInt8>,
        _ request: RequestFacts,
        _ path: Span<UInt8>,
        _ isAmbiguous: Bool
    ) -> Rule? {
        for rule in rules {
            guard let placeholder = rule.placeholder, rule.admits(request.client) else { continue }
            if let pattern = rule.space.path {
                guard !isAmbiguous, pattern.matches(path) else { continue }
            }
            if ClientAuthorization.carries(placeholder, in: value) { return rule }
        }
        return nil
    }

    /// Whether the client's Basic value gives way to the rule's in the same request: if a Basic challenge of any realm
    /// would fall to the rule, and nothing speaks against its use.
    private func giveWay(
        _ value: Span<UInt8>,
        to rule: Rule,
        _ request: RequestFacts,
        _ path: Span<UInt8>,
        _ isAmbiguous: Bool
    ) -> Bool {
        guard ClientAuthorization.isBasic(value), rule.credential != nil, rule.preempt != .never else { return false }
        let first = rules.first { other in
            guard other.methods.contains(.basic), other.admits(request.client) else { return false }
            guard let pattern = other.space.path else { return true }
            return isAmbiguous ? other.credential == nil : pattern.matches(path)
        }
        guard first === rule, rule.space.realm == .any else { return false }
        var replaced = request
        replaced.bringsAuthorization = false
        return objection(to: rule, method: .basic, request: replaced) == nil
    }
}

/// Reads the value of a client's Authorization as far as the rules ask.
package enum ClientAuthorization {
    /// The method that it is a value of.
    package static func method(_ value: Span<UInt8>) -> AuthenticationMethod? {
        let end = ASCII.firstIndex(of: UInt8(ascii: " "), in: value) ?? value.count
        return AuthenticationMethod(schemeName: value.extracting(0..<end))
    }

    /// Whether the scheme is Basic, with something behind it.
    static func isBasic(_ value: Span<UInt8>) -> Bool {
        value.count > 6 && ASCII.hasPrefixIgnoringCase(value, "basic ")
    }

    /// Whether the placeholder is the whole value or token, or the user or the password of Basic.
    static func carries(_ placeholder: [UInt8], in value: Span<UInt8>) -> Bool {
        if ASCII.equals(value, placeholder.span) { return true }
        guard let blank = ASCII.firstIndex(of: UInt8(ascii: " "), in: value) else { return false }
        let rest = ASCII.trimmingBlanks(value.extracting(blank..<value.count))
        if ASCII.equals(rest, placeholder.span) { return true }
        guard isBasic(value), let pair = Base64.decode(rest, .tolerant) else { return false }
        guard let colon = pair.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return pair[..<colon].elementsEqual(placeholder) || pair[(colon + 1)...].elementsEqual(placeholder)
    }
}
