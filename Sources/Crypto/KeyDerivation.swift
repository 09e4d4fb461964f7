internal import COpenSSL

/// Keys from passwords, slowly on purpose.
package enum KeyDerivation {
    /// scrypt [RFC 7914] of `password` and `salt`: `n` a power of two, 128·n·r bytes of memory, which must be there.
    package static func scrypt(
        password: Span<UInt8>,
        salt: Span<UInt8>,
        n: UInt64,
        r: UInt64,
        p: UInt64,
        count: Int
    ) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: count)
        // OpenSSL refuses to go beyond 32 MiB unless told so.
        let memoryLimit = 128 * n * r + 128 * r * p + 1024 * 1024
        let status = unsafe password.withUnsafeBytes { passwordBytes in
            unsafe salt.withUnsafeBufferPointer { saltBytes in
                unsafe EVP_PBE_scrypt(
                    passwordBytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                    passwordBytes.count,
                    saltBytes.baseAddress,
                    saltBytes.count,
                    n,
                    r,
                    p,
                    memoryLimit,
                    &key,
                    count
                )
            }
        }
        precondition(status == 1, "scrypt was called with parameters that are out of range")
        return key
    }
}
