import Bytes
import Testing

@testable import HTTP

@Suite struct OriginTests {
    static func origin(_ scheme: Scheme, _ text: String) -> Origin? {
        let bytes = Array(text.utf8)
        return Authority.parse(bytes.span).map { Origin(scheme: scheme, authority: $0, bytes: bytes.span) }
    }

    @Test(
        "A-22 spellings of one origin are equal",
        arguments: [
            ("Example.COM", "example.com", 80), ("example.com.", "example.com", 80),
            ("example.com:80", "example.com", 80),
            ("127.0.0.1.", "127.0.0.1", 80), ("[::1]:8080", "::1", 8080), ("[0:0:0:0:0:0:0:1]:8080", "::1", 8080),
            ("[2001:DB8::]", "2001:db8::", 80),
        ] as [(String, String, UInt16)]
    )
    func normalized(_ text: String, _ host: String, _ port: UInt16) {
        let origin = Self.origin(.http, text)
        #expect(origin == Origin(scheme: .http, host: host, port: port))
        #expect(origin?.host == host)
        #expect(origin?.port == port)
    }

    @Test("an authority has brackets where needed, and the port where it isn't the default")
    func authorities() {
        #expect(Origin(scheme: .http, host: "h").authority == "h")
        #expect(Origin(scheme: .https, host: "h").authority == "h")
        #expect(Origin(scheme: .https, host: "h", port: 80).authority == "h:80")
        #expect(Origin(scheme: .http, host: "::1").authority == "[::1]")
        #expect(Origin(scheme: .http, host: "::1", port: 81).authority == "[::1]:81")
        #expect(Origin(scheme: .https, host: "::1").authorityWithPort == "[::1]:443")
    }

    @Test("schemes and ports tell origins apart")
    func differ() {
        #expect(Origin(scheme: .http, host: "h", port: 443) != Origin(scheme: .https, host: "h"))
        #expect(Origin(scheme: .http, host: "h", port: 81) != Origin(scheme: .http, host: "h"))
    }

    @Test("matching takes any case and a missing port")
    func matching() {
        let origin = Origin(scheme: .http, host: "Example.com")
        let host = Array("EXAMPLE.com".utf8)
        let other = Array("example.org".utf8)
        #expect(origin.matches(scheme: .http, host: host.span, port: nil) == true)
        #expect(origin.matches(scheme: .http, host: host.span, port: 80) == true)
        #expect(origin.matches(scheme: .http, host: host.span, port: 81) == false)
        #expect(origin.matches(scheme: .https, host: host.span, port: 80) == false)
        #expect(origin.matches(scheme: .http, host: other.span, port: 80) == false)
    }
}
