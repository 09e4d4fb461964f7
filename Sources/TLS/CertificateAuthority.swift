package import Bytes
internal import COpenSSL
package import Crypto
package import Trust

/// An authority of ours: what clients trust instead of a server whose TLS we open (I-1, I-4).
@safe package final class CertificateAuthority: Sendable {
    /// Its certificate.
    package let certificate: Certificate
    let key: PrivateKey
    /// The key of all its leafs: they are all ours, and making one is what costs most in minting.
    private let leafKey: PrivateKey

    /// An authority from its certificate and its private key, both in PEM; `now` is in seconds of Unix time.
    ///
    /// Throws `material` with what is wrong where the certificate isn't an authority's, has ended, or isn't the key's.
    package convenience init(
        certificate: Span<UInt8>,
        privateKey: Secret,
        passphrase: Secret? = nil,
        now: Int64
    ) throws(TLSError) {
        let certificates = try Certificate.all(in: certificate)
        guard let own = certificates.first else { throw TLSError(.material, .local, "no certificate") }
        try self.init(own, PrivateKey.read(privateKey, passphrase: passphrase))
        if let fault = Self.faults(of: own, key: key, now: now).first {
            throw TLSError(.material, .local, "the authority's certificate \(fault)")
        }
    }

    init(_ certificate: Certificate, _ key: PrivateKey) throws(TLSError) {
        self.certificate = certificate
        self.key = key
        leafKey = try PrivateKey.make()
    }

    /// What keeps a certificate from being an authority of ours at `now`, in seconds of Unix time; each completes a
    /// sentence that begins with the certificate, the worst first.
    ///
    /// Without a `key` it isn't asked whether the two belong together.
    package static func faults(of certificate: Certificate, key: PrivateKey?, now: Int64) -> [String] {
        defer { ERR_clear_error() }
        let raw = unsafe certificate.raw
        var faults: [String] = []
        if let key, unsafe X509_check_private_key(raw, key.raw) != 1 { faults.append("isn't the private key's") }
        if unsafe X509_check_ca(raw) != 1 {
            faults.append(
                "isn't an authority's: it needs basicConstraints CA:TRUE, and keyUsage keyCertSign if it has any"
            )
        }
        if unsafe X509_get0_subject_key_id(raw) == nil {
            faults.append("has no subjectKeyIdentifier, which its leafs must name")
        }
        let end = unsafe CertificateTime.seconds(X509_get0_notAfter(raw))
        if end.map({ now >= $0 }) ?? true { faults.append("has ended") }
        return faults
    }

    /// The private key as PKCS#8 in PEM, to be kept in a file that nobody else can read.
    package var privateKeyPEM: Secret {
        get throws(TLSError) { try key.pem() }
    }

    /// Makes a leaf for one name or address: valid from an hour ago for a week, but never longer than the authority.
    ///
    /// It takes about 0.1 ms with an authority on P-256 and 1 ms with an RSA one. `now` is in seconds of Unix time.
    package func mint(for identity: ReferenceIdentity, now: Int64) throws(TLSError) -> MintedLeaf {
        let end = unsafe CertificateTime.seconds(X509_get0_notAfter(certificate.raw)) ?? now
        let draft = try CertificateDraft(
            key: leafKey,
            notBefore: now - CertificateDraft.backdating,
            notAfter: min(now + MintedLeaf.lifetime, end)
        )
        // A common name has at most 64 characters [RFC 5280 appendix A.1], and one that is an address would be held
        // against the constraints of DNS names. Without it the subject is empty.
        var hasName = false
        if case .name(let name) = identity, name.utf8.count <= 64 {
            try draft.setSubject(commonName: name)
            hasName = true
        }
        try draft.setIssuer(certificate)
        try draft.addExtension(NID_basic_constraints, "critical,CA:FALSE")
        try draft.addExtension(NID_key_usage, "critical,digitalSignature")
        try draft.addExtension(NID_ext_key_usage, "serverAuth")
        try draft.addExtension(NID_subject_key_identifier, "hash")
        try draft.addExtension(NID_authority_key_identifier, "keyid:always")
        try draft.addAlternativeName(identity, isCritical: !hasName)
        return MintedLeaf(certificate: try draft.sign(with: key), key: leafKey)
    }
}

