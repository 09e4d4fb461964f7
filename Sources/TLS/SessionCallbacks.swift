internal import COpenSSL

// What OpenSSL calls in the course of a session. Each finds its session, or refuses.

extension TLSSession {
    /// Makes the callbacks find this session; undone before it is freed.
    func attach() {
        unsafe SSL_set_ex_data(ssl, Self.index, Unmanaged.passUnretained(self).toOpaque())
    }

    fileprivate static func of(_ ssl: OpaquePointer?) -> TLSSession? {
        guard let ssl = unsafe ssl, let pointer = unsafe SSL_get_ex_data(ssl, index) else { return nil }
        return unsafe Unmanaged<TLSSession>.fromOpaque(pointer).takeUnretainedValue()
    }

    private static let index = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL, 0, nil, nil, nil, nil)
}

/// Judges the server (T-1): in place of OpenSSL's own verification, before our certificate flight.
func verifyServer(_ store: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    guard let store = unsafe store else { return 0 }
    // Whatever happens from here on, nothing has been verified yet.
    unsafe X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION)
    let ssl = unsafe X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx())
    guard let session = unsafe TLSSession.of(OpaquePointer(ssl)) else { return 0 }
    return unsafe session.verifyServer(store) ? 1 : 0
}

/// Judges what the server stapled, or that it didn't; before our certificate flight as well.
func judgeStaple(_ ssl: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    guard let session = unsafe TLSSession.of(ssl) else { return 0 }
    return session.judgeStaple() ? 1 : 0
}

/// Chooses the certificate for a server that asks for one; none is an empty answer, which the server may accept.
func chooseCertificate(_ ssl: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    guard let session = unsafe TLSSession.of(ssl) else { return 0 }
    return session.chooseCertificate() ? 1 : 0
}

/// Keeps a session that may be resumed; 1 says that the reference is ours now.
func keepSession(_ ssl: OpaquePointer?, _ resumable: OpaquePointer?) -> Int32 {
    guard let session = unsafe TLSSession.of(ssl), let resumable = unsafe resumable else { return 0 }
    return unsafe session.keep(resumable) ? 1 : 0
}

/// Notes that a renegotiation was refused, of which OpenSSL says nothing else (T-9).
func noteAlert(_ ssl: OpaquePointer?, _ event: Int32, _ value: Int32) {
    guard event == SSL_CB_WRITE_ALERT, value & 0xff == SSL_AD_NO_RENEGOTIATION else { return }
    unsafe TLSSession.of(ssl)?.hasRefusedRenegotiation = true
}

/// Answers a client's ALPN: http/1.1 if it is offered, else nothing that we could speak.
func selectProtocol(
    _: OpaquePointer?,
    _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenCount: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?,
    _ offeredCount: UInt32,
    _: UnsafeMutableRawPointer?
) -> Int32 {
    guard let offered = unsafe offered, let chosen = unsafe chosen, let chosenCount = unsafe chosenCount else {
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
    let list = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
    var index = 0
    while index < list.count {
        let count = unsafe Int(list[index])
        guard index + 1 + count <= list.count else { break }
        if unsafe list[index..<(index + 1 + count)].elementsEqual(TLSContext.protocols) {
            // Points into what the client sent, which lives as long as OpenSSL needs it.
            unsafe chosen.pointee = offered + index + 1
            unsafe chosenCount.pointee = UInt8(count)
            return SSL_TLSEXT_ERR_OK
        }
        index += 1 + count
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
