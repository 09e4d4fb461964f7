package import Authentication
internal import Bytes

extension CandidateRules {
    /// The rule whose credential goes with the first request already (`preempt: always`), or nil.
    ///
    /// `path` is the path that is sent, with or without query; empty for CONNECT.
    package func preemptive(request: RequestFacts, path: Span<UInt8>) -> Rule? {
        let isAmbiguous = isAmbiguous(path)
        for rule in rules {
            guard rule.admits(request.client) else { continue }
            if let pattern = rule.space.path {
                if isAmbiguous {
                    if rule.credential == nil { return nil }
                    continue
                }
                guard pattern.matches(path) else { continue }
            }
            if rule.preempt == .always, let method = rule.methodWithoutChallenge {
                return objection(to: rule, method: method, request: request) == nil ? rule : nil
            }
            // A rule for any realm has the first word on the challenge that this one would forestall.
            if rule.space.realm == .any, rule.credential == nil || rule.methods.contains(.basic) { return nil }
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
            guard rule.index == ruleIndex else { return .noRule }
            guard rule.preempt != .never else { return .notAhead }
            return objection(to: rule, method: method, request: request)
        }
    }
}