extension CertificateAuthority {
    /// Whether its name constraints let it issue for this identity, so that clients believe the leaf
    /// [RFC 5280 s.4.2.1.10]; `now` is in seconds of Unix time.
    package func mayIssue(for identity: ReferenceIdentity, now: Int64) throws(TLSError) -> Bool {
        guard let found = unsafe X509_get_ext_d2i(certificate.raw, NID_name_constraints, nil, nil) else { return true }
        let constraints = unsafe found.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { unsafe NAME_CONSTRAINTS_free(constraints) }
        let leaf = try mint(for: identity, now: now)
        defer { ERR_clear_error() }
        // Only then are its alternative names looked at.
        unsafe X509_check_purpose(leaf.certificate.raw, -1, 0)
        return unsafe NAME_CONSTRAINTS_check(leaf.certificate.raw, constraints) == X509_V_OK
    }
}

/// A leaf of ours with its key, for one server session or many.
@safe package final class MintedLeaf: Sendable {
    /// The leaf.
    package let certificate: Certificate
    let key: PrivateKey
    /// Its last second, in seconds of Unix time.
    package let notAfter: Int64

    init(certificate: Certificate, key: PrivateKey) {
        self.certificate = certificate
        self.key = key
        notAfter = unsafe CertificateTime.seconds(X509_get0_notAfter(certificate.raw)) ?? .min
    }

    /// What sessions with its clients are kept apart by: its SHA-256.
    var sessionContext: [UInt8] {
        var hash = [UInt8](repeating: 0, count: Int(SSL_MAX_SID_CTX_LENGTH))
        var count: UInt32 = 0
        _ = unsafe X509_digest(certificate.raw, EVP_sha256(), &hash, &count)
        return hash
    }

    /// How long a leaf is valid from its making on, in seconds: a week.
    static let lifetime: Int64 = 7 * 86_400

    /// Whether it is to be made anew at `now`: in the last day of its life, when a client's clock may be ahead of ours.
    package func isDue(at now: Int64) -> Bool { now > notAfter - 86_400 }
}

extension CertificateAuthority {
    /// What an authority may issue for; anything else is refused by whoever trusts it [RFC 5280 s.4.2.1.10].
    package enum Constraint: Hashable, Sendable {
        /// A DNS name and everything below it: A-labels.
        case name(String)
        /// The addresses of a network.
        case network(IPNetwork)
    }

    /// Makes an authority on P-256: valid from an hour ago for `days`, for leafs only.
    ///
    /// Without constraints it may issue for anything. Throws `material` for a name that is none. `now` is in seconds of
    /// Unix time.
    package static func make(
        name: String,
        constraints: [Constraint],
        days: Int = 3650,
        now: Int64
    ) throws(TLSError) -> CertificateAuthority {
        let key = try PrivateKey.make()
        let draft = try CertificateDraft(
            key: key,
            notBefore: now - CertificateDraft.backdating,
            notAfter: now + Int64(days) * 86_400
        )
        try draft.setSubject(commonName: name)
        try draft.setIssuer(nil)
        try draft.addExtension(NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
        try draft.addExtension(NID_key_usage, "critical,keyCertSign,cRLSign")
        try draft.addExtension(NID_subject_key_identifier, "hash")
        if !constraints.isEmpty {
            try draft.addExtension(NID_name_constraints, "critical," + text(of: constraints))
        }
        return try CertificateAuthority(draft.sign(with: key), key)
    }

    /// The constraints as OpenSSL's configuration language has them.
    private static func text(of constraints: [Constraint]) throws(TLSError) -> String {
        var parts: [String] = []
        var hasNames = false
        var hasNetworks = false
        for constraint in constraints {
            switch constraint {
            case .name(let name):
                guard isHostName(name) else { throw TLSError(.material, .local, "'\(name)' is no host name") }
                hasNames = true
                parts.append("permitted;DNS:\(name)")
            case .network(let network):
                hasNetworks = true
                parts.append("permitted;IP:\(network.address)/\(network.mask)")
            }
        }
        // A kind of name that no constraint speaks of would be free.
        if !hasNames { parts.append("permitted;DNS:invalid") }
        if !hasNetworks { parts += ["excluded;IP:0.0.0.0/0.0.0.0", "excluded;IP:::/::"] }
        return parts.joined(separator: ",")
    }

    private static func isHostName(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "."), name.utf8.count <= 253 else { return false }
        return name.utf8.allSatisfy {
            ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
    }
}

extension IPNetwork {
    /// The bits of the prefix, as an address.
    fileprivate var mask: IPAddress {
        switch address.family {
        case .v4: IPAddress(v4: UInt32(truncatingIfNeeded: ~UInt64(0) << UInt64(32 - prefixLength)))
        case .v6:
            IPAddress(
                v6: prefixLength >= 64 ? .max : ~(UInt64.max >> UInt64(prefixLength)),
                prefixLength <= 64 ? 0 : ~(UInt64.max >> UInt64(prefixLength - 64))
            )
        }
    }
}
