internal import Bytes

/// A way to authenticate, as a rule's `method` names it [RFC 9110, section 11.1].
package enum AuthenticationMethod: UInt8, Sendable, CaseIterable {
    case basic
    case digest
    case ntlm
    case negotiate
    case bearer
    /// A certificate in the TLS handshake, which no challenge field asks for.
    case clientCertificate

    /// The method that an auth-scheme token names, compared whole and without case.
    package init?(schemeName: Span<UInt8>) {
        switch schemeName.count {
        case 4 where ASCII.equalsIgnoringCase(schemeName, "ntlm"): self = .ntlm
        case 5 where ASCII.equalsIgnoringCase(schemeName, "basic"): self = .basic
        case 6 where ASCII.equalsIgnoringCase(schemeName, "digest"): self = .digest
        case 6 where ASCII.equalsIgnoringCase(schemeName, "bearer"): self = .bearer
        case 9 where ASCII.equalsIgnoringCase(schemeName, "negotiate"): self = .negotiate
        default: return nil
        }
    }

    /// The word of the rule file.
    package var name: String {
        switch self {
        case .basic: "basic"
        case .digest: "digest"
        case .ntlm: "ntlm"
        case .negotiate: "negotiate"
        case .bearer: "bearer"
        case .clientCertificate: "client-certificate"
        }
    }

    /// The rank of an offer of this method, greater being stronger; for digest that of its weakest algorithm, see
    /// `DigestChallenge.strength`.
    package var strength: Int {
        switch self {
        case .basic: 1
        case .digest: 2
        case .ntlm: 3
        case .bearer: 6
        case .negotiate: 7
        case .clientCertificate: 0
        }
    }
}
