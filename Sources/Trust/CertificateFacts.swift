/// What evaluation and reports need of one certificate, copied out of the TLS library [RFC 5280].
package struct CertificateFacts: Hashable, Sendable {
    /// The certificate itself.
    package let der: [UInt8]
    /// The SHA-256 of `der`.
    package let fingerprint: Fingerprint
    /// The SHA-256 of its SubjectPublicKeyInfo.
    package let publicKeyPin: PublicKeyPin
    /// In one line, for messages.
    package let subject: String
    /// In one line, for messages.
    package let issuer: String
    /// The first second of its validity, in seconds of Unix time.
    package let notBefore: Int64
    /// The last second of its validity, in seconds of Unix time [RFC 5280 s.4.1.2.5].
    package let notAfter: Int64
    /// The DNS names of its subjectAltName as they stand there.
    package let dnsNames: [[UInt8]]
    /// The addresses of its subjectAltName as they stand there: 4 or 16 bytes each.
    package let addresses: [[UInt8]]
    /// Whether it says that it is signed by its own key: checking that would cost each handshake a signature.
    package let isSelfSigned: Bool
    /// Whether it may issue certificates (OpenSSL's X509_check_ca is not 0).
    package let isAuthority: Bool

    /// The facts of one certificate.
    package init(
        der: [UInt8],
        publicKeyPin: PublicKeyPin,
        subject: String,
        issuer: String,
        notBefore: Int64,
        notAfter: Int64,
        dnsNames: [[UInt8]],
        addresses: [[UInt8]],
        isSelfSigned: Bool,
        isAuthority: Bool
    ) {
        self.der = der
        self.fingerprint = Fingerprint(of: der.span)
        self.publicKeyPin = publicKeyPin
        self.subject = subject
        self.issuer = issuer
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.dnsNames = dnsNames
        self.addresses = addresses
        self.isSelfSigned = isSelfSigned
        self.isAuthority = isAuthority
    }
}
