package import Crypto

/// Sixteen bits that tell whether a secret changed, and too little to find it out by.
///
/// scrypt [RFC 7914] of the secret and of the name that it logs in with, under the salt of the ledger's file.
package struct SecretFingerprint: Hashable, Sendable {
    /// The bits.
    package let bits: UInt16

    package init(bits: UInt16) {
        self.bits = bits
    }

    /// Computes it, which takes some 50 ms of one processor and, meanwhile, 16 MiB of memory.
    package init(username: [UInt8], domain: String, secret: Secret, salt: [UInt8]) {
        var input: [UInt8] = []
        // Grown once, so that no copy of the secret is left behind.
        input.reserveCapacity(username.count + domain.utf8.count + secret.count + 16)
        for part in [username, Array(domain.utf8)] {
            for shift in stride(from: 0, to: 64, by: 8) { input.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
            input.append(contentsOf: part)
        }
        secret.withBytes { bytes in
            for index in bytes.indices { input.append(bytes[index]) }
        }
        let key = Secret(wiping: &input).withBytes { bytes in
            // Four passes in 4 MiB cost a guess what one in 16 MiB does, and an upload that is answered again stays small.
            KeyDerivation.scrypt(password: bytes, salt: salt.span, n: 1 << 12, r: 8, p: 4, count: 2)
        }
        bits = UInt16(key[0]) << 8 | UInt16(key[1])
    }
}
