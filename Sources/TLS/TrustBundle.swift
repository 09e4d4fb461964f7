internal import COpenSSL
internal import Trust

/// What programs are to trust, as the files that they take.
package struct TrustBundle {
    /// One after the other, each once.
    package let certificates: [Certificate]

    /// The system's anchors in `files`, of which those that can't be read are left out, and an authority of ours behind them.
    package init(system files: [[UInt8]], authority: Certificate) throws(TLSError) {
        var certificates: [Certificate] = []
        var seen: Set<[UInt8]> = []
        for file in files {
            for certificate in (try? Certificate.all(in: file.span)) ?? []
            where seen.insert(certificate.facts.fingerprint.bytes).inserted {
                certificates.append(certificate)
            }
        }
        if seen.insert(authority.facts.fingerprint.bytes).inserted { certificates.append(authority) }
        self.certificates = certificates
    }

    /// All as PEM [RFC 7468].
    package var pem: [UInt8] {
        get throws(TLSError) {
            var pem: [UInt8] = []
            for certificate in certificates { pem += try certificate.pem }
            return pem
        }
    }

    /// All as a store that Java reads: PKCS #12 [RFC 7292] without a password, each marked as trusted for anything.
    package var keyStore: [UInt8] {
        get throws(TLSError) {
            ERR_clear_error()
            var bags: OpaquePointer?
            defer { unsafe COpenSSL_sk_PKCS12_SAFEBAG_pop_free(bags) }
            for (number, certificate) in certificates.enumerated() {
                guard let bag = unsafe PKCS12_add_cert(&bags, certificate.raw) else { throw TLSError(.library) }
                guard unsafe PKCS12_add_friendlyname_utf8(bag, "anchor \(number)", -1) == 1, unsafe Self.mark(bag)
                else {
                    throw TLSError(.library)
                }
            }
            var parts: OpaquePointer?
            defer { unsafe COpenSSL_sk_PKCS7_pop_free(parts) }
            guard unsafe PKCS12_add_safe(&parts, bags, -1, 0, nil) == 1,
                let store = unsafe PKCS12_add_safes(parts, 0)
            else { throw TLSError(.library) }
            defer { unsafe PKCS12_free(store) }
            let target = try MemoryBIO()
            guard unsafe i2d_PKCS12_bio(target.raw, store) == 1 else { throw TLSError(.library) }
            return target.bytes
        }
    }

    /// Java takes a certificate without a key for an anchor by Oracle's attribute for that, whose value here is
    /// anyExtendedKeyUsage.
    private static func mark(_ bag: OpaquePointer) -> Bool {
        guard let any = unsafe OBJ_txt2obj("2.5.29.37.0", 1) else { return false }
        defer { unsafe ASN1_OBJECT_free(any) }
        let value = unsafe UnsafeRawPointer(any).assumingMemoryBound(to: UInt8.self)
        return unsafe PKCS12_add1_attr_by_txt(bag, "2.16.840.1.113894.746875.1.1", V_ASN1_OBJECT, value, -1) == 1
    }

    /// Where systems keep all their anchors in one file; OpenSSL's own may be no more than a folder.
    package static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
    ]
}
