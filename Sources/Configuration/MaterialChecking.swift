package import Authentication
package import Rules
package import Trust

/// What the reader of rule files asks of the TLS library about what lies in files; by itself it looks at their shape only.
package protocol MaterialChecking: Sendable {
    /// Whether a client certificate can be shown.
    func finding(on certificate: ClientCertificate) -> MaterialFinding
    /// Whether an authority can mint leafs at `now`, in seconds of Unix time.
    func finding(on authority: InterceptionConfiguration.Authority, now: Int64) -> MaterialFinding
    /// Whether clients would believe the authority's leafs for this host, as far as its name constraints go.
    func believes(_ authority: InterceptionConfiguration.Authority, for host: ReferenceIdentity, now: Int64) -> Bool
    /// Whether connections can be made under a policy.
    func faults(of terms: TrustPolicy.Terms) -> [MaterialFault]
}

/// What is wrong with one part of what a rule file names.
package struct MaterialFault: Equatable, Sendable {
    /// Where the rule file names it.
    package enum Part: Equatable, Sendable {
        /// The file of certificates, or the PKCS#12 file.
        case certificate
        case privateKey, passphrase, revocation, ciphers, groups
        /// An entry of `anchors`.
        case anchor(Int)
    }

    /// What it is about.
    package let part: Part
    /// What is wrong.
    package let message: String

    /// A fault from its parts.
    package init(_ part: Part, _ message: String) {
        self.part = part
        self.message = message
    }
}

/// What the TLS library says of a certificate with its key.
package enum MaterialFinding: Equatable, Sendable {
    /// It is of no use.
    case faulty(MaterialFault)
    /// It can be used between these seconds of Unix time.
    case usable(notBefore: Int64, notAfter: Int64)
}
