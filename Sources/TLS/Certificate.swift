internal import COpenSSL
package import Trust

/// One X.509 certificate [RFC 5280].
@safe package final class Certificate: @unchecked Sendable {
    // Unchecked: OpenSSL locks what it caches in a certificate, and nothing here changes one.
    let raw: OpaquePointer

    /// Takes over one reference to an `X509`.
    init(taking raw: OpaquePointer) { unsafe self.raw = raw }

    /// Shares an `X509` that another owns.
    convenience init(sharing raw: OpaquePointer) {
        unsafe X509_up_ref(raw)
        unsafe self.init(taking: raw)
    }

    deinit { unsafe X509_free(raw) }

    /// The certificates of a file in their order: PEM, also with other blocks in between, or one in DER.
    ///
    /// Throws `material` where there is none, or one that can't be read.
    package static func all(in bytes: Span<UInt8>) throws(TLSError) -> [Certificate] {
        ERR_clear_error()
        if !bytes.isEmpty, bytes[0] == 0x30 { return [try one(der: bytes)] }
        let source = try MemoryBIO(reading: bytes)
        var found: [Certificate] = []
        while let raw = unsafe PEM_read_bio_X509(source.raw, nil, nil, nil) {
            unsafe found.append(Certificate(taking: raw))
        }
        // The end of the text is told as a missing beginning.
        let last = ERR_peek_last_error()
        guard !found.isEmpty, ERR_GET_LIB(last) == ERR_LIB_PEM, ERR_GET_REASON(last) == PEM_R_NO_START_LINE else {
            throw TLSError(.material, .local, found.isEmpty ? "no certificate" : "a certificate can't be read")
        }
        ERR_clear_error()
        return found
    }

    private static func one(der bytes: Span<UInt8>) throws(TLSError) -> Certificate {
        let raw = unsafe bytes.withUnsafeBufferPointer { storage in
            var position = storage.baseAddress
            let raw = unsafe d2i_X509(nil, &position, storage.count)
            return unsafe raw
        }
        guard let raw = unsafe raw else { throw TLSError(.material, .local, "a certificate can't be read") }
        return unsafe Certificate(taking: raw)
    }

    /// What evaluation and reports need of it.
    package var facts: CertificateFacts { unsafe CertificateFacts(raw) }

    /// It as PEM [RFC 7468].
    package var pem: [UInt8] {
        get throws(TLSError) {
            let target = try MemoryBIO()
            guard unsafe PEM_write_bio_X509(target.raw, raw) == 1 else { throw TLSError(.library) }
            return target.bytes
        }
    }
}
