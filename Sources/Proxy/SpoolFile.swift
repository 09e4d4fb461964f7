internal import Bytes
internal import Glibc

/// A file without a name that keeps what is too large for memory; gone with its last descriptor.
@safe struct SpoolFile: ~Copyable {
    private let descriptor: Int32
    private var end: Int = 0

    /// Makes the file in `folder`; nil where that can't be done.
    init?(folder: String) {
        let path = folder + "/countersign-spool-XXXXXX"
        var name = Array(path.utf8CString)
        let made = unsafe name.withUnsafeMutableBufferPointer { pointer -> Int32 in
            guard let base = pointer.baseAddress else { return -1 }
            let made = unsafe mkstemp(base)
            if made >= 0 {
                _ = unsafe unlink(base)
                _ = fcntl(made, F_SETFD, FD_CLOEXEC)
            }
            return made
        }
        guard made >= 0 else { return nil }
        descriptor = made
    }

    /// Appends all of `bytes`; false on a full disk or another error.
    mutating func append(_ bytes: Span<UInt8>) -> Bool {
        var start = 0
        while start < bytes.count {
            let part = bytes.extracting(start..<bytes.count)
            let offset = end
            let count = unsafe part.withUnsafeBufferPointer {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            start += count
            end += count
        }
        return true
    }

    /// Appends at most `limit` bytes from `offset` on to `buffer`; false where none can be read.
    borrowing func read(at offset: UInt64, limit: Int, into buffer: inout ByteBuffer) -> Bool {
        var writable = buffer.writable(minimum: limit)
        let count = unsafe writable.withUnsafeMutableBufferPointer {
            unsafe pread(descriptor, $0.baseAddress, min(limit, $0.count), off_t(offset))
        }
        guard count > 0 else { return false }
        buffer.commit(count)
        return true
    }

    deinit { _ = Glibc.close(descriptor) }
}
