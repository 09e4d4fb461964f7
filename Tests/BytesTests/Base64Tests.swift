import Testing

@testable import Bytes

@Suite struct Base64Tests {
    /// RFC 4648 s.10.
    static let vectors = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]

    @Test("the vectors of RFC 4648 encode and decode", arguments: vectors)
    func vector(_ plain: String, _ encoded: String) {
        let bytes = Array(plain.utf8)
        let text = Array(encoded.utf8)
        #expect(Base64.encode(bytes.span) == text)
        #expect(Base64.decode(text.span) == bytes)
        #expect(Base64.decode(text.span, .tolerant) == bytes)
    }

    @Test("every value of the alphabet is known")
    func alphabet() {
        let text = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let bytes = Base64.decode(text.span)
        #expect(bytes?.count == 48)
        #expect(bytes.map { Base64.encode($0.span) } == text)
    }

    @Test(
        "what is no base64 is refused",
        arguments: ["Zg", "Zg=", "Zg===", "Zh==", "Z", "Zm9v!", "Zm 9v", "=", "Zg==Zg=="]
    )
    func strict(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(Base64.decode(bytes.span) == nil)
    }

    @Test(
        "padding may be missing or too much where that is wanted",
        arguments: [("Zg", "f"), ("Zg=", "f"), ("Zg===", "f"), ("Zh==", "f"), ("Zm9v=", "foo"), ("=", "")]
    )
    func tolerant(_ text: String, _ plain: String) {
        let bytes = Array(text.utf8)
        #expect(Base64.decode(bytes.span, .tolerant) == Array(plain.utf8))
    }

    @Test("one character stands for nothing")
    func single() {
        #expect(Base64.decode(Array("Z".utf8).span, .tolerant) == nil)
        #expect(Base64.decode(Array("Zm9vZ".utf8).span, .tolerant) == nil)
    }
}
