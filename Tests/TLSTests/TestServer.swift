import COpenSSL
import Trust

@testable import TLS

/// A TLS server over one end of a BIO pair, made by calls to OpenSSL that the room has no part in.
@safe final class TestServer {
    /// How a server is set up.
    struct Terms {
        /// Leaf first.
        var chain: [TestCertificate] = []
        /// What is sent behind the leaf; nil: the rest of `chain`.
        var presented: [TestCertificate]?
        var minimum = TLS1_2_VERSION
        var maximum = TLS1_3_VERSION
        /// Asks for a client certificate of these authorities; an empty list asks for any.
        var clientAuthorities: [TestCertificate]?
        /// Refuses the client's certificate, or that there is none, after looking at it.
        var refusesClient = false
        var staple: [UInt8]?
        var offersProtocols = true
    }

    let ssl: OpaquePointer
    private let end: BIOPair.End
    /// Kept: its callback speaks of it.
    private let context: TestServerContext
    /// What OpenSSL's queue said when it failed.
    private(set) var failure: String?

    init(_ context: TestServerContext, over end: BIOPair.End) {
        self.end = end
        self.context = context
        unsafe ssl = SSL_new(context.raw)
        unsafe SSL_set_accept_state(ssl)
        unsafe BIO_up_ref(end.raw)
        unsafe SSL_set_bio(ssl, end.raw, end.raw)
    }

    deinit {
        unsafe SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        unsafe SSL_free(ssl)
    }

    /// Takes the handshake on; whether it is done.
    func handshake() -> Bool {
        if failure != nil { return false }
        ERR_clear_error()
        let status = unsafe SSL_do_handshake(ssl)
        if status == 1 { return true }
        note(status)
        return false
    }

    private func note(_ status: Int32) {
        let error = unsafe SSL_get_error(ssl, status)
        guard error != SSL_ERROR_WANT_READ, error != SSL_ERROR_WANT_WRITE else { return }
        failure =
            ERR_peek_error() == 0 ? "error \(error)" : unsafe String(cString: ERR_reason_error_string(ERR_peek_error()))
        ERR_clear_error()
    }

    /// What has arrived.
    func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var total = 0
        while total < bytes.count {
            ERR_clear_error()
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe SSL_read(ssl, $0.baseAddress! + total, Int32($0.count - total))
            }
            guard count > 0 else {
                note(count)
                break
            }
            total += Int(count)
        }
        return Array(bytes.prefix(total))
    }

    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool { unsafe SSL_write(ssl, bytes, Int32(bytes.count)) == Int32(bytes.count) }

    /// Changes its keys that many times, and asks the client to do so as well.
    func changeKeys(_ count: Int) {
        for _ in 0..<count {
            guard unsafe SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) == 1, unsafe SSL_do_handshake(ssl) == 1 else {
                return
            }
        }
    }

    /// Sends that many further tickets.
    func giveTickets(_ count: Int) {
        for _ in 0..<count {
            guard unsafe SSL_new_session_ticket(ssl) == 1, unsafe SSL_do_handshake(ssl) == 1 else { return }
        }
    }

    /// The subject of the certificate that the client has shown.
    var clientSubject: String? {
        guard let raw = unsafe SSL_get0_peer_certificate(ssl) else { return nil }
        return unsafe Certificate(sharing: raw).facts.subject
    }

    var serverName: String? {
        unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { unsafe String(cString: $0) }
    }
}

/// What the servers of one test share.
@safe final class TestServerContext {
    let raw: OpaquePointer
    let terms: TestServer.Terms

    init(_ terms: TestServer.Terms) {
        self.terms = terms
        unsafe raw = SSL_CTX_new(TLS_server_method())
        _ = unsafe COpenSSL_SSL_CTX_set_min_proto_version(raw, terms.minimum)
        _ = unsafe COpenSSL_SSL_CTX_set_max_proto_version(raw, terms.maximum)
        // Servers may be as bad as they like: the client is what is tested.
        unsafe SSL_CTX_set_cipher_list(raw, "ALL:@SECLEVEL=0")
        unsafe SSL_CTX_set_security_level(raw, 0)
        if let leaf = terms.chain.first {
            let stack = unsafe COpenSSL_sk_X509_new_null()!
            for certificate in terms.presented ?? Array(terms.chain.dropFirst()) {
                _ = unsafe COpenSSL_sk_X509_push(stack, certificate.raw)
            }
            let status = unsafe SSL_CTX_use_cert_and_key(raw, leaf.raw, leaf.key, stack, 1)
            precondition(status == 1, "the server's certificate")
            unsafe COpenSSL_sk_X509_free(stack)
        }
        let name = Array("test".utf8)
        unsafe SSL_CTX_set_session_id_context(raw, name, UInt32(name.count))
        if terms.offersProtocols { unsafe SSL_CTX_set_alpn_select_cb(raw, selectProtocol, nil) }
        if let authorities = terms.clientAuthorities {
            let judge: @convention(c) (Int32, OpaquePointer?) -> Int32 =
                terms.refusesClient ? { _, _ in 0 } : { _, _ in 1 }
            let mode = SSL_VERIFY_PEER | (terms.refusesClient ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0)
            unsafe SSL_CTX_set_verify(raw, mode, judge)
            for authority in authorities { unsafe SSL_CTX_add_client_CA(raw, authority.raw) }
        }
        if terms.staple != nil {
            unsafe SSL_CTX_set_ex_data(raw, 0, Unmanaged.passUnretained(self).toOpaque())
            unsafe COpenSSL_SSL_CTX_set_tlsext_status_cb(raw, staple)
        }
    }

    deinit { unsafe SSL_CTX_free(raw) }
}

private func staple(_ ssl: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    guard let pointer = unsafe SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), 0) else { return SSL_TLSEXT_ERR_NOACK }
    let bytes = unsafe Unmanaged<TestServerContext>.fromOpaque(pointer).takeUnretainedValue().terms.staple ?? []
    // OpenSSL frees it.
    let copy = unsafe CRYPTO_malloc(bytes.count, nil, 0)!
    unsafe copy.copyMemory(from: bytes, byteCount: bytes.count)
    unsafe COpenSSL_SSL_set_tlsext_status_ocsp_resp(ssl, copy.assumingMemoryBound(to: UInt8.self), bytes.count)
    return SSL_TLSEXT_ERR_OK
}
