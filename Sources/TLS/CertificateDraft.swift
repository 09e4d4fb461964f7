internal import Bytes
internal import COpenSSL
internal import Crypto
internal import Trust

/// A certificate that is being made.
@safe final class CertificateDraft {
    /// How long before its making a certificate begins to be valid, in seconds: clients' clocks are behind ours by
    /// that.
    static let backdating: Int64 = 3600

    private let raw: OpaquePointer
    /// The issuer; the draft itself where it signs itself.
    private var issuer: Certificate?

    /// A version 3 certificate with a random serial number of 128 bits; times are in seconds of Unix time.
    init(key: PrivateKey, notBefore: Int64, notAfter: Int64) throws(TLSError) {
        ERR_clear_error()
        guard let raw = unsafe X509_new() else { throw TLSError(.library) }
        unsafe self.raw = raw
        let isMade =
            unsafe X509_set_version(raw, Int(X509_VERSION_3)) == 1
            && ASN1_TIME_set(X509_getm_notBefore(raw), Int(notBefore)) != nil
            && ASN1_TIME_set(X509_getm_notAfter(raw), Int(notAfter)) != nil
            && X509_set_pubkey(raw, key.raw) == 1
        guard isMade, setSerialNumber() else { throw TLSError(.library) }
    }

    deinit { unsafe X509_free(raw) }

    private func setSerialNumber() -> Bool {
        let bytes = RandomBytes.bytes(count: 16)
        guard let number = unsafe BN_bin2bn(bytes, 16, nil) else { return false }
        defer { unsafe BN_free(number) }
        return unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(raw)) != nil
    }

    /// Gives it a subject of nothing but a common name.
    func setSubject(commonName: String) throws(TLSError) {
        let name = Array(commonName.utf8)
        let subject = unsafe X509_get_subject_name(raw)
        let isAdded = unsafe X509_NAME_add_entry_by_NID(
            subject,
            NID_commonName,
            MBSTRING_UTF8,
            name,
            Int32(name.count),
            -1,
            0
        )
        guard isAdded == 1 else { throw TLSError(.material, .local, "'\(commonName)' can't be a common name") }
    }

    /// Names the issuer, before the extensions that speak of it; nil: it signs itself.
    func setIssuer(_ issuer: Certificate?) throws(TLSError) {
        self.issuer = issuer
        let name = unsafe X509_get_subject_name(issuer?.raw ?? raw)
        guard unsafe X509_set_issuer_name(raw, name) == 1 else { throw TLSError(.library) }
    }

    /// Adds an extension from a value in OpenSSL's configuration language.
    func addExtension(_ kind: Int32, _ value: String) throws(TLSError) {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, issuer?.raw ?? raw, raw, nil, nil, 0)
        guard let made = unsafe X509V3_EXT_conf_nid(nil, &context, kind, value) else { throw TLSError(.library) }
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe X509_add_ext(raw, made, -1) == 1 else { throw TLSError(.library) }
    }

    /// Adds a subjectAltName of one name or address; critical where the subject is empty [RFC 5280 s.4.2.1.6].
    func addAlternativeName(_ identity: ReferenceIdentity, isCritical: Bool) throws(TLSError) {
        // Not through the configuration language, in which a name could say more than itself.
        guard let names = unsafe GENERAL_NAMES_new() else { throw TLSError(.library) }
        defer { unsafe GENERAL_NAMES_free(names) }
        let (kind, bytes) =
            switch identity {
            case .name(let name): (GEN_DNS, Array(name.utf8))
            case .address(let address): (GEN_IPADD, address.networkBytes)
            }
        guard let name = unsafe GENERAL_NAME_new() else { throw TLSError(.library) }
        guard let value = unsafe ASN1_STRING_type_new(kind == GEN_DNS ? V_ASN1_IA5STRING : V_ASN1_OCTET_STRING),
            unsafe ASN1_STRING_set(value, bytes, Int32(bytes.count)) == 1
        else {
            unsafe GENERAL_NAME_free(name)
            throw TLSError(.library)
        }
        unsafe GENERAL_NAME_set0_value(name, kind, value)
        guard unsafe COpenSSL_sk_GENERAL_NAME_push(names, name) > 0 else {
            unsafe GENERAL_NAME_free(name)
            throw TLSError(.library)
        }
        let list = unsafe UnsafeMutableRawPointer(names)
        guard unsafe X509_add1_ext_i2d(raw, NID_subject_alt_name, list, isCritical ? 1 : 0, 0) == 1 else {
            throw TLSError(.library)
        }
    }

    /// Signs it.
    func sign(with key: PrivateKey) throws(TLSError) -> Certificate {
        guard unsafe X509_sign(raw, key.raw, key.digest) > 0 else { throw TLSError(.library) }
        return unsafe Certificate(sharing: raw)
    }
}
