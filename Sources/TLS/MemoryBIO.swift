internal import COpenSSL

/// A BIO over memory, through which OpenSSL reads and writes PEM.
@safe final class MemoryBIO {
    let raw: OpaquePointer

    /// An empty one, to be written to.
    init() throws(TLSError) {
        guard let raw = unsafe BIO_new(BIO_s_mem()) else { throw TLSError(.library) }
        unsafe self.raw = raw
    }

    /// One that holds a copy of `bytes`.
    convenience init(reading bytes: Span<UInt8>) throws(TLSError) {
        try self.init()
        if bytes.isEmpty { return }
        let written = unsafe bytes.withUnsafeBytes { unsafe BIO_write(raw, $0.baseAddress, Int32($0.count)) }
        guard Int(written) == bytes.count else { throw TLSError(.library) }
    }

    deinit {
        // It may have held a key.
        let storage = unsafe contents
        unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
        unsafe BIO_free(raw)
    }

    /// What was written and not yet read.
    var bytes: [UInt8] { unsafe Array(UnsafeRawBufferPointer(contents)) }

    private var contents: UnsafeMutableRawBufferPointer {
        var data: UnsafeMutablePointer<CChar>?
        let count = unsafe COpenSSL_BIO_get_mem_data(raw, &data)
        return unsafe UnsafeMutableRawBufferPointer(start: data, count: max(0, count))
    }
}
