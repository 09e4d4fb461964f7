internal import COpenSSL
internal import Glibc
internal import Trust

/// The system's own trust anchors, read once for all contexts of a configuration.
@safe package final class SystemAnchors: @unchecked Sendable {
    // Unchecked: OpenSSL locks a store, to which nothing is added after `init`.
    let store: OpaquePointer

    /// Reads what OpenSSL is set up to trust: its default file and folder, or SSL_CERT_FILE and SSL_CERT_DIR.
    package init() throws(TLSError) {
        ERR_clear_error()
        guard let store = unsafe X509_STORE_new() else { throw TLSError(.library) }
        unsafe self.store = store
        guard unsafe X509_STORE_set_default_paths(store) == 1 else { throw TLSError(.library) }
        // A file that isn't there is an entry in the queue, and no failure.
        ERR_clear_error()
    }

    deinit { unsafe X509_STORE_free(store) }
}

/// Where the paths of one policy may end, and the revocation lists that they are held against.
@safe final class TrustAnchors: @unchecked Sendable {
    // Unchecked: as above.
    let store: OpaquePointer
    /// The certificates that the policy names: a path may end at any of them, whether it is a root or not.
    let named: [Certificate]
    let hasRevocationLists: Bool

    init(_ terms: TrustPolicy.Terms, system: SystemAnchors) throws(TLSError) {
        ERR_clear_error()
        var named: [Certificate] = []
        for case .file(let name, let pem) in terms.anchors {
            do { named += try Certificate.all(in: pem.span) } catch {
                throw TLSError(.material, .local, "\(name): \(error)")
            }
        }
        self.named = named
        var lists: (name: String, bytes: [UInt8])?
        if case .crl(let name, let bytes) = terms.revocation { lists = (name, bytes) }
        hasRevocationLists = lists != nil
        if named.isEmpty && lists == nil {
            unsafe store = system.store
            unsafe X509_STORE_up_ref(store)
            return
        }
        guard let store = unsafe X509_STORE_new() else { throw TLSError(.library) }
        unsafe self.store = store
        if terms.anchors.contains(.system) { try addAll(of: system) }
        for certificate in named { try add(certificate) }
        if let lists { try addRevocationLists(lists.bytes, of: lists.name) }
    }

    deinit { unsafe X509_STORE_free(store) }

    private func add(_ certificate: Certificate) throws(TLSError) {
        guard unsafe X509_STORE_add_cert(store, certificate.raw) == 1 else { throw TLSError(.library) }
    }

    private func addAll(of system: SystemAnchors) throws(TLSError) {
        guard let objects = unsafe X509_STORE_get1_all_certs(system.store) else { throw TLSError(.library) }
        defer { unsafe COpenSSL_sk_X509_pop_free(objects) }
        for certificate in unsafe CertificateStack.elements(of: objects) { try add(certificate) }
        // What lies in a folder by the hash of its name is looked up when it is needed.
        guard let lookup = unsafe X509_STORE_add_lookup(store, X509_LOOKUP_hash_dir()) else { throw TLSError(.library) }
        let folder = unsafe UnsafePointer(getenv(X509_get_default_cert_dir_env())) ?? X509_get_default_cert_dir()
        _ = unsafe X509_LOOKUP_ctrl(lookup, X509_L_ADD_DIR, folder, Int(X509_FILETYPE_PEM), nil)
        ERR_clear_error()
    }

    private func addRevocationLists(_ bytes: [UInt8], of name: String) throws(TLSError) {
        var count = 0
        let source = try MemoryBIO(reading: bytes.span)
        let isDER = bytes.first == 0x30
        while let list = unsafe isDER
            ? d2i_X509_CRL_bio(source.raw, nil) : PEM_read_bio_X509_CRL(source.raw, nil, nil, nil)
        {
            defer { unsafe X509_CRL_free(list) }
            guard unsafe X509_STORE_add_crl(store, list) == 1 else { throw TLSError(.library) }
            count += 1
        }
        // The end of a text is told as a missing beginning.
        let last = ERR_peek_last_error()
        let isAtEnd = ERR_GET_LIB(last) == ERR_LIB_PEM && ERR_GET_REASON(last) == PEM_R_NO_START_LINE
        guard count > 0 else { throw TLSError(.material, .local, "\(name): no revocation list") }
        guard isDER || isAtEnd else { throw TLSError(.material, .local, "\(name): a revocation list can't be read") }
        ERR_clear_error()
    }

    /// Whether a path may end at this certificate, found in the store: a root, or one that the policy names.
    func mayEnd(at certificate: Certificate) -> Bool {
        if unsafe X509_self_signed(certificate.raw, 0) == 1 { return true }
        return named.contains { unsafe X509_cmp($0.raw, certificate.raw) == 0 }
    }
}
