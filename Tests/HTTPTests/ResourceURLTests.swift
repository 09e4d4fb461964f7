import HTTP
import Testing

/// URLs that the rule file names for requests of the proxy's own.
struct ResourceURLTests {
    @Test(
        "a URL gives host, port and target",
        arguments: [
            ("https://r.example", "https://r.example", 443 as UInt16, "/"),
            ("http://R.example/T0KEN?b", "http://r.example", 80, "/T0KEN?b"),
            ("https://[2001:DB8::1]:8443?q", "https://[2001:db8::1]:8443", 8443, "/?q"),
        ]
    )
    func targets(_ url: String, _ text: String, _ port: UInt16, _ target: String) throws {
        let resource = try #require(ResourceURL(url))
        #expect(resource.text == text)
        #expect(resource.origin.port == port)
        #expect(resource.target == Array(target.utf8))
    }

    @Test(
        "what is no http URL, or has a login or a fragment, is none",
        arguments: ["", "/r", "ftp://r.example/", "http://", "https://u:p@r.example/", "http://r.example/#f", "r:80"]
    )
    func noTargets(_ url: String) {
        #expect(ResourceURL(url) == nil)
    }
}
