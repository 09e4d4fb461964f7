/// What building and checking a certification path came to [RFC 5280 s.6]; names and pins are judged after it.
package enum PathResult: Sendable {
    /// The path is valid: leaf first, then each issuer, up to the trust anchor.
    case valid(path: [CertificateFacts])
    /// It isn't.
    ///
    /// `code` and `text` are OpenSSL's number and words for the first failure, `depth` the place in OpenSSL's path where
    /// it was found. `path` is what signatures link from the leaf through what the server presented, leaf first: a
    /// certificate that no verified signature leads to isn't in it, and it never is empty unless nothing was presented.
    case invalid(code: Int32, reason: PathFailure, text: String, depth: Int, path: [CertificateFacts])

    /// The path, whether valid or only linked.
    package var path: [CertificateFacts] {
        switch self {
        case .valid(let path), .invalid(_, _, _, _, let path): path
        }
    }
}

/// Why a path isn't valid; the raw value is the reason code of log, Proxy-Status and metrics.
package enum PathFailure: String, CaseIterable, Sendable {
    /// A certificate's validity has ended.
    case expired = "chain.expired"
    /// A certificate's validity hasn't begun.
    case notYetValid = "chain.not-yet-valid"
    /// The only certificate of the path is signed by itself and is no anchor.
    case selfSigned = "chain.self-signed"
    /// The path leads to no anchor: its authority isn't one, or a certificate on the way is missing.
    case untrusted = "chain.untrusted"
    /// A CRL or a stapled answer says that a certificate is revoked.
    case revoked = "chain.revoked"
    /// The CRL of `revocation` doesn't cover a certificate, or isn't valid now.
    case revocationUnknown = "chain.revocation-unknown"
    /// `must-staple`, and the server stapled no good answer.
    case stapleMissing = "chain.staple-missing"
    /// The leaf isn't for servers, or an issuer's purpose doesn't allow it.
    case wrongPurpose = "chain.wrong-purpose"
    /// A certificate that is no authority has issued another one.
    case notAuthority = "chain.not-authority"
    /// There are more certificates below an authority than it allows.
    case pathTooLong = "chain.path-too-long"
    /// A name lies outside what an authority may issue for [RFC 5280 s.4.2.1.10].
    case nameConstraint = "chain.name-constraint"
    /// A key or a signature's digest is too weak.
    case weakKey = "chain.weak-key"
    /// A signature is wrong.
    case signature = "chain.signature"
    /// Only `strict` asks for what is missing.
    case strict = "chain.strict"
    /// Anything else.
    case other = "chain.invalid"

    /// Whether `allow_invalid_certificates` passes over it: an untrusted, expired or self-signed chain, nothing worse.
    package var isWaivable: Bool {
        switch self {
        case .expired, .notYetValid, .selfSigned, .untrusted: true
        case .revoked, .revocationUnknown, .stapleMissing, .wrongPurpose, .notAuthority, .pathTooLong, .nameConstraint,
            .weakKey, .signature, .strict, .other:
            false
        }
    }
}

/// What a stapled OCSP answer says of the leaf [RFC 6960].
package enum StapleResult: Hashable, Sendable {
    /// The server stapled none.
    case absent
    /// It is signed by the right responder, valid now, and says good.
    case good
    /// It is signed by the right responder and says revoked.
    case revoked
    /// It can't be read, is signed by another, is too old or says unknown; the text says which.
    case unusable(String)
}
