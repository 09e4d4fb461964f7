package import Authentication
package import Crypto

/// Which token of a handshake an exchange has to have before its next leg can be written (C-1, C-2).
package struct TokenQuestion: Sendable {
    /// The scheme by which the token goes.
    package enum Mechanism: Equatable, Sendable {
        /// NTLMSSP by itself [MS-NLMP].
        case ntlm
        /// SPNEGO [RFC 4559], with what may be inside it.
        case negotiate(kerberos: Bool, ntlm: Bool)
    }

    package let mechanism: Mechanism
    /// A password, an NT hash or a Kerberos login.
    package let credential: Credential
    /// The host that asks, lower case, as the URL has it.
    package let host: String
    /// What the peer said, decoded; nil for the first token of a handshake.
    package let input: [UInt8]?
    /// The response in hand is a final one: no further token can be sent, its token is only to be verified.
    package let isFinal: Bool

    /// A question in all its parts.
    package init(mechanism: Mechanism, credential: Credential, host: String, input: [UInt8]?, isFinal: Bool = false) {
        self.mechanism = mechanism
        self.credential = credential
        self.host = host
        self.input = input
        self.isFinal = isFinal
    }
}

/// What the mechanism says to one step of a handshake.
package enum TokenAnswer: Sendable {
    /// A token to be sent, as bytes; `isLast` where the peer's answer to it is expected to be its verdict.
    case token(Secret, isLast: Bool)
    /// The handshake is complete, and nothing has to be sent.
    case complete
    case failed(TokenFailure)
}

/// Why there is no token.
package struct TokenFailure: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Nothing secret was sent: the next offer is looked at.
        case unavailable
        /// A KDC refused the password or key: a rejection.
        case rejected
        /// What the peer said is no valid token, or doesn't prove who it is.
        case peer
    }

    package let kind: Kind
    /// The stable reason code, such as `kerberos.clock-skew`.
    package let code: String
    /// What to do, without any secret.
    package let message: String

    /// A failure in all its parts.
    package init(_ kind: Kind, code: String, message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }
}
