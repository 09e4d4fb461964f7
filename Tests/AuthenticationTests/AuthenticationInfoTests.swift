import Authentication
import Bytes
import Testing

struct AuthenticationInfoTests {
    @Test(
        "A-5 nextnonce is read whatever stands around it",
        arguments: [
            (#"nextnonce="abc==", qop=auth"#, "abc=="), (#"qop=auth,NextNonce = "a\"b""#, #"a"b"#),
            (#"xnextnonce="no", nextnonce=yes"#, "yes"), (#"rspauth="nextnonce=x", nextnonce="y""#, "y"),
            (#"junk, "quoted junk", nextnonce="y""#, "y"), (",,\tnextnonce=\"y\"", "y"),
        ]
    )
    func nextNonce(_ field: String, _ expected: String) {
        #expect(nonce(field) == expected)
    }

    @Test(
        "A-2 a nextnonce that is empty, open or has a control character is none",
        arguments: [
            #"nextnonce="""#, "nextnonce=", #"nextnonce="abc"#, "nextnonce=\"a\rb\"", "nextnonce=\"a\\\u{0}b\"",
            "nextnonce",
            "", "nextnonce=\"abc\\",
        ]
    )
    func noNonce(_ field: String) {
        #expect(nonce(field) == nil)
    }

    private func nonce(_ field: String) -> String? {
        AuthenticationInfo.nextNonce(in: Array(field.utf8).span).map { String(decoding: $0, as: UTF8.self) }
    }
}
