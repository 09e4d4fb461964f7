internal import TLS
package import Trust

/// What a TLS handshake of an inspection's showed.
package struct TLSSighting: Sendable {
    /// As `TLS 1.3`; nil where the handshake chose none.
    package let version: String?
    /// The cipher suite in OpenSSL's words; nil where none was chosen.
    package let cipher: String?
    /// The server's path, its own certificate first.
    package let path: [CertificateFacts]
    /// What the policy says of the server; nil where the handshake ended before.
    package let decision: TrustDecision?
    /// Whether the server asked for a certificate of ours; none was shown.
    package let askedForCertificate: Bool
    /// The stable reason code of what ended the handshake, and its words; nil where nothing did but a refusal of ours.
    package let failure: ProbeConnection.Failure?

    init(_ session: TLSSession, error: TLSError?, isLate: Bool = false) {
        version = session.negotiatedVersion.map { $0 == .v13 ? "TLS 1.3" : "TLS 1.2" }
        cipher = session.cipherName
        path = session.peerPath
        decision = session.decision
        askedForCertificate = session.askedForCertificate
        if isLate {
            failure = ProbeConnection.Failure("tls.timeout", "the handshake wasn't done in time")
        } else {
            failure = error.flatMap { error in
                error.kind == .untrusted && session.decision?.failure != nil
                    ? nil : ProbeConnection.Failure(error.reasonCode, "\(error)")
            }
        }
    }

    /// Whether something may be sent.
    package var isOpen: Bool { failure == nil && decision?.isAccepted == true }
}
