internal import Bytes
internal import HTTP

/// Which fields a request gets.
package enum FieldsVerdict: Sendable {
    case none
    /// Those of the rule's credential.
    case add(Rule)
    /// Those of this rule, were there not something against it.
    case heldBack(Rule, PassReason)
}

extension CandidateRules {
    /// The first rule with a `header` credential that is about the request decides, apart from all others; allocates
    /// nothing.
    ///
    /// `path` is the path that is sent, with or without query; empty for CONNECT.
    package func fields(request: RequestFacts, path: Span<UInt8>) -> FieldsVerdict {
        if headerRules.isEmpty { return .none }
        let isAmbiguous = isAmbiguous(path)
        for rule in headerRules where rule.admits(request.client) {
            if let pattern = rule.space.path {
                if isAmbiguous { return .heldBack(rule, .ambiguousPath) }
                guard pattern.matches(path) else { continue }
            }
            let objection = objectionToFields(of: rule, request: request)
            return objection.map { .heldBack(rule, $0) } ?? .add(rule)
        }
        return .none
    }

    /// What a client's own field of one of the names becomes; a placeholder is replaced whatever the rule says of others.
    package func policy(of rule: Rule, for value: Span<UInt8>) -> ClientCredentialPolicy {
        if let placeholder = rule.placeholder {
            if ASCII.equals(value, placeholder.span) { return .replace }
            if ClientAuthorization.carries(placeholder, in: value) { return .replace }
        }
        return rule.clientCredential
    }

    private func objectionToFields(of rule: Rule, request: RequestFacts) -> PassReason? {
        if request.method == .trace { return .trace }
        if !isProxy, request.isCrossSite, !rule.allowsCrossSite { return .crossSite }
        return request.isSecure || rule.cleartext.isSuperset(of: .header) ? nil : .cleartext
    }
}
