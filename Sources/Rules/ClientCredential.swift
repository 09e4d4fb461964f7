internal import Authentication
internal import Bytes

/// What becomes of the Authorization that a request brings itself.
package enum ClientCredentialVerdict: Sendable {
    /// It goes on, and no value of a rule takes its place.
    case keep
    /// It is dropped, and the rule's credential stands in for it; where `sendsAhead`, in the same request already.
    case replace(rule: Rule, sendsAhead: Bool)
    /// The request is refused with 403.
    case refuse(rule: Rule)
}

extension CandidateRules {
    /// Judges the Authorization of a request by the first rule with a credential that is about it.
    package func clientCredential(
        _ value: Span<UInt8>,
        request: RequestFacts,
        path: Span<UInt8>
    ) -> ClientCredentialVerdict {
        let isAmbiguous = isAmbiguous(path)
        for rule in rules {
            guard rule.admits(request.client), rule.speaksOfClientCredentials else { continue }
            if let pattern = rule.space.path {
                if isAmbiguous {
                    if rule.clientCredential == .refuse { return .refuse(rule: rule) }
                    continue
                }
                guard pattern.matches(path) else { continue }
            }
            let isBasic = ClientAuthorization.isBasic(value)
            if let placeholder = rule.placeholder, ClientAuthorization.carries(placeholder, in: value) {
                return .replace(rule: rule, sendsAhead: isBasic && sendsBasic(rule, request))
            }
            switch rule.clientCredential {
            case .keep: return .keep
            case .replace: return .replace(rule: rule, sendsAhead: isBasic && sendsBasic(rule, request))
            case .refuse: return .refuse(rule: rule)
            }
        }
        return .keep
    }

    /// The client's Basic value may give way to the rule's in the same request.
    private func sendsBasic(_ rule: Rule, _ request: RequestFacts) -> Bool {
        var replaced = request
        replaced.bringsAuthorization = false
        return rule.credential != nil && rule.methods.contains(.basic) && rule.preempt != .never
            && objection(to: rule, method: .basic, request: replaced) == nil
    }
}

extension Rule {
    fileprivate var speaksOfClientCredentials: Bool {
        credential != nil || clientCredential != .keep || placeholder != nil
    }
}

/// Reads the value of a client's Authorization as far as a placeholder may stand in it.
enum ClientAuthorization {
    static func isBasic(_ value: Span<UInt8>) -> Bool {
        value.count > 6 && ASCII.hasPrefixIgnoringCase(value, "basic ")
    }

    /// Whether the placeholder is the whole token, or the user or the password of Basic.
    static func carries(_ placeholder: [UInt8], in value: Span<UInt8>) -> Bool {
        guard let blank = ASCII.firstIndex(of: UInt8(ascii: " "), in: value) else { return false }
        let rest = ASCII.trimmingBlanks(value.extracting(blank..<value.count))
        if ASCII.equals(rest, placeholder.span) { return true }
        guard isBasic(value), let pair = Base64.decode(rest) else { return false }
        guard let colon = pair.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return Array(pair[..<colon]) == placeholder || Array(pair[(colon + 1)...]) == placeholder
    }
}
