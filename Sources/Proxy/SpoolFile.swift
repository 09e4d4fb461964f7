internal import Events
internal import Glibc

/// A file without a name that keeps what is too large for memory; made by its first write, gone when it is closed.
///
/// Loops only pass it on: whatever may block is called by the lane for files.
final class SpoolFile: Sendable {
    private let folder: String
    private let descriptor = Locked<Int32?>(nil)

    /// A file that is to be made in `folder`.
    init(folder: String) { self.folder = folder }

    deinit { close() }

    /// Writes all of `bytes` from `offset` on; false on a full disk or another error.
    func write(_ bytes: [UInt8], at offset: UInt64) -> Bool {
        guard let descriptor = opened() else { return false }
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start, off_t(offset) + start)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }

    /// At most `limit` bytes from `offset` on; none where they can't be read.
    func read(at offset: UInt64, limit: Int) -> [UInt8] {
        guard let descriptor = descriptor.withLock({ $0 }) else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            var result = -1
            repeat {
                result = unsafe pread(descriptor, buffer.baseAddress, limit, off_t(offset))
            } while result < 0 && errno == EINTR
            count = max(0, result)
        }
    }

    /// Gives its place on the disk back, which takes the longer the larger it is.
    func close() {
        if let descriptor = descriptor.withLock({ $0.take() }) { _ = Glibc.close(descriptor) }
    }

    private func opened() -> Int32? {
        descriptor.withLock { descriptor in
            if descriptor == nil { descriptor = Self.make(in: folder) }
            return descriptor
        }
    }

    private static func make(in folder: String) -> Int32? {
        var name = Array((folder + "/countersign-spool-XXXXXX").utf8CString)
        let made = unsafe name.withUnsafeMutableBufferPointer { pointer -> Int32 in
            guard let base = pointer.baseAddress else { return -1 }
            let made = unsafe mkstemp(base)
            if made >= 0 {
                _ = unsafe unlink(base)
                _ = fcntl(made, F_SETFD, FD_CLOEXEC)
            }
            return made
        }
        return made >= 0 ? made : nil
    }
}
