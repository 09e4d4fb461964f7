internal import COpenSSL

/// Computes one message digest after the other without allocating.
///
/// It holds the state of OpenSSL's low-level digests in place: EVP, which is meant to replace them, allocates a state for
/// each message (OpenSSL 3.0) and takes twice the time for a short one. It belongs to one thread. Whoever feeds a long
/// message piece by piece needs one of its own.
package final class MessageDigest {
    private var algorithm = DigestAlgorithm.md5
    private var md5 = MD5_CTX()
    private var sha256 = SHA256_CTX()
    private var sha512 = SHA512_CTX()
    private var isUnderWay = false

    /// A digest that waits for `begin`.
    package init() {}

    deinit { wipe() }

    /// Starts a new message and forgets what was left of another; `algorithm` must be available.
    package func begin(_ algorithm: DigestAlgorithm) {
        self.algorithm = algorithm
        isUnderWay = true
        switch algorithm {
        case .md5: unsafe MD5_Init(&md5)
        case .sha256: unsafe SHA256_Init(&sha256)
        case .sha512_256:
            unsafe SHA512_Init(&sha512)
            sha512.h = Self.initialValue
            sha512.md_len = CUnsignedInt(algorithm.byteCount)
        }
    }

    /// Adds `bytes` to the message that was begun.
    package func update(_ bytes: Span<UInt8>) {
        precondition(isUnderWay, "a digest was updated before it was begun")
        unsafe bytes.withUnsafeBytes { storage in
            switch algorithm {
            case .md5: _ = unsafe MD5_Update(&md5, storage.baseAddress, storage.count)
            case .sha256: _ = unsafe SHA256_Update(&sha256, storage.baseAddress, storage.count)
            case .sha512_256: _ = unsafe SHA512_Update(&sha512, storage.baseAddress, storage.count)
            }
        }
    }

    /// Adds one byte to the message that was begun.
    package func update(_ byte: UInt8) {
        let bytes = [1 of UInt8](repeating: byte)
        update(bytes.span)
    }

    /// Ends the message: writes its digest to the beginning of `result` and returns the digest's length.
    package func finish(into result: inout [64 of UInt8]) -> Int {
        precondition(isUnderWay, "a digest was finished before it was begun")
        isUnderWay = false
        var span = result.mutableSpan
        unsafe span.withUnsafeMutableBufferPointer { storage in
            switch algorithm {
            case .md5: _ = unsafe MD5_Final(storage.baseAddress, &md5)
            case .sha256: _ = unsafe SHA256_Final(storage.baseAddress, &sha256)
            case .sha512_256: _ = unsafe SHA512_Final(storage.baseAddress, &sha512)
            }
        }
        wipe()
        return algorithm.byteCount
    }

    /// The digest of one whole message.
    package func digest(_ algorithm: DigestAlgorithm, of bytes: Span<UInt8>) -> [UInt8] {
        begin(algorithm)
        update(bytes)
        var result = [64 of UInt8](repeating: 0)
        let count = finish(into: &result)
        return (0..<count).map { result[$0] }
    }

    /// Overwrites the state that was used: at its end it is the digest itself, which may be a key.
    private func wipe() {
        switch algorithm {
        case .md5: unsafe OPENSSL_cleanse(&md5, MemoryLayout<MD5_CTX>.size)
        case .sha256: unsafe OPENSSL_cleanse(&sha256, MemoryLayout<SHA256_CTX>.size)
        case .sha512_256: unsafe OPENSSL_cleanse(&sha512, MemoryLayout<SHA512_CTX>.size)
        }
    }

    /// The initial hash value of SHA-512/256 [FIPS 180-4, section 5.3.6.2].
    private static let initialValue: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
        0x2231_2194_fc2b_f72c, 0x9f55_5fa3_c84c_64c2, 0x2393_b86b_6f53_b151, 0x9638_7719_5940_eabd,
        0x9628_3ee2_a88e_ffe3, 0xbe5e_1e25_5386_3992, 0x2b01_99fc_2c85_b8aa, 0x0eb7_2ddc_81c5_2ca2
    )
}

@available(*, unavailable)
extension MessageDigest: Sendable {}
