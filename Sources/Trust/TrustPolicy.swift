/// What must hold of a server before anything is sent to it: one entry of `trust`, or the default.
package final class TrustPolicy: Sendable {
    /// All that is written of a policy; what is left out is the rule file's default.
    package struct Terms: Hashable, Sendable {
        /// What is compared with the pins.
        package var pinning = Pinning.none
        /// The pins.
        package var pins = PinSet()
        /// Whether the name must be in the certificate [RFC 9525].
        package var validatesDomainName = true
        /// Whether an untrusted, expired or self-signed chain is no reason to refuse (T-3).
        package var allowsInvalidCertificates = false
        /// Whether paths are held to RFC 5280 to the letter.
        package var strict = false
        /// Where paths may end; never empty.
        package var anchors = [AnchorSource.system]
        /// Whether a pin mismatch refuses; else it is reported and let through.
        package var enforces = true
        /// From this second of Unix time on the pins no longer hold; nil: they always do.
        package var expires: Int64?
        /// Where failed and observed pin validations are POSTed to; nil: nowhere.
        package var reportURL: String?
        /// The lowest version of TLS.
        package var minimumVersion = TLSVersion.v12
        /// The highest version of TLS.
        package var maximumVersion = TLSVersion.v13
        /// OpenSSL's list of cipher suites; nil: OpenSSL's own.
        package var ciphers: String?
        /// OpenSSL's list of groups for the key exchange; nil: OpenSSL's own.
        package var groups: String?
        /// How it is found out whether a certificate is revoked.
        package var revocation = Revocation.staple
        /// What becomes of a CONNECT that isn't opened; nil: refused where pins are enforced.
        package var tunnel: TunnelPolicy?

        /// The terms that hold where nothing is written.
        package init() {}

        /// Whether anything is compared with the pins.
        package var comparesPins: Bool { pinning == .publicKey || pinning == .certificate }
    }

    /// What is compared with the pins.
    package enum Pinning: UInt8, Hashable, Sendable {
        /// Nothing.
        case none
        /// Each key of the path.
        case publicKey
        /// Each certificate of the path, byte for byte.
        case certificate
        /// Nothing, but what is seen is told.
        case observe
    }

    /// What becomes of a CONNECT that isn't opened, so that nobody looks at the server's certificate.
    package enum TunnelPolicy: UInt8, Hashable, Sendable {
        case refuse, pass
    }

    /// For the log, as `trust[1]`, or `default`.
    package let name: String
    /// What it says.
    package let terms: Terms
    /// The SHA-256 of all that it says, and so a part of the key under which connections and sessions are kept (T-5):
    /// policies with the same terms share them, whatever their names.
    package let fingerprint: Fingerprint

    /// A policy with these terms.
    package init(name: String, terms: Terms) {
        self.name = name
        self.terms = terms
        fingerprint = terms.fingerprint
    }

    /// What holds where no entry of `trust` matches.
    package static let standard = TrustPolicy(name: "default", terms: Terms())

    /// Whether there are pins that still hold at `now`, in seconds of Unix time.
    package func hasPins(at now: Int64) -> Bool {
        terms.comparesPins && (terms.expires.map { now < $0 } ?? true)
    }

    /// Whether a CONNECT that isn't opened is refused at `now` (T-12).
    package func refusesTunnel(at now: Int64) -> Bool {
        terms.tunnel.map { $0 == .refuse } ?? (terms.enforces && hasPins(at: now))
    }
}

/// A version of TLS that a policy may name.
package enum TLSVersion: UInt8, Hashable, Comparable, Sendable {
    /// RFC 5246
    case v12
    /// RFC 8446
    case v13

    package static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

/// Where certification paths may end.
package enum AnchorSource: Hashable, Sendable {
    /// The system's own trust store.
    case system
    /// Certificates of a file, as PEM; a path may end at any of them, whether it is a root or not.
    case file(name: String, pem: [UInt8])
}

/// How it is found out whether a certificate is revoked.
package enum Revocation: Hashable, Sendable {
    /// Not at all.
    case off
    /// By a stapled OCSP answer if there is one [RFC 6066 s.8].
    case staple
    /// By a stapled OCSP answer, which must be there.
    case mustStaple
    /// By the revocation lists of a file, as PEM or DER.
    case crl(name: String, bytes: [UInt8])
}
