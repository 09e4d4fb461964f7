/// Why there is no token of a handshake, or no credential for one.
package struct GSSError: Error, Equatable, Sendable {
    /// What it means for the exchange.
    package enum Kind: Equatable, Sendable {
        /// Nothing secret was sent.
        case unavailable
        /// A KDC refused the login.
        case rejected
        /// What the peer said is no valid token, or doesn't prove who it is.
        case peer
    }

    package let kind: Kind
    /// The stable reason code, such as `kerberos.clock-skew`.
    package let code: String
    /// What to do, without any secret and without a path of this machine.
    package let message: String
    /// The realm whose KDC didn't answer; nil for every other reason.
    package let silentRealm: String?

    /// An error in all its parts.
    package init(_ kind: Kind, _ code: String, _ message: String, silentRealm: String? = nil) {
        self.kind = kind
        self.code = code
        self.message = message
        self.silentRealm = silentRealm
    }

    /// The build has no GSSAPI.
    package static var notBuilt: GSSError {
        GSSError(
            .unavailable,
            "gssapi.not-built",
            "this countersign was built without GSSAPI, which NTLM and Negotiate need; build it with the trait GSSAPI"
        )
    }

    /// No KDC of the realm answers.
    package static func unreachable(_ realm: String) -> GSSError {
        let text = "no KDC of the realm \(realm) answers; see that one runs, and that krb5.conf or DNS names it"
        return GSSError(.unavailable, "kerberos.kdc-unreachable", text, silentRealm: realm)
    }
}
