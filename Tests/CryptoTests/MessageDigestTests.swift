import Bytes
import Crypto
import Testing

struct MessageDigestTests {
    /// RFC 1321 A.5 and FIPS 180-4's examples (NIST CSRC, SHA256.pdf and SHA512_256.pdf).
    @Test(
        "a digest is that of the standard's own example",
        arguments: [
            (DigestAlgorithm.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
            (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
            (.md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (.sha512_256, "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        ]
    )
    func examples(_ algorithm: DigestAlgorithm, _ text: String, _ expected: String) {
        let digest = MessageDigest().digest(algorithm, of: Array(text.utf8).span)
        #expect(String(Hex.encode(digest.span).span) == expected)
        #expect(digest.count == algorithm.byteCount)
    }

    @Test("pieces make the same digest as the whole, and a message begun anew forgets the one before")
    func pieces() {
        let digest = MessageDigest()
        digest.begin(.sha256)
        digest.update(Array("left over".utf8).span)
        digest.begin(.md5)
        digest.update(UInt8(ascii: "a"))
        digest.update([UInt8]().span)
        digest.update(Array("bc".utf8).span)
        var result = [64 of UInt8](repeating: 0)
        let count = digest.finish(into: &result)
        #expect(count == 16)
        #expect(String(Hex.encode(result.span.extracting(0..<count)).span) == "900150983cd24fb0d6963f7d28e17f72")
        let again = digest.digest(.sha256, of: Array("abc".utf8).span)
        #expect(Hex.encode(again.span).starts(with: "ba7816bf".utf8))
    }

    @Test("all three algorithms are here", arguments: DigestAlgorithm.allCases)
    func available(_ algorithm: DigestAlgorithm) {
        #expect(algorithm.isAvailable)
    }
}
