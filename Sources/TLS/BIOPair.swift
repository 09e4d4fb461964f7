internal import COpenSSL

/// Two ends in memory, each of which gives what was written to the other: a connection without sockets.
package struct BIOPair {
    /// One end.
    @safe package final class End: @unchecked Sendable {
        // Unchecked: a pair is used by one thread at a time, as a session is.
        let raw: OpaquePointer

        init(taking raw: OpaquePointer) { unsafe self.raw = raw }

        deinit { unsafe BIO_free(raw) }

        /// Ends this end's direction, as a peer does that closes without a word.
        package func shutdownWrite() { unsafe COpenSSL_BIO_shutdown_wr(raw) }

        /// How many bytes of the other end's wait here.
        package var waitingCount: Int { unsafe BIO_ctrl_pending(raw) }

        /// How many bytes can be written here now.
        package var room: Int { unsafe BIO_ctrl_get_write_guarantee(raw) }

        /// Takes what waits, as much as `bytes` holds, and says how much.
        package func read(into bytes: inout MutableSpan<UInt8>) -> Int {
            var count = 0
            _ = unsafe bytes.withUnsafeMutableBytes { unsafe BIO_read_ex(raw, $0.baseAddress, $0.count, &count) }
            return count
        }

        /// Writes as much of `bytes` as there is room for, and says how much.
        package func write(_ bytes: Span<UInt8>) -> Int {
            var count = 0
            _ = unsafe bytes.withUnsafeBytes { unsafe BIO_write_ex(raw, $0.baseAddress, $0.count, &count) }
            return count
        }
    }

    package let first: End
    package let second: End

    /// A pair that holds up to `capacity` bytes in each direction.
    package init(capacity: Int = 1 << 17) throws(TLSError) {
        var first: OpaquePointer?
        var second: OpaquePointer?
        guard unsafe BIO_new_bio_pair(&first, capacity, &second, capacity) == 1 else { throw TLSError(.library) }
        guard let first = unsafe first, let second = unsafe second else { throw TLSError(.library) }
        unsafe self.first = End(taking: first)
        unsafe self.second = End(taking: second)
    }
}
