import Testing
import Trust

@Suite struct PublicKeyPinTests {
    /// SHA-256 of the empty message [FIPS 180-4], in base64.
    private let empty = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test func `a pin is read in both spellings and written in ours`() {
        #expect(PublicKeyPin("sha256/\(empty)")?.description == "sha256/\(empty)")
        #expect(PublicKeyPin("sha256//\(empty)")?.description == "sha256/\(empty)")
        // One in 64 hashes has a slash for its first digit: this one is of the text 70, by `openssl dgst`.
        let slash = "/1oa4BKvpdTIicUK1Ceq9UXTGk+sBP/BxNA9QDukJQo="
        #expect(PublicKeyPin("sha256/\(slash)")?.base64 == slash)
        #expect(PublicKeyPin("sha256//\(slash)")?.base64 == slash)
        let none: [UInt8] = []
        #expect(PublicKeyPin(ofPublicKeyInfo: none.span) == PublicKeyPin("sha256/\(empty)"))
    }

    @Test(
        "what isn't the base64 of 32 bytes under sha256 is no pin",
        arguments: [
            "", "sha256/", "sha256", "sha256/AAAA", "md5/1B2M2Y8AsgTpgAmY7PhCfg==", "sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
            "sha512/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
            "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSu*U=",
            "SHA256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFX=",
            " sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        ]
    )
    func foreign(text: String) {
        #expect(PublicKeyPin(text) == nil)
    }
}
