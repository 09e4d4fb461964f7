internal import COpenSSL

// How much a server gets read of it in one call: OpenSSL goes on by itself as long as there is something to skip, so that
// a flood of HelloRequests, say, would hold its thread for ever.
extension TLSSession {
    /// Reads of the transport in one call, of up to 16 KiB each.
    private static let readsAtOnce = 4

    /// From now on each call reads only so often.
    func limitReads() {
        guard let transport = unsafe SSL_get_rbio(ssl) else { return }
        unsafe BIO_set_callback_arg(
            transport,
            Unmanaged.passUnretained(self).toOpaque().assumingMemoryBound(to: CChar.self)
        )
        unsafe BIO_set_callback_ex(transport, countRead)
    }

    /// From now on a call reads as often as it likes; the session must still be there for that.
    func endLimit() {
        guard let transport = unsafe SSL_get_rbio(ssl) else { return }
        unsafe BIO_set_callback_ex(transport, nil)
        unsafe BIO_set_callback_arg(transport, nil)
    }

    /// A new call begins.
    func allowReads() { readsLeft = Self.readsAtOnce }

    fileprivate func takeRead() -> Bool {
        guard readsLeft > 0 else { return false }
        readsLeft -= 1
        return true
    }
}

/// Lets a read through, or says that there is nothing now.
private func countRead(
    _ transport: OpaquePointer?,
    _ operation: Int32,
    _: UnsafePointer<CChar>?,
    _: Int,
    _: Int32,
    _: Int,
    _ result: Int32,
    _: UnsafeMutablePointer<Int>?
) -> Int {
    guard operation == BIO_CB_READ, let transport = unsafe transport,
        let argument = unsafe BIO_get_callback_arg(transport)
    else { return Int(result) }
    let session = unsafe Unmanaged<TLSSession>.fromOpaque(argument).takeUnretainedValue()
    if session.takeRead() { return Int(result) }
    unsafe BIO_clear_flags(transport, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY)
    unsafe BIO_set_flags(transport, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
    return -1
}
