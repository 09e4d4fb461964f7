import Bytes
import Testing
import Trust

/// RFC 9525, section 6.
@Suite struct ReferenceIdentityTests {
    private func matches(_ host: String, _ names: [String], addresses: [[UInt8]] = []) -> Bool {
        let certificate = Certificates.make("localhost", names: names, addresses: addresses)
        return ReferenceIdentity(host: host).matches(certificate)
    }

    @Test(
        "T-1 a name is found in the subjectAltName, in any case",
        arguments: [
            ("example.com", "example.com"), ("EXAMPLE.com.", "example.COM"), ("localhost", "LocalHost"),
            ("a.example.com", "*.example.com"), ("A.example.com", "*.EXAMPLE.com"),
            ("xn--bcher-kva.example.com", "*.example.com"), ("under_score.example", "under_score.example"),
        ]
    )
    func found(host: String, name: String) {
        #expect(matches(host, ["other.example", name]))
    }

    @Test(
        "T-1 any other name isn't",
        arguments: [
            ("example.com", ""), ("example.com", "example.com."), ("example.com", "*.example.com"),
            ("a.b.example.com", "*.example.com"), (".example.com", "*.example.com"), ("example.com", "*.com"),
            ("a.example.com", "a*.example.com"), ("ab.example.com", "a*.example.com"),
            ("a.example.com", "*a.example.com"),
            ("a.b.example.com", "a.*.example.com"), ("a.b.example.com", "*.*.example.com"), ("a", "*"),
            ("a.example.com", "*"), ("a.example.com", "*."), ("a.com", "*.com."), ("example.com", "xexample.com"),
            ("xexample.com", "example.com"), ("example.com\u{0}.evil.example", "example.com"),
            ("example.com", "example.com\u{0}.evil.example"), ("*.example.com", "*.example.com"), ("", ""), (".", ""),
            ("a..example.com", "*..example.com"), ("bücher.example", "bücher.example"),
            ("example.com", "https://example.com"), ("example.com", " example.com"),
        ]
    )
    func notFound(host: String, name: String) {
        #expect(!matches(host, [name]))
    }

    @Test("T-1 the subject's common name counts for nothing")
    func commonName() {
        #expect(!matches("localhost", []))
    }

    @Test("T-1 an address is found among addresses alone")
    func addresses() {
        let v4: [UInt8] = [192, 0, 2, 7]
        let v6: [UInt8] = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]
        #expect(matches("192.0.2.7", [], addresses: [v4]))
        #expect(matches("2001:db8::7", [], addresses: [v4, v6]))
        #expect(!matches("192.0.2.8", [], addresses: [v4]))
        #expect(!matches("192.0.2.7", ["192.0.2.7", "*.0.2.7"]))
        #expect(!ReferenceIdentity.name("192.0.2.7").matches(Certificates.make("", names: ["192.0.2.7", "*.0.2.7"])))
        #expect(!matches("2001:db8::7", ["2001:db8::7"], addresses: [Array(v6.prefix(4))]))
        #expect(!matches("a.example", [], addresses: [Array("a.example".utf8)]))
    }
}
