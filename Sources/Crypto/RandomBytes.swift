internal import Bytes
internal import COpenSSL

/// Random bytes that nobody can guess, from OpenSSL's generator.
package enum RandomBytes {
    /// Fills `bytes`; a generator without entropy ends the process, since nothing can be safe after that.
    package static func fill(_ bytes: inout MutableSpan<UInt8>) {
        if bytes.isEmpty { return }
        let status = unsafe bytes.withUnsafeMutableBufferPointer { storage in
            unsafe RAND_bytes(storage.baseAddress, CInt(storage.count))
        }
        precondition(status == 1, "the random generator has no entropy")
    }

    /// An array of `count` random bytes.
    package static func bytes(count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        fill(&span)
        return bytes
    }

    /// `count` random bytes as twice as many lower-case hex digits, as a cnonce is made.
    package static func hex(count: Int) -> [UInt8] {
        Hex.encode(bytes(count: count).span)
    }
}
