import HTTP
import Testing

@testable import Exchange

/// What of fields is mapped between a client's origin and the one that its request is upgraded to.
@Suite struct OriginMappingTests {
    private let mapping = OriginMapping(
        client: Origin(scheme: .http, host: "h.test"),
        upstream: Origin(scheme: .https, host: "h.test", port: 8443)
    )

    private func response(_ fields: String...) -> [String] {
        let head = responseHead("HTTP/1.1 200 OK", fields)
        return written { mapping.appendResponseFields(head.fields, into: &$0) }.split(separator: "\r\n").map(
            String.init
        )
    }

    @Test(
        "R-4 references to the upstream origin become the client's own, others stay",
        arguments: [
            ("https://h.test:8443/a?b#c", "http://h.test/a?b#c"), ("HTTPS://H.test:8443", "http://h.test"),
            ("https://h.test/a", "https://h.test/a"), ("https://h.test:84430/", "https://h.test:84430/"),
            ("https://h.test:8443.evil.test/", "https://h.test:8443.evil.test/"), ("/a", "/a"), ("", ""),
            ("https://h.test:8443@evil.test/", "https://h.test:8443@evil.test/"),
        ]
    )
    func references(_ given: String, _ expected: String) {
        #expect(response("Location: \(given)") == ["Location: \(expected)"])
        #expect(response("Content-Location: \(given)") == ["Content-Location: \(expected)"])
        #expect(response("Refresh: 5; URL=\"\(given)\"") == ["Refresh: 5; URL=\"\(expected)\""] || given == "")
    }

    @Test("R-4 cookies lose Secure and Domain, HSTS and Alt-Svc are removed")
    func cookies() {
        #expect(
            response(
                "Set-Cookie: a=secure; Secure; Path=/; domain=h.test; HttpOnly",
                "Set-Cookie: b=1;SECURE",
                "Strict-Transport-Security: max-age=1",
                "Alt-Svc: h3=\":443\"",
                "X-Other: kept elsewhere"
            ) == ["Set-Cookie: a=secure; Path=/; HttpOnly", "Set-Cookie: b=1"]
        )
    }

    @Test("R-4 in the request Origin, Referer and Destination are mapped the other way")
    func requests() {
        let head = requestHead(
            "GET http://h.test/ HTTP/1.1",
            ["Host: h.test", "Origin: http://h.test", "Referer: http://h.test/x", "Destination: http://h.test:80/d"]
        )
        let text = written { mapping.appendRequestFields(head.fields, into: &$0) }
        #expect(
            text
                == "Origin: https://h.test:8443\r\nReferer: https://h.test:8443/x\r\nDestination: https://h.test:8443/d\r\n"
        )
    }
}
