import Crypto
import Testing

struct PasswordHashTests {
    /// bcrypt's from the test data of Openwall's crypt_blowfish, SHA-2's as `openssl passwd` and Drepper's specification
    /// have them.
    private static let known = [
        ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
        ("$2y$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy", ""),
        (
            "$2b$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui",
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        ),
        ("$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5", "Hello world!"),
        ("$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA", "Hello world!"),
        (
            "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
            "Hello world!"
        ),
    ]

    private func matches(_ hash: PasswordHash, _ password: String) -> Bool {
        let bytes = Array(password.utf8)
        return hash.matches(bytes.span)
    }

    @Test("R-9 a password is compared with bcrypt's and SHA-2 crypt's hashes of it")
    func knownHashes() throws {
        for (text, password) in Self.known {
            let hash = try PasswordHash(Array(text.utf8).span)
            #expect(matches(hash, password), "\(text)")
            #expect(!matches(hash, password + "x") || password.utf8.count >= 72, "\(text)")
            #expect(!matches(hash, password + "\0"), "\(text)")
            #expect(!matches(hash, String(repeating: "a", count: 512)), "\(text)")
        }
    }

    @Test(
        "a hash of another scheme, one that is cut, and one that takes seconds are refused",
        arguments: [
            ("$apr1$hEKy.n/0$vgjsNcdVmH/Q.J5gonT3x/", PasswordHash.Failure.unsupported("MD5 (apr1)")),
            ("{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", .unsupported("SHA-1")),
            ("$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", .unsupported("a faulty bcrypt")),
            ("rqXexS6ZhobKA", .unsupported("DES crypt, or a password in the clear")),
            ("", .unsupported("no hash that is known")),
            ("$2y$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWN", .malformed),
            ("$2y$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWN:", .malformed),
            ("$2y$5$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy", .malformed),
            ("$2y$31$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy", .tooCostly),
            ("$5$saltstring$", .malformed),
            ("$5$rounds=999999999$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5", .tooCostly),
            ("$6$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5", .malformed),
        ]
    )
    func refused(_ text: String, _ failure: PasswordHash.Failure) {
        #expect(throws: failure) { try PasswordHash(Array(text.utf8).span) }
    }
}
