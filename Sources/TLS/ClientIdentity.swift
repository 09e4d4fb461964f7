internal import COpenSSL
package import Crypto
package import Trust

/// A client certificate with its chain and its private key: what we show a server that asks who we are (T-6).
@safe package final class ClientIdentity: Sendable {
    let key: PrivateKey
    /// The key's own certificate, then its issuers as far as they were given; a root is left out.
    let certificates: [Certificate]
    /// The facts of the certificate itself; its fingerprint belongs in the key of a pool of connections.
    package let facts: CertificateFacts

    /// From a PEM text of certificates, in any order, and one of a private key.
    ///
    /// Throws `passphrase` where the key is encrypted and `passphrase` doesn't open it, `material` where something
    /// can't be read or no certificate belongs to the key.
    package convenience init(
        certificate: Span<UInt8>,
        privateKey: Secret,
        passphrase: Secret? = nil
    ) throws(TLSError) {
        let certificates = try Certificate.all(in: certificate)
        try self.init(certificates, PrivateKey.read(privateKey, passphrase: passphrase))
    }

    /// From a PKCS#12 file [RFC 7292].
    ///
    /// Throws as the other one does, and `material` with a word on the cure where the file is encrypted with RC2.
    package convenience init(pkcs12: Secret, passphrase: Secret? = nil) throws(TLSError) {
        let (certificates, key) = try PKCS12File.read(pkcs12, passphrase: passphrase)
        try self.init(certificates, key)
    }

    private init(_ certificates: [Certificate], _ key: PrivateKey) throws(TLSError) {
        let own = certificates.first { unsafe X509_check_private_key($0.raw, key.raw) == 1 }
        ERR_clear_error()
        guard let own else { throw TLSError(.material, .local, "no certificate belongs to the private key") }
        self.key = key
        self.certificates = Self.chain(of: own, among: certificates)
        facts = own.facts
    }

    /// Why no handshake can show it: a key or a signature below the security level; nil where one can.
    package var fault: TLSError? {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { return TLSError(.library) }
        defer { unsafe SSL_CTX_free(context) }
        unsafe SSL_CTX_set_security_level(context, TLSContext.securityLevel)
        guard let own = certificates.first, unsafe SSL_CTX_use_certificate(context, own.raw) == 1,
            unsafe SSL_CTX_use_PrivateKey(context, key.raw) == 1
        else { return TLSError(.material, .local, "the certificate can't be shown") }
        return nil
    }

    /// The certificate and what issued it, one after the other, less a root.
    private static func chain(of own: Certificate, among given: [Certificate]) -> [Certificate] {
        var chain = [own]
        while let last = chain.last, chain.count <= given.count {
            let issuer = given.first { candidate in
                unsafe X509_check_issued(candidate.raw, last.raw) == X509_V_OK
                    && !chain.contains { unsafe X509_cmp($0.raw, candidate.raw) == 0 }
                    && X509_self_signed(candidate.raw, 0) != 1
            }
            guard let issuer else { break }
            chain.append(issuer)
        }
        return chain
    }

    /// Whether a server that lists these issuers' names wants it; no list, or an empty one, means any [RFC 8446
    /// s.4.2.4].
    func isWanted(byIssuers names: OpaquePointer?) -> Bool {
        guard let names = unsafe names else { return true }
        let count = unsafe COpenSSL_sk_X509_NAME_num(names)
        if count <= 0 { return true }
        return certificates.contains { certificate in
            let issuer = unsafe X509_get_issuer_name(certificate.raw)
            return (0..<count).contains { unsafe X509_NAME_cmp(issuer, COpenSSL_sk_X509_NAME_value(names, $0)) == 0 }
        }
    }
}

/// The content of a PKCS#12 file.
enum PKCS12File {
    /// Reads the certificates and the one key.
    static func read(_ file: Secret, passphrase: Secret?) throws(TLSError) -> ([Certificate], PrivateKey) {
        ERR_clear_error()
        let parsed = unsafe file.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { storage in
                var position = storage.baseAddress
                return unsafe d2i_PKCS12(nil, &position, storage.count)
            }
        }
        guard let parsed = unsafe parsed else { throw TLSError(.material, .local, "is no PKCS#12 file") }
        defer { unsafe PKCS12_free(parsed) }
        var key: OpaquePointer?
        var certificate: OpaquePointer?
        var others: OpaquePointer?
        let isRead = unsafe withPassphrase(passphrase) { text in
            unsafe PKCS12_parse(parsed, text, &key, &certificate, &others) == 1
        }
        guard isRead else { throw failure(hasPassphrase: passphrase != nil) }
        defer { unsafe COpenSSL_sk_X509_pop_free(others) }
        guard let key = unsafe key else {
            if let certificate = unsafe certificate { unsafe X509_free(certificate) }
            throw TLSError(.material, .local, "a PKCS#12 file has no private key")
        }
        let owned = unsafe PrivateKey(taking: key)
        var certificates: [Certificate] = []
        if let certificate = unsafe certificate { unsafe certificates.append(Certificate(taking: certificate)) }
        if let others = unsafe others { unsafe certificates += CertificateStack.elements(of: others) }
        return (certificates, owned)
    }

    private static func failure(hasPassphrase: Bool) -> TLSError {
        if ERR_GET_REASON(ERR_peek_error()) == PKCS12_R_MAC_VERIFY_FAILURE {
            let fault = hasPassphrase ? "isn't opened by its passphrase" : "needs a passphrase"
            return TLSError(.passphrase, .local, "a PKCS#12 file \(fault)")
        }
        let cure =
            "if it is encrypted with RC2, export it anew: openssl pkcs12 -legacy -in OLD -nodes | openssl pkcs12 -export"
        return TLSError(.material, .local, "a PKCS#12 file can't be read; \(cure)")
    }

    /// Lends the passphrase as a C string, which is wiped afterwards.
    private static func withPassphrase(_ secret: Secret?, _ body: (UnsafePointer<CChar>?) -> Bool) -> Bool {
        guard let secret else { return body(nil) }
        var text = [UInt8](repeating: 0, count: secret.count + 1)
        secret.withBytes { bytes in
            for index in bytes.indices { text[index] = bytes[index] }
        }
        defer { Wiping.wipe(&text) }
        return unsafe text.withUnsafeBytes { unsafe body($0.baseAddress?.assumingMemoryBound(to: CChar.self)) }
    }
}
