import Crypto
import Testing

/// NTOWFv1 [MS-NLMP, section 3.3.1].
struct NTHashTests {
    private func hash(_ password: String) -> String {
        NTHash.of(Secret(password)).withBytes { bytes in
            let digits = Array("0123456789abcdef")
            return bytes.indices.map { "\(digits[Int(bytes[$0] >> 4)])\(digits[Int(bytes[$0] & 15)])" }.joined()
        }
    }

    @Test("the NT hash is that of [MS-NLMP, section 4.2.2.1.2], and of an empty password that of MD4")
    func vectors() {
        #expect(hash("Password") == "a4f49c406510bdcab6824ee7c30fd852")
        // MD4("") [RFC 1320, section A.5].
        #expect(hash("") == "31d6cfe0d16ae931b73c59d7e0c089c0")
    }

    @Test("a password beyond ASCII is hashed in UTF-16, with surrogates")
    func beyondASCII() {
        // iconv -t UTF-16LE | openssl dgst -md4 -provider legacy
        #expect(hash("pässwörd") == "0553152250ac01adb4213cb9938663e4")
        #expect(hash("🔑") == "5f7b3ff474e4237afd6a078f3c4d8632")
    }
}
