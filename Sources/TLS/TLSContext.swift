internal import COpenSSL
package import Trust

/// What the TLS connections of one kind share: to servers under one policy with one client certificate, or from
/// clients.
@safe package final class TLSContext: @unchecked Sendable {
    // Unchecked: OpenSSL locks an SSL_CTX, which nothing here changes after `init`.
    let raw: OpaquePointer
    /// The policy that servers are held to; nil for a context of connections from clients.
    package let policy: TrustPolicy?
    /// What is shown to a server that asks for a certificate.
    package let identity: ClientIdentity?
    let anchors: TrustAnchors?

    /// A context for connections to servers.
    ///
    /// Throws `material` where an anchor, a revocation list, a cipher or a group of the policy is none.
    package init(
        policy: TrustPolicy,
        identity: ClientIdentity? = nil,
        systemAnchors: SystemAnchors
    ) throws(TLSError) {
        let anchors = try TrustAnchors(policy.terms, system: systemAnchors)
        guard let raw = unsafe SSL_CTX_new(TLS_client_method()) else { throw TLSError(.library) }
        unsafe self.raw = raw
        self.policy = policy
        self.identity = identity
        self.anchors = anchors
        try configure(policy.terms)
        unsafe SSL_CTX_set1_cert_store(raw, anchors.store)
        // Judged by `VerifyCallback` alone; without VERIFY_PEER its refusal would be passed over.
        unsafe SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nil)
        unsafe SSL_CTX_set_cert_verify_callback(raw, verifyServer, nil)
        unsafe COpenSSL_SSL_CTX_set_tlsext_status_cb(raw, judgeStaple)
        unsafe SSL_CTX_set_cert_cb(raw, chooseCertificate, nil)
        unsafe COpenSSL_SSL_CTX_set_session_cache_mode(raw, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
        unsafe SSL_CTX_sess_set_new_cb(raw, keepSession)
        guard unsafe SSL_CTX_set_alpn_protos(raw, Self.protocols, UInt32(Self.protocols.count)) == 0 else {
            throw TLSError(.library)
        }
        if identity == nil {
            unsafe SSL_CTX_set_options(raw, COpenSSL_SSL_OP_NO_RENEGOTIATION)
            unsafe SSL_CTX_set_info_callback(raw, noteAlert)
        } else {
            unsafe SSL_CTX_set_post_handshake_auth(raw, 1)
        }
        guard offersAnything else {
            throw TLSError(.material, .local, "ciphers: none is left of \(policy.terms.ciphers ?? "OpenSSL's own")")
        }
    }

    /// A context for connections from clients whose TLS we open, for leafs of any authority (I-1).
    package init() throws(TLSError) {
        guard let raw = unsafe SSL_CTX_new(TLS_server_method()) else { throw TLSError(.library) }
        unsafe self.raw = raw
        policy = nil
        identity = nil
        anchors = nil
        try configure(TrustPolicy.Terms())
        unsafe SSL_CTX_set_options(raw, COpenSSL_SSL_OP_NO_RENEGOTIATION | COpenSSL_SSL_OP_CIPHER_SERVER_PREFERENCE)
        unsafe SSL_CTX_set_alpn_select_cb(raw, selectProtocol, nil)
        let name = Array("countersign".utf8)
        guard unsafe SSL_CTX_set_session_id_context(raw, name, UInt32(name.count)) == 1 else {
            throw TLSError(.library)
        }
        // Each ticket costs its making; a client that comes with several connections at once makes new ones.
        unsafe SSL_CTX_set_num_tickets(raw, 1)
    }

    deinit { unsafe SSL_CTX_free(raw) }

    /// The only application protocol that the proxy speaks, as ALPN has it [RFC 7301].
    static let protocols = [8] + Array("http/1.1".utf8)

    private func configure(_ terms: TrustPolicy.Terms) throws(TLSError) {
        ERR_clear_error()
        let isVersionSet =
            unsafe COpenSSL_SSL_CTX_set_min_proto_version(raw, terms.minimumVersion.number) == 1
            && COpenSSL_SSL_CTX_set_max_proto_version(raw, terms.maximumVersion.number) == 1
        guard isVersionSet else { throw TLSError(.library) }
        try setCiphers(terms.ciphers)
        if let groups = terms.groups, unsafe COpenSSL_SSL_CTX_set1_groups_list(raw, groups) != 1 {
            throw TLSError(.material, .local, "groups: \(groups)")
        }
        // Behind the ciphers, whose list could lower it.
        unsafe SSL_CTX_set_security_level(raw, Self.securityLevel)
        unsafe SSL_CTX_set_options(raw, COpenSSL_SSL_OP_NO_COMPRESSION)
        if KernelTLS.isAvailable { unsafe SSL_CTX_set_options(raw, COpenSSL_SSL_OP_ENABLE_KTLS) }
        let mode = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS
        unsafe COpenSSL_SSL_CTX_set_mode(raw, Int(mode))
        // A read would go on for as long as the peer sends tickets and key updates, and hold its loop up meanwhile.
        unsafe COpenSSL_SSL_CTX_clear_mode(raw, Int(SSL_MODE_AUTO_RETRY))
        // Else each record costs two system calls, one for its first five bytes.
        unsafe COpenSSL_SSL_CTX_set_read_ahead(raw, 1)
    }

    /// Sets the cipher suites: those of TLS 1.3 have a list of their own.
    private func setCiphers(_ list: String?) throws(TLSError) {
        guard let list else { return }
        let names = list.split { $0 == ":" || $0 == "," || $0 == " " }
        let suites = names.filter { $0.hasPrefix("TLS_") }.joined(separator: ":")
        let others = names.filter { !$0.hasPrefix("TLS_") }.joined(separator: ":")
        let isSet =
            unsafe (suites.isEmpty || SSL_CTX_set_ciphersuites(raw, suites) == 1)
            && (others.isEmpty || SSL_CTX_set_cipher_list(raw, others) == 1)
        guard isSet else { throw TLSError(.material, .local, "ciphers: \(list)") }
    }

    /// Whether there is a cipher suite for some version, at the security level; else each handshake would fail.
    private var offersAnything: Bool {
        guard let ssl = unsafe SSL_new(raw) else { return false }
        defer { unsafe SSL_free(ssl) }
        guard let suites = unsafe SSL_get1_supported_ciphers(ssl) else { return false }
        defer { unsafe COpenSSL_sk_SSL_CIPHER_free(suites) }
        return unsafe COpenSSL_sk_SSL_CIPHER_num(suites) > 0
    }

    /// At least 112 bits for every key and signature (T-1): RSA from 2048 bits, no SHA-1.
    static let securityLevel: Int32 = 2
}

extension TLSVersion {
    fileprivate var number: Int32 {
        switch self {
        case .v12: TLS1_2_VERSION
        case .v13: TLS1_3_VERSION
        }
    }
}
