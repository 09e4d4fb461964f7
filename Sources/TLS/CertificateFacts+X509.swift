internal import COpenSSL
internal import Trust

extension CertificateFacts {
    /// Copies the facts of an `X509`; what can't be read is empty, so that it never matches.
    init(_ raw: OpaquePointer) {
        var dnsNames: [[UInt8]] = []
        var addresses: [[UInt8]] = []
        unsafe Self.forEachAlternativeName(of: raw) { type, bytes in
            switch type {
            case GEN_DNS: dnsNames.append(bytes)
            case GEN_IPADD: addresses.append(bytes)
            default: break
            }
        }
        let key = unsafe Self.encoded { unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(raw), &$0) }
        self.init(
            der: unsafe Self.encoded { unsafe i2d_X509(raw, &$0) },
            publicKeyPin: PublicKeyPin(ofPublicKeyInfo: key.span),
            subject: unsafe Self.line(X509_get_subject_name(raw)),
            issuer: unsafe Self.line(X509_get_issuer_name(raw)),
            notBefore: unsafe CertificateTime.seconds(X509_get0_notBefore(raw)) ?? .max,
            notAfter: unsafe CertificateTime.seconds(X509_get0_notAfter(raw)) ?? .min,
            dnsNames: dnsNames,
            addresses: addresses,
            isSelfSigned: unsafe X509_self_signed(raw, 0) == 1,
            isAuthority: unsafe X509_check_ca(raw) != 0
        )
        // What could not be read was said by an empty value.
        ERR_clear_error()
    }

    private static func forEachAlternativeName(of raw: OpaquePointer, _ body: (Int32, [UInt8]) -> Void) {
        guard let extensionValue = unsafe X509_get_ext_d2i(raw, NID_subject_alt_name, nil, nil) else { return }
        let names = OpaquePointer(extensionValue)
        defer { unsafe GENERAL_NAMES_free(names) }
        for index in 0..<max(0, unsafe COpenSSL_sk_GENERAL_NAME_num(names)) {
            var type: Int32 = 0
            guard let name = unsafe COpenSSL_sk_GENERAL_NAME_value(names, index) else { continue }
            guard let value = unsafe GENERAL_NAME_get0_value(name, &type) else { continue }
            guard type == GEN_DNS || type == GEN_IPADD else { continue }
            let string = unsafe value.assumingMemoryBound(to: ASN1_STRING.self)
            let count = Int(unsafe ASN1_STRING_length(string))
            body(type, unsafe Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: count)))
        }
    }

    /// The bytes that an i2d function writes; empty where it fails.
    private static func encoded(_ write: (inout UnsafeMutablePointer<UInt8>?) -> Int32) -> [UInt8] {
        var data: UnsafeMutablePointer<UInt8>?
        let count = unsafe write(&data)
        guard count > 0, let data = unsafe data else { return [] }
        defer { unsafe CRYPTO_free(data, nil, 0) }
        return unsafe Array(UnsafeBufferPointer(start: data, count: Int(count)))
    }

    /// A name as RFC 4514 writes it, most specific part first; control characters and what isn't ASCII are escaped.
    private static func line(_ name: OpaquePointer?) -> String {
        guard let name = unsafe name, let target = try? MemoryBIO() else { return "" }
        guard unsafe X509_NAME_print_ex(target.raw, name, 0, COpenSSL_XN_FLAG_RFC2253) >= 0 else { return "" }
        return String(decoding: target.bytes, as: UTF8.self)
    }
}

/// Times of certificates and of revocation [RFC 5280 s.4.1.2.5].
enum CertificateTime {
    /// A time in seconds of Unix time; nil where it isn't one.
    static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let time = unsafe time, let epoch = unsafe ASN1_TIME_set(nil, 0) else { return nil }
        defer { unsafe ASN1_STRING_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
