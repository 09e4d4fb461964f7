package import Authentication
package import HTTP

/// One challenge of a response, as the rules see it.
package struct Offer: Sendable {
    /// Its place in the response.
    package let index: Int
    /// The space that it names.
    package let space: ProtectionSpace
    /// Its rank by A-11; the higher one is looked at first (`AuthenticationMethod.strength`, `DigestChallenge.strength`).
    package let strength: Int

    /// An offer from all its parts.
    package init(index: Int, space: ProtectionSpace, strength: Int) {
        self.index = index
        self.space = space
        self.strength = strength
    }
}

/// What the rules may ask about a request besides its path.
package struct RequestFacts: Sendable {
    /// Who sent it.
    package var client: Client
    /// Its method.
    package var method: HTTPMethod
    /// TLS to the origin (for a parent's challenge: to the parent), or a directly dialled loopback address.
    package var isSecure: Bool
    /// A browser marked the request as coming from another site.
    package var isCrossSite: Bool
    /// The client's own Authorization stays in the request; false once it was replaced.
    package var bringsAuthorization: Bool

    /// The facts of one request.
    package init(
        client: Client,
        method: HTTPMethod,
        isSecure: Bool,
        isCrossSite: Bool = false,
        bringsAuthorization: Bool = false
    ) {
        self.client = client
        self.method = method
        self.isSecure = isSecure
        self.isCrossSite = isCrossSite
        self.bringsAuthorization = bringsAuthorization
    }
}

/// Why a rule doesn't answer, with a stable reason code (O-9).
package enum PassReason: String, Hashable, Sendable, CaseIterable {
    /// No rule is a candidate for the offer.
    case noRule = "rule.none"
    /// The first candidate says `disposition: reject`.
    case rejected = "rule.reject"
    /// The method isn't sent without TLS unless the rule's `cleartext` names it.
    case cleartext = "cleartext.refused"
    /// The request came from another site.
    case crossSite = "cross-site.refused"
    /// The rule names a path, and servers don't agree on what the target's path names.
    case ambiguousPath = "path.ambiguous"
    /// The client brought its own credential, which stays.
    case clientCredential = "client-credential.kept"
    /// TRACE carries no credential.
    case trace = "trace.refused"
    /// The rule says `preempt: never` or has no method that needs no challenge; only of what is sent ahead.
    case notAhead = "preempt.never"
    /// An offer before it ended the search.
    case searchEnded = "search.ended"

    /// The reason code, the same in Proxy-Status, log and `explain`.
    package var code: String { rawValue }
}

/// What is tried for the challenges of one response, in order.
package struct Decision: Sendable {
    /// One thing to try; the last one ends the search.
    package enum Step: Sendable {
        /// Answers an offer, given by its place in the list handed to `decide`, with the rule's credential.
        case answer(offer: Int, rule: Rule)
        /// The response goes to the client; without a rule that is what happens to a 401 when nothing answers it.
        case performDefaultHandling(rule: Rule?)
        /// The exchange ends with 502; without a rule that is what happens to a 407 when nothing answers it.
        case cancel(rule: Rule?)
    }

    /// An offer that no step is about.
    package struct PassedOver: Sendable {
        /// The offer's place in the list handed to `decide`.
        package let offer: Int
        /// The rule that decided so.
        package let rule: Rule?
        /// Why.
        package let reason: PassReason
    }

    /// Never empty: it ends with `.performDefaultHandling` or `.cancel`, and nothing follows those.
    package internal(set) var steps: [Step] = []
    /// In the order in which the offers were looked at.
    package internal(set) var passedOver: [PassedOver] = []
}
