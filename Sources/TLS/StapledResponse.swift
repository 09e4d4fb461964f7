internal import COpenSSL
internal import Trust

/// A stapled OCSP answer [RFC 6066 s.8, RFC 6960].
enum StapledResponse {
    /// What `bytes` say of `leaf`, whose issuer is `issuer`, as of `now` in seconds of Unix time.
    static func judge(
        _ bytes: UnsafeBufferPointer<UInt8>,
        leaf: Certificate,
        issuer: Certificate,
        now: Int64
    ) -> StapleResult {
        defer { ERR_clear_error() }
        var position = bytes.baseAddress
        guard let response = unsafe d2i_OCSP_RESPONSE(nil, &position, bytes.count) else {
            return .unusable("it can't be read")
        }
        defer { unsafe OCSP_RESPONSE_free(response) }
        let status = unsafe OCSP_response_status(response)
        guard status == OCSP_RESPONSE_STATUS_SUCCESSFUL, let basic = unsafe OCSP_response_get1_basic(response) else {
            return .unusable(
                "the responder gave none: \(unsafe String(cString: OCSP_response_status_str(Int(status))))"
            )
        }
        defer { unsafe OCSP_BASICRESP_free(basic) }
        guard unsafe isSigned(basic, issuer: issuer, now: now) else {
            return .unusable("it isn't signed by its issuer")
        }
        return unsafe statement(of: basic, leaf: leaf, issuer: issuer, now: now)
    }

    /// Whether the issuer signed it, or a responder that the issuer has delegated it to [RFC 6960 s.4.2.2.2].
    private static func isSigned(_ basic: OpaquePointer, issuer: Certificate, now: Int64) -> Bool {
        // Only the issuer is trusted, as the end of the path of a responder.
        guard let store = unsafe X509_STORE_new() else { return false }
        defer { unsafe X509_STORE_free(store) }
        guard unsafe X509_STORE_add_cert(store, issuer.raw) == 1 else { return false }
        let parameters = unsafe X509_STORE_get0_param(store)
        unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, TLSContext.securityLevel)
        unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(now))
        let verdict = unsafe try? CertificateStack.withStack(CollectionOfOne(issuer)) { stack in
            unsafe OCSP_basic_verify(basic, stack, store, UInt(OCSP_TRUSTOTHER)) == 1
        }
        return verdict ?? false
    }

    private static func statement(
        of basic: OpaquePointer,
        leaf: Certificate,
        issuer: Certificate,
        now: Int64
    ) -> StapleResult {
        var status: Int32 = 0
        var thisUpdate: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var nextUpdate: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        // A responder names a certificate by hashes of its issuer, and chooses the hash.
        let isFound = unsafe [EVP_sha1(), EVP_sha256()].contains { digest in
            guard let identifier = unsafe OCSP_cert_to_id(digest, leaf.raw, issuer.raw) else { return false }
            defer { unsafe OCSP_CERTID_free(identifier) }
            return unsafe OCSP_resp_find_status(basic, identifier, &status, nil, nil, &thisUpdate, &nextUpdate) == 1
        }
        guard isFound else { return .unusable("it is about another certificate") }
        if status == V_OCSP_CERTSTATUS_REVOKED { return .revoked }
        guard status == V_OCSP_CERTSTATUS_GOOD else { return .unusable("the responder doesn't know the certificate") }
        guard let begin = unsafe CertificateTime.seconds(thisUpdate), begin <= now + clockSkew else {
            return .unusable("it isn't valid yet")
        }
        guard let end = unsafe CertificateTime.seconds(nextUpdate) else {
            // Newer information is available all the time [RFC 6960 s.4.2.2.1]; a day is what nobody's clock is behind.
            return now - begin <= 86_400 ? .good : .unusable("it is too old")
        }
        return end >= now - clockSkew ? .good : .unusable("it is too old")
    }

    /// How far the responder's clock and ours may be apart, in seconds.
    private static let clockSkew: Int64 = 300
}
