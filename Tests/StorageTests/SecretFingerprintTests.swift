import Crypto
import Testing

@testable import Storage

struct SecretFingerprintTests {
    let salt = [UInt8](0..<16)

    @Test("A-7b a fingerprint is the first 16 bits of scrypt over the lengths, the login name and the secret")
    func value() {
        // Python: hashlib.scrypt(struct.pack('<Q', 5) + b'alice' + struct.pack('<Q', 4) + b'CORP' + b'secret',
        //                        salt=bytes(range(16)), n=4096, r=8, p=4, maxmem=64 << 20)[:2].hex()
        let fingerprint = SecretFingerprint(
            username: Array("alice".utf8),
            domain: "CORP",
            secret: Secret("secret"),
            salt: salt
        )
        #expect(fingerprint.bits == 0xDF8D)
    }

    @Test("A-7b it differs with the secret, the login name, where one ends and the other begins, and the salt")
    func differences() {
        func bits(_ username: String, _ domain: String, _ secret: String, _ salt: [UInt8]) -> UInt16 {
            SecretFingerprint(username: Array(username.utf8), domain: domain, secret: Secret(secret), salt: salt).bits
        }
        let all = [
            bits("alice", "", "secret", salt), bits("alice", "", "secres", salt), bits("alicf", "", "secret", salt),
            bits("alices", "", "ecret", salt), bits("", "alice", "secret", salt),
            bits("alice", "", "secret", salt.reversed()),
        ]
        #expect(Set(all).count == all.count)
        #expect(bits("alice", "", "secret", salt) == all[0])
    }
}
