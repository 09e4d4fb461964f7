import Bytes
import Crypto
import Testing

struct KeyDerivationTests {
    @Test("scrypt gives the first two test vectors of RFC 7914, section 12")
    func vectors() {
        let empty = KeyDerivation.scrypt(password: [UInt8]().span, salt: [UInt8]().span, n: 16, r: 1, p: 1, count: 64)
        #expect(Hex.encode(empty.span).starts(with: "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8".utf8))
        let salted = KeyDerivation.scrypt(
            password: Array("password".utf8).span,
            salt: Array("NaCl".utf8).span,
            n: 1024,
            r: 8,
            p: 16,
            count: 64
        )
        #expect(Hex.encode(salted.span).starts(with: "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e773".utf8))
    }
}
