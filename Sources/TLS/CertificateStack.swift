internal import COpenSSL

/// OpenSSL's lists of certificates.
enum CertificateStack {
    /// The elements, each shared with the list.
    static func elements(of stack: OpaquePointer) -> [Certificate] {
        (0..<max(0, unsafe COpenSSL_sk_X509_num(stack))).compactMap { index in
            guard let raw = unsafe COpenSSL_sk_X509_value(stack, index) else { return nil }
            return unsafe Certificate(sharing: raw)
        }
    }

    /// Lends `certificates` as a list that holds no references of its own.
    static func withStack<R>(
        _ certificates: some Sequence<Certificate>,
        _ body: (OpaquePointer) -> R
    ) throws(TLSError) -> R {
        guard let stack = unsafe COpenSSL_sk_X509_new_null() else { throw TLSError(.library) }
        defer { unsafe COpenSSL_sk_X509_free(stack) }
        let kept = Array(certificates)
        for certificate in kept {
            guard unsafe COpenSSL_sk_X509_push(stack, certificate.raw) > 0 else { throw TLSError(.library) }
        }
        return withExtendedLifetime(kept) { unsafe body(stack) }
    }
}
