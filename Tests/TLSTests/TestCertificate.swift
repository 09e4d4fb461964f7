import Bytes
import COpenSSL
import Crypto
import Trust

@testable import TLS

/// The moment at which these tests are held, in seconds of Unix time: 2026-11-30 12:00 UTC.
let noon: Int64 = 1_796_040_000
let day: Int64 = 86_400

/// A certificate with its key, made by calls to OpenSSL that the room has no part in.
@safe final class TestCertificate: @unchecked Sendable {
    /// What a test certificate says; what is left out is what a decent one says.
    struct Terms {
        var subject = "leaf"
        var extensions: [(String, String)] = []
        var notBefore = noon - day
        var notAfter = noon + 30 * day
        var key = Key.p256
        var digest = "SHA256"
        /// Uses this certificate's key in place of a new one.
        var keyOf: TestCertificate?
    }

    enum Key { case p256, rsa1024, rsa2048 }

    let raw: OpaquePointer
    let key: OpaquePointer

    init(_ terms: Terms, issuer: TestCertificate?) {
        unsafe raw = X509_new()
        if let other = terms.keyOf {
            unsafe key = other.key
            unsafe EVP_PKEY_up_ref(key)
        } else {
            unsafe key =
                switch terms.key {
                case .p256: unsafe COpenSSL_EVP_EC_gen("P-256")
                case .rsa1024: unsafe COpenSSL_EVP_RSA_gen(1024)
                case .rsa2048: unsafe COpenSSL_EVP_RSA_gen(2048)
                }
        }
        unsafe X509_set_version(raw, 2)
        var serial: [UInt8] = RandomBytes.bytes(count: 8)
        serial[0] &= 0x7f
        let number = unsafe BN_bin2bn(serial, 8, nil)
        unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(raw))
        unsafe BN_free(number)
        unsafe ASN1_TIME_set(X509_getm_notBefore(raw), Int(terms.notBefore))
        unsafe ASN1_TIME_set(X509_getm_notAfter(raw), Int(terms.notAfter))
        unsafe X509_set_pubkey(raw, key)
        if !terms.subject.isEmpty {
            unsafe X509_NAME_add_entry_by_NID(
                X509_get_subject_name(raw),
                NID_commonName,
                MBSTRING_UTF8,
                terms.subject,
                -1,
                -1,
                0
            )
        }
        unsafe X509_set_issuer_name(raw, X509_get_subject_name(issuer?.raw ?? raw))
        for (name, value) in terms.extensions {
            var context = unsafe X509V3_CTX()
            unsafe X509V3_set_ctx(&context, issuer?.raw ?? raw, raw, nil, nil, 0)
            let made = unsafe X509V3_EXT_conf(nil, &context, name, value)
            unsafe precondition(made != nil, "\(name) = \(value)")
            unsafe X509_add_ext(raw, made, -1)
            unsafe X509_EXTENSION_free(made)
        }
        let signed = unsafe X509_sign(raw, issuer?.key ?? key, EVP_get_digestbyname(terms.digest))
        precondition(signed > 0, "signing")
    }

    deinit {
        unsafe X509_free(raw)
        unsafe EVP_PKEY_free(key)
    }

    var certificate: Certificate { unsafe Certificate(sharing: raw) }
    var facts: CertificateFacts { certificate.facts }
    var pem: [UInt8] { unsafe written { unsafe PEM_write_bio_X509($0, raw) } }
    var keyPEM: [UInt8] { unsafe written { unsafe PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) } }

    /// The key, encrypted with AES-256 under `passphrase`.
    func keyPEM(passphrase: String) -> [UInt8] {
        unsafe written {
            unsafe PEM_write_bio_PKCS8PrivateKey(
                $0,
                key,
                EVP_aes_256_cbc(),
                passphrase,
                Int32(passphrase.utf8.count),
                nil,
                nil
            )
        }
    }

    func pkcs12(passphrase: String?, others: [TestCertificate]) -> [UInt8] {
        let stack = unsafe COpenSSL_sk_X509_new_null()
        for other in others { _ = unsafe COpenSSL_sk_X509_push(stack, other.raw) }
        let file = unsafe PKCS12_create(passphrase, "name", key, raw, stack, 0, 0, 0, 0, 0)
        defer {
            unsafe PKCS12_free(file)
            unsafe COpenSSL_sk_X509_free(stack)
        }
        return unsafe written { unsafe i2d_PKCS12_bio($0, file) }
    }
}

/// What a call writes to a BIO.
func written(_ body: (OpaquePointer) -> Int32) -> [UInt8] {
    let target = unsafe BIO_new(BIO_s_mem())!
    defer { unsafe BIO_free(target) }
    unsafe precondition(body(target) == 1)
    var data: UnsafeMutablePointer<CChar>?
    let count = unsafe COpenSSL_BIO_get_mem_data(target, &data)
    return unsafe Array(UnsafeRawBufferPointer(start: data, count: count))
}

extension TestCertificate {
    /// A root authority.
    static func root(_ subject: String = "Test Root", _ change: (inout Terms) -> Void = { _ in }) -> TestCertificate {
        authority(subject, issuer: nil, change)
    }

    /// An authority below `issuer`, or a root.
    static func authority(
        _ subject: String,
        issuer: TestCertificate?,
        _ change: (inout Terms) -> Void = { _ in }
    ) -> TestCertificate {
        var terms = Terms()
        terms.subject = subject
        terms.notAfter = noon + 3650 * day
        terms.extensions = [
            ("basicConstraints", "critical,CA:TRUE"), ("keyUsage", "critical,keyCertSign,cRLSign"),
            ("subjectKeyIdentifier", "hash"),
        ]
        if issuer != nil { terms.extensions.append(("authorityKeyIdentifier", "keyid:always")) }
        change(&terms)
        return TestCertificate(terms, issuer: issuer)
    }

    /// A server's certificate for `names`, as a subjectAltName has them.
    static func server(
        _ names: String? = "DNS:origin.example.test",
        issuer: TestCertificate?,
        purpose: String = "serverAuth",
        _ change: (inout Terms) -> Void = { _ in }
    ) -> TestCertificate {
        var terms = Terms()
        terms.subject = "origin.example.test"
        terms.extensions = [
            ("basicConstraints", "CA:FALSE"), ("keyUsage", "critical,digitalSignature"), ("extendedKeyUsage", purpose),
            ("subjectKeyIdentifier", "hash"), ("authorityKeyIdentifier", "keyid"),
        ]
        if let names { terms.extensions.append(("subjectAltName", names)) }
        change(&terms)
        return TestCertificate(terms, issuer: issuer)
    }
}

/// The calls that take spans, for arrays: a span made inside `#expect` crashes the compiler (Swift 6.3.1).
extension Certificate {
    static func all(_ bytes: [UInt8]) throws -> [Certificate] { try all(in: bytes.span) }
}

extension ClientIdentity {
    convenience init(_ certificate: [UInt8], _ key: [UInt8], passphrase: String? = nil) throws {
        try self.init(
            certificate: certificate.span,
            privateKey: Secret(key.span),
            passphrase: passphrase.map { Secret($0) }
        )
    }
}

extension CertificateAuthority {
    convenience init(_ certificate: [UInt8], _ key: [UInt8], now: Int64) throws {
        try self.init(certificate: certificate.span, privateKey: Secret(key.span), now: now)
    }
}
