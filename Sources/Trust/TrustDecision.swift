/// Whether we may speak to a server.
package enum TrustDecision: Sendable {
    /// Yes.
    case accept
    /// Yes, and what was seen is logged and reported: `enforce: false` or `observe`.
    case acceptAndReport(TrustFailure)
    /// No: neither a byte of a request nor a client certificate may be sent.
    case reject(TrustFailure)

    /// The failure that it tells of, if it does.
    package var failure: TrustFailure? {
        switch self {
        case .accept: nil
        case .acceptAndReport(let failure), .reject(let failure): failure
        }
    }

    /// Whether the connection may be used.
    package var isAccepted: Bool {
        switch self {
        case .accept, .acceptAndReport: true
        case .reject: false
        }
    }
}

/// The first thing that a policy held against a server, with what was seen.
package struct TrustFailure: Sendable {
    /// What is wrong.
    package enum Kind: Hashable, Sendable {
        /// The path isn't valid.
        case chain(PathFailure)
        /// The certificate isn't for the name or address that was asked for [RFC 9525].
        case name
        /// Nothing of the path is pinned [RFC 7469 s.2.6].
        case pins
        /// Nothing is wrong: `observe` tells what it saw.
        case observed
    }

    /// What is wrong.
    package let kind: Kind
    /// The name of the policy that was asked.
    package let policy: String
    /// Whom we asked for.
    package let identity: ReferenceIdentity
    /// Details in the words of the TLS library; empty where there are none.
    package let detail: String
    /// What was seen, leaf first.
    package let seen: [CertificateFacts]

    /// A failure from all its parts.
    package init(
        kind: Kind,
        policy: String,
        identity: ReferenceIdentity,
        detail: String = "",
        seen: [CertificateFacts]
    ) {
        self.kind = kind
        self.policy = policy
        self.identity = identity
        self.detail = detail
        self.seen = seen
    }

    /// The stable reason code of log, Proxy-Status, metrics and report.
    package var reasonCode: String {
        switch kind {
        case .chain(let failure): failure.rawValue
        case .name: "host.mismatch"
        case .pins: "pin.mismatch"
        case .observed: "pin.observed"
        }
    }
}
