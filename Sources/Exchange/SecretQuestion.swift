package import Authentication
package import HTTP

/// Which secret an exchange has to have before it can use a deferred credential.
package struct SecretQuestion: Sendable {
    /// The deferred credential.
    package let credential: Credential
    /// Who asks for it; for a parent the parent.
    package let server: Origin
    package let isProxy: Bool
    /// The path that is sent, without the query, for helpers that look at it.
    package let path: [UInt8]
    /// What was fetched before and then refused in this exchange, so that it is of no use any more.
    package let refused: Credential?

    /// A question in all its parts.
    package init(credential: Credential, server: Origin, isProxy: Bool, path: [UInt8] = [], refused: Credential? = nil)
    {
        self.credential = credential
        self.server = server
        self.isProxy = isProxy
        self.path = path
        self.refused = refused
    }
}

/// What became of the fetching of a secret.
package enum SecretAnswer: Sendable {
    /// What can be used in place of the deferred credential.
    case fetched(Credential)
    /// There is none for that server: the offer is passed over.
    case none
    /// It failed, with what is told (`secret.unavailable`, or a token endpoint's reason).
    case failed(LocalResponse)
}
