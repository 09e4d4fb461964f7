/// What a handshake is made of.
package enum Mechanism: Equatable, Sendable {
    /// NTLMSSP [MS-NLMP].
    case ntlm
    /// NTLMSSP inside SPNEGO [RFC 4178], and nothing else there.
    case ntlmInNegotiate
    /// Kerberos [RFC 4121] inside SPNEGO, and nothing else there.
    case kerberos

    /// Whether this build can speak them: it has the trait GSSAPI.
    package static var isBuilt: Bool {
        #if GSSAPI
            true
        #else
            false
        #endif
    }
}
