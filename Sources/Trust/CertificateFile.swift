/// The certificates of a file, as PEM or as DER, as far as their shape goes.
package enum CertificateFile {
    /// The DER of each certificate; nil where one of them isn't shaped as a certificate, empty where there is none.
    package static func certificates(_ contents: [UInt8]) -> [[UInt8]]? {
        let isDER = contents.first == 0x30
        guard let found = isDER ? [contents] : PEM.certificates(in: contents.span) else { return nil }
        return found.allSatisfy { CertificateDER.publicKeyInfo($0) != nil } ? found : nil
    }
}

extension PinnedCertificate {
    /// The certificate as it stands in a file; nil where it isn't shaped as one.
    package init?(name: String, der: [UInt8]) {
        guard let key = CertificateDER.publicKeyInfo(der) else { return nil }
        self.init(
            name: name,
            fingerprint: Fingerprint(of: der.span),
            publicKeyPin: PublicKeyPin(ofPublicKeyInfo: key.span)
        )
    }
}
