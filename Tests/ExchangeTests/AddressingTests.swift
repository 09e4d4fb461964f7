import Bytes
import HTTP
import Rules
import Testing

@testable import Exchange

/// Whom requests are for whose clients don't know of a proxy.
@Suite struct AddressingTests {
    private func fixed(
        _ origin: Origin = Origin(scheme: .https, host: "origin.test"),
        prefix: String = "",
        names: [String] = [],
        port: UInt16? = 8080
    ) throws -> Addressing {
        let patterns = try names.map { try HostPattern($0) }
        return .fixed(FixedService(FixedOrigin(origin: origin, prefix: prefix, names: patterns), port: port))
    }

    private func redirected(_ address: String = "192.0.2.7", port: UInt16 = 80) throws -> Addressing {
        .redirected(Redirection(address: try #require(IPAddress(address)), port: port))
    }

    /// The target that a request gets, or why it is refused.
    private func address(_ line: String, _ fields: [String], by addressing: Addressing) -> String {
        var head = requestHead(line, fields)
        switch addressing.address(&head) {
        case nil: return "as it is"
        case .refused(let response): return "\(response.status) \(response.reason)"
        case .addressed: return String(head.targetBytes)
        }
    }

    private static let mismatch = "421 target.misdirected"

    @Test(

        "A-22 on a fixed listener Host is the origin's authority, an address or localhost with its port, or one of its names",
        arguments: [
            ("origin.test", true), ("ORIGIN.test", true), ("origin.test.", true), ("origin.test:443", true),
            ("origin.test:80", false), ("origin.test:8443", false), ("www.origin.test", false),
            ("origin.test.evil.test", false), ("evil.test", false), ("evil.test:8080", false),
            ("localhost:8080", true), ("LOCALHOST:8080", true), ("localhost", false), ("localhost:443", false),
            ("127.0.0.1:8080", true), ("192.0.2.1:8080", true), ("127.0.0.1", false), ("127.0.0.1:80", false),
            ("[::1]:8080", true), ("[0:0::1]:8080", true), ("[::1]", false), ("[fe80::1%25eth0]:8080", false),
            ("front.test", true), ("front.test:1234", true), ("a.names.test", true), ("names.test", false),
            ("xn--bcher-kva.test", true), ("", false),
        ]
    )
    func fixedHost(_ host: String, _ isTaken: Bool) throws {
        let addressing = try fixed(names: ["front.test", "*.names.test", "bücher.test"])
        let expected = isTaken ? "https://origin.test/p?q" : Self.mismatch
        #expect(address("GET /p?q HTTP/1.1", ["Host: \(host)"], by: addressing) == expected)
    }

    @Test(
        "A-22 a fixed listener judges an absolute target in the place of Host",
        arguments: [
            ("http://localhost:8080/p", "https://origin.test/p"), ("http://origin.test/p", "https://origin.test/p"),
            ("https://localhost:8080/p", Self.mismatch), ("http://evil.test/p", Self.mismatch),
            ("http://origin.test:443/p", "https://origin.test/p"), ("http://origin.test:80/p", Self.mismatch),
            ("ftp://localhost:8080/p", Self.mismatch),
            ("http://user:pw@localhost:8080/p", "400 target.userinfo"),
            ("http://localhost:8080@evil.test/p", "400 target.userinfo"),
            ("http://localhost:8080", "https://origin.test"),
        ]
    )
    func fixedAbsolute(_ target: String, _ expected: String) throws {
        #expect(address("GET \(target) HTTP/1.1", ["Host: localhost:8080"], by: try fixed()) == expected)
    }

    @Test("A-22 on a unix socket the client may call the origin what it wants")
    func fixedUnix() throws {
        let addressing = try fixed(port: nil)
        for host in ["whatever", "evil.test:1", "localhost", "[::2]"] {
            #expect(address("GET / HTTP/1.1", ["Host: \(host)"], by: addressing) == "https://origin.test/")
        }
    }

    @Test(
        "H-2 fixed takes origin-form and OPTIONS *, puts its prefix before the path, and no CONNECT",
        arguments: [
            ("GET /", "http://o.test:81/app/"), ("GET /x?y=/z", "http://o.test:81/app/x?y=/z"),
            ("GET http://localhost:8080", "http://o.test:81/app/"),
            ("GET http://localhost:8080?q", "http://o.test:81/app/?q"), ("OPTIONS *", "http://o.test:81"),
            ("CONNECT localhost:8080", "400 target.connect"), ("GET /a/../../x", "400 path.dot-segment"),
            ("GET /%2e%2E/x", "400 path.dot-segment"), ("GET /a//b", "http://o.test:81/app/a//b"),
            ("GET /..?x", "400 path.dot-segment"), ("GET /a?/../b", "http://o.test:81/app/a?/../b"),
            ("GET /..;a/x", "400 path.dot-segment"), ("GET /%252e%252e/x", "400 path.dot-segment"),
            ("GET /..%2fx", "400 path.dot-segment"), ("GET /...", "http://o.test:81/app/..."),
            ("GET /.well-known/x", "http://o.test:81/app/.well-known/x"),
        ]
    )
    func prefix(_ line: String, _ expected: String) throws {
        let origin = Origin(scheme: .http, host: "o.test", port: 81)
        let addressing = try fixed(origin, prefix: "/app")
        #expect(address("\(line) HTTP/1.1", ["Host: localhost:8080"], by: addressing) == expected)
    }

    @Test("R-4 a Destination with dot segments is refused where it could lead out of the prefix")
    func destination() throws {
        let addressing = try fixed(Origin(scheme: .http, host: "o.test", port: 81), prefix: "/app")
        for value in ["http://localhost:8080/../a", "/a/../../b", "http://localhost:8080/%2e%2e/a"] {
            let fields = ["Host: localhost:8080", "Destination: \(value)"]
            #expect(address("MOVE /x HTTP/1.1", fields, by: addressing) == "400 path.dot-segment")
        }
        let fields = ["Host: localhost:8080", "Destination: http://localhost:8080/b"]
        #expect(address("MOVE /x HTTP/1.1", fields, by: addressing) == "http://o.test:81/app/x")
    }

    @Test("H-2 HTTP/1.0 without Host names nothing, and is for the origin")
    func withoutHost() throws {
        #expect(address("GET /x HTTP/1.0", [], by: try fixed()) == "https://origin.test/x")
        #expect(address("GET /x HTTP/1.0", [], by: try redirected(port: 8000)) == "http://192.0.2.7:8000/x")
    }

    @Test(
        "A-22 on a redirected connection Host names the origin, at the port that it was going to",
        arguments: [
            ("site.test", "http://site.test/p"), ("SITE.test.", "http://site.test/p"),
            ("site.test:80", "http://site.test/p"), ("site.test:8080", Self.mismatch), ("[::1]", "http://[::1]/p"),
            ("", Self.mismatch), ("a b", Self.mismatch), ("user@site.test", Self.mismatch),
        ]
    )
    func redirectedHost(_ host: String, _ expected: String) throws {
        // A Host that is no authority is refused by the parser, before it is looked at here.
        let isParsed = !host.contains(" ") && !host.contains("@")
        guard isParsed else { return }
        #expect(address("GET /p HTTP/1.1", ["Host: \(host)"], by: try redirected()) == expected)
    }

    @Test("H-2 a redirected connection takes an absolute target of http, and no CONNECT")
    func redirectedForms() throws {
        let addressing = try redirected()
        #expect(address("GET http://a.test/x HTTP/1.1", ["Host: b.test"], by: addressing) == "http://a.test/x")
        #expect(address("GET https://a.test/x HTTP/1.1", ["Host: a.test"], by: addressing) == Self.mismatch)
        #expect(address("CONNECT a.test:80 HTTP/1.1", ["Host: a.test"], by: addressing) == "400 target.connect")
    }

    @Test("a proxy's client says in its target whom a request is for")
    func byTarget() {
        #expect(address("GET / HTTP/1.1", ["Host: a.test"], by: .byTarget) == "as it is")
    }
}

/// What of fields is mapped between a fixed listener and its origin.
@Suite struct FixedMappingTests {
    private let mapping = OriginMapping(
        client: Origin(scheme: .http, host: "localhost", port: 8080),
        upstream: Origin(scheme: .https, host: "o.test"),
        prefix: "/app"
    )

    private func response(_ fields: String..., mapping: OriginMapping? = nil) -> [String] {
        let head = responseHead("HTTP/1.1 200 OK", fields)
        return written { (mapping ?? self.mapping).appendResponseFields(head.fields, into: &$0) }
            .split(separator: "\r\n").map(String.init)
    }

    @Test(
        "R-4 the prefix of a fixed origin is taken off references, and a path outside it is left alone",
        arguments: [
            ("https://o.test/app/x?y", "http://localhost:8080/x?y"),
            ("https://o.test:443/app", "http://localhost:8080/"),
            ("https://o.test/app?q", "http://localhost:8080/?q"), ("/app/x", "/x"), ("/app", "/"), ("/app#f", "/#f"),
            ("https://o.test/other", "https://o.test/other"), ("https://o.test/apple", "https://o.test/apple"),
            ("/other", "/other"), ("/apple", "/apple"), ("x/y", "x/y"), ("//o.test/app", "http://localhost:8080/"),
            ("//o.test:80/app", "//o.test:80/app"), ("HTTPS://O.test./app/x", "http://localhost:8080/x"),
            ("//else.test/app/x", "//else.test/app/x"), ("/app//else.test/", "/.//else.test/"),
            ("https://o.test/app//x", "http://localhost:8080//x"), ("/app/../w", "/app/../w"),
            ("https://o.test/app/%2e%2e/w", "https://o.test/app/%2e%2e/w"),
            ("https://u@o.test/app", "https://u@o.test/app"),
            ("https://else.test/app/x", "https://else.test/app/x"), ("https://o.test", "https://o.test"),
        ]
    )
    func references(_ given: String, _ expected: String) {
        #expect(response("Location: \(given)") == ["Location: \(expected)"])
        #expect(response("Content-Location: \(given)") == ["Content-Location: \(expected)"])
        #expect(response("Refresh: 5; url='\(given)'") == ["Refresh: 5; url='\(expected)'"])
    }

    @Test(
        "R-4 a Refresh is read as browsers read it",
        arguments: [
            ("5;url = /app/x", "5;url = /x"), ("5; /app/x", "5; /x"), ("5,URL=/app/x", "5,URL=/x"),
            ("5 /app/x", "5 /x"),
            ("5; url='/app/x'", "5; url='/x'"), ("0.5;url=\"/app/x\"", "0.5;url=\"/x\""), ("5", "5"), ("", ""),
            ("5; urlless", "5; urlless"), ("5; url", "5; url"),
        ]
    )
    func refresh(_ given: String, _ expected: String) {
        #expect(response("Refresh: \(given)") == ["Refresh: \(expected)"])
    }

    @Test("R-4 the prefix is taken off a cookie's Path, and one outside it is left alone")
    func cookies() {
        #expect(
            response(
                "Set-Cookie: a=/app; Path=/app/x; Secure; HttpOnly",
                "Set-Cookie: b=1; path = /app",
                "Set-Cookie: c=1; Path=/",
                "Set-Cookie: d=1; Path=/apple; Domain=o.test"
            ) == [
                "Set-Cookie: a=/app; Path=/x; HttpOnly", "Set-Cookie: b=1; path = /", "Set-Cookie: c=1; Path=/",
                "Set-Cookie: d=1; Path=/apple",
            ]
        )
    }

    @Test("R-4 in a fixed listener's requests references get the origin and its prefix, Origin the origin alone")
    func requests() {
        let head = requestHead(
            "MOVE /a HTTP/1.1",
            [
                "Host: localhost:8080", "Referer: http://localhost:8080/p?q", "Origin: http://localhost:8080",
                "Destination: http://LOCALHOST:8080/b", "Referer: http://localhost:80/p", "Destination: /c",
            ]
        )
        let text = written { mapping.appendRequestFields(head.fields, into: &$0) }
        #expect(
            text == """
                Referer: https://o.test/app/p?q\r
                Origin: https://o.test\r
                Destination: https://o.test/app/b\r
                Referer: http://localhost:80/p\r
                Destination: /app/c\r

                """
        )
    }

    @Test("R-4 a client that doesn't say what it calls the origin gets references without one")
    func nameless() {
        let mapping = OriginMapping(client: nil, upstream: Origin(scheme: .https, host: "o.test"))
        #expect(response("Location: https://o.test/x", mapping: mapping) == ["Location: /x"])
        #expect(response("Location: https://o.test", mapping: mapping) == ["Location: /"])
    }
}
