import HTTP
import Testing

@testable import Exchange

@Suite struct LocalResponseTests {
    private func write(_ local: LocalResponse, keepsAlive: Bool = true, isHead: Bool = false) -> String {
        let terms = ResponseTerms(
            pseudonym: "tester",
            version: .http11,
            keepsAlive: keepsAlive,
            unixSeconds: 784_111_777
        )
        return written { local.append(terms: terms, isHead: isHead, into: &$0) }
    }

    @Test("H-9 a response of our own is told by Proxy-Status and a short text")
    func whole() {
        let local = LocalResponse(502, .connectionRefused, "route.unreachable", "It refused.", receivedStatus: 403)
        let head = """
            HTTP/1.1 502 Bad Gateway\r
            Date: Sun, 06 Nov 1994 08:49:37 GMT\r
            Proxy-Status: tester; error=connection_refused; received-status=403; details="route.unreachable: It refused."\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: 32\r
            \r\n
            """
        #expect(write(local) == head + "It refused. (route.unreachable)\n")
        #expect(write(local, isHead: true) == head)
    }

    @Test("H-9 the connection's end is told")
    func closing() {
        var local = LocalResponse(400, .httpRequestError, "a.b", "C.")
        #expect(!write(local).contains("Connection"))
        #expect(write(local, keepsAlive: false).contains("\r\nConnection: close\r\n"))
        local.closes = true
        #expect(write(local).contains("\r\nConnection: close\r\n"))
    }

    @Test("H-12 a further field is written")
    func field() {
        let field = LocalResponse.Field(name: "Allow", value: "GET")
        #expect(write(LocalResponse(405, nil, "a.b", "C.", field: field)).contains("\r\nAllow: GET\r\n"))
    }

    @Test("H-4 what can't be read has its own status and ends the connection")
    func malformed() {
        let local = LocalResponse(malformed: ParseError(.request, .headLength, offset: 0))
        #expect(local.status == 431)
        #expect(local.reason == "request.head-length")
        #expect(local.closes)
    }
}
