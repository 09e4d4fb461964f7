package import Authentication
internal import Bytes

extension CandidateRules {
    /// The rule whose credential goes with the first request already (`preempt: always`), or nil.
    ///
    /// `path` is the path that is sent, with or without query; empty for CONNECT.
    package func preemptive(request: RequestFacts, path: Span<UInt8>) -> Rule? {
        let isAmbiguous = isAmbiguous(path)
        // The methods of which a rule for any realm has had the first word on the challenge that would be forestalled.
        var decided: MethodSet = []
        for rule in rules {
            guard rule.admits(request.client) else { continue }
            if let pattern = rule.space.path {
                guard isAmbiguous ? rule.credential == nil : pattern.matches(path) else { continue }
            }
            // A rule for some realms can't know whether this is one.
            guard rule.space.realm == .any else { continue }
            if rule.preempt == .always, let method = rule.methodWithoutChallenge, !decided.contains(method) {
                return objection(to: rule, method: method, request: request) == nil ? rule : nil
            }
            decided.formUnion(rule.methods)
        }
        return nil
    }

    /// Why a space that was learned with a rule's credential isn't answered ahead for this request; nil if it is.
    ///
    /// Allocates nothing. It asks what a challenge of that space would ask, so another client or path gets nothing by it.
    package func objectionAhead(
        ruleIndex: Int,
        method: AuthenticationMethod,
        realm: [UInt8]?,
        request: RequestFacts,
        path: Span<UInt8>
    ) -> PassReason? {
        let isAmbiguous = isAmbiguous(path)
        switch verdict(method: method, realm: realm, client: request.client, path: path, isAmbiguous) {
        case .none: return .noRule
        case .ambiguous: return .ambiguousPath
        case .rule(let rule):
            guard rule.index == ruleIndex, rule.credential != nil else { return .noRule }
            guard rule.preempt != .never else { return .notAhead }
            return objection(to: rule, method: method, request: request)
        }
    }
}
