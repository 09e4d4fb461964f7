internal import Bytes

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
    /// The place in `seen` of the certificate that is to blame; nil where that isn't known.
    package let culprit: Int?
    /// What was seen, leaf first.
    package let seen: [CertificateFacts]

    /// A failure from all its parts.
    package init(
        kind: Kind,
        policy: String,
        identity: ReferenceIdentity,
        detail: String = "",
        culprit: Int? = nil,
        seen: [CertificateFacts]
    ) {
        self.kind = kind
        self.policy = policy
        self.identity = identity
        self.detail = detail
        self.culprit = culprit.flatMap { seen.indices.contains($0) ? $0 : nil }
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

    /// Whether it is what reports are for: what was seen can be pasted under `pins`.
    package var isAboutPins: Bool { kind == .pins || kind == .observed }

    /// What is wrong and what to do about it, in one line.
    package var message: String {
        switch kind {
        case .chain(let failure): chainMessage(failure) + (detail.isEmpty ? "" : " (\(DisplayText.line(detail)))")
        case .name: nameMessage
        case .pins:
            "nothing of the chain of \(identity) is pinned by \(policy): if the change is meant, "
                + "put a line of what was seen under its 'pins'"
        case .observed: "the chain of \(identity) as \(policy) observed it; each line of what was seen can be a pin"
        }
    }

    /// Each certificate that was seen as a line that can be pasted under `pins`, leaf first (T-10).
    package var seenLines: [String] { seen.map(\.pinLine) }

    /// The pin of each certificate that was seen, without what its maker wrote into it, behind a message for clients
    /// (T-10); empty where it isn't about pins.
    package var seenPins: String {
        isAboutPins ? "; seen: \(seen.map { "\($0.publicKeyPin)" }.joined(separator: ", "))" : ""
    }

    private func chainMessage(_ failure: PathFailure) -> String {
        switch failure {
        case .expired: "\(named) has expired\(day(\.notAfter)): the server needs a new one"
        case .notYetValid: "\(named) isn't valid yet\(day(\.notBefore)): look at this machine's clock"
        case .selfSigned:
            "the certificate of \(identity) is signed by itself: if it is the right one, name its file in 'anchors'"
        case .untrusted:
            "the chain of \(identity) ends at '\(issuer)', which is no anchor: name that authority's file in 'anchors', "
                + "or have the server send the certificates on the way to one"
        case .revoked: "\(named) is revoked: the server needs a new one"
        case .revocationUnknown:
            "the file of 'revocation' says nothing valid of \(named): fetch a current list of its issuer"
        case .stapleMissing: "'revocation: must-staple' asks \(identity) for a good stapled OCSP answer"
        case .wrongPurpose: "\(named) isn't meant for a TLS server"
        case .notAuthority: "\(named) stands as an issuer but is no authority"
        case .pathTooLong: "there are more authorities below \(named) than it allows"
        case .nameConstraint: "\(named) is for a name that an authority above it may not issue for"
        case .weakKey: "\(named) has too weak a key or signature: RSA below 2048 bits, or SHA-1"
        case .signature: "the signature of \(named) is wrong"
        case .strict: "\(named) isn't made to the letter of RFC 5280: 'strict: false' of \(policy) would pass over it"
        case .other: "the chain of \(identity) isn't valid"
        }
    }

    private var nameMessage: String {
        let names = seen.first?.presentedNames ?? ""
        let found = names.isEmpty ? "for no name at all in its subjectAltName" : "for \(names)"
        return "the certificate is \(found), not for \(identity)"
    }

    /// The certificate that is to blame, for a message.
    private var named: String {
        guard let certificate = culprit.map({ seen[$0] }) ?? (seen.count == 1 ? seen.first : nil) else {
            return "a certificate of the chain of \(identity)"
        }
        return "the certificate '\(DisplayText.line(certificate.subject))'"
    }

    private var issuer: String { seen.last.map { DisplayText.line($0.issuer) } ?? "" }

    private func day(_ date: KeyPath<CertificateFacts, Int64>) -> String {
        culprit.map { " (\(CivilDate(unixSeconds: seen[$0][keyPath: date])))" } ?? ""
    }
}
