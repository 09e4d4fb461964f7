import COpenSSL

/// Revocation lists and OCSP answers, made by calls to OpenSSL that the room has no part in.
enum TestRevocation {
    /// A list of `issuer`'s in which `revoked` stand, as PEM.
    static func list(
        of issuer: TestCertificate,
        revoked: [TestCertificate],
        from begin: Int64 = noon - day,
        to end: Int64 = noon + day
    ) -> [UInt8] {
        let list = unsafe X509_CRL_new()!
        defer { unsafe X509_CRL_free(list) }
        unsafe X509_CRL_set_version(list, 1)
        unsafe X509_CRL_set_issuer_name(list, X509_get_subject_name(issuer.raw))
        unsafe withTime(begin) { unsafe X509_CRL_set1_lastUpdate(list, $0) }
        unsafe withTime(end) { unsafe X509_CRL_set1_nextUpdate(list, $0) }
        for certificate in revoked {
            let entry = unsafe X509_REVOKED_new()
            unsafe X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(certificate.raw))
            unsafe withTime(begin) { unsafe X509_REVOKED_set_revocationDate(entry, $0) }
            unsafe X509_CRL_add0_revoked(list, entry)
        }
        unsafe X509_CRL_sort(list)
        unsafe precondition(X509_CRL_sign(list, issuer.key, EVP_sha256()) > 0)
        return unsafe written { unsafe PEM_write_bio_X509_CRL($0, list) }
    }

    /// An OCSP answer about `leaf`, in DER.
    static func answer(
        about leaf: TestCertificate,
        issuer: TestCertificate,
        signer: TestCertificate? = nil,
        status: Int32 = V_OCSP_CERTSTATUS_GOOD,
        digest: String = "SHA1",
        from begin: Int64 = noon - 3600,
        to end: Int64? = noon + day
    ) -> [UInt8] {
        let basic = unsafe OCSP_BASICRESP_new()!
        let identifier = unsafe OCSP_cert_to_id(EVP_get_digestbyname(digest), leaf.raw, issuer.raw)
        defer {
            unsafe OCSP_BASICRESP_free(basic)
            unsafe OCSP_CERTID_free(identifier)
        }
        unsafe withTime(begin) { begin in
            let isRevoked = status == V_OCSP_CERTSTATUS_REVOKED
            let revocation = unsafe isRevoked ? begin : nil
            if let end {
                unsafe withTime(end) {
                    unsafe OCSP_basic_add1_status(basic, identifier, status, 0, revocation, begin, $0) != nil ? 1 : 0
                }
            } else {
                unsafe OCSP_basic_add1_status(basic, identifier, status, 0, revocation, begin, nil)
            }
            return 1
        }
        let signer = signer ?? issuer
        unsafe precondition(OCSP_basic_sign(basic, signer.raw, signer.key, EVP_sha256(), nil, 0) == 1)
        let response = unsafe OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic)!
        defer { unsafe OCSP_RESPONSE_free(response) }
        return unsafe encoded(response)
    }

    /// An answer that says no more than that there is none now.
    static func tryLater() -> [UInt8] {
        let response = unsafe OCSP_response_create(OCSP_RESPONSE_STATUS_TRYLATER, nil)!
        defer { unsafe OCSP_RESPONSE_free(response) }
        return unsafe encoded(response)
    }

    private static func encoded(_ response: OpaquePointer) -> [UInt8] {
        var data: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_OCSP_RESPONSE(response, &data)
        defer { unsafe CRYPTO_free(data, nil, 0) }
        return unsafe Array(UnsafeBufferPointer(start: data, count: Int(count)))
    }

    private static func withTime(_ seconds: Int64, _ body: (UnsafeMutablePointer<ASN1_TIME>?) -> Int32) {
        // OCSP wants GeneralizedTime, which lists take as well up to 2049 only as UTCTime; the function picks by type.
        let time = unsafe ASN1_GENERALIZEDTIME_set(nil, Int(seconds))
        defer { unsafe ASN1_STRING_free(time) }
        unsafe precondition(body(time) == 1)
    }
}
