import HTTP
import Testing

@testable import Exchange

@Suite struct ForwardedRequestTests {
    private func write(_ head: borrowing RequestHead, _ form: RequestForm) -> String {
        written {
            ForwardedRequest.appendStart(head, form: form, into: &$0)
            ForwardedRequest.appendFields(head, form: form, pseudonym: "tester", into: &$0)
        }
    }

    private static let targets: [(String, String, RequestForm.Target, String)] = [
        ("GET", "http://a.test", .origin, "/"), ("GET", "http://a.test?q", .origin, "/?q"),
        ("GET", "http://a.test/b?q", .origin, "/b?q"), ("OPTIONS", "http://a.test", .origin, "*"),
        ("GET", "http://a.test", .absolute, "http://a.test/"), ("OPTIONS", "http://a.test", .absolute, "http://a.test"),
        ("GET", "http://u:p@a.test/b", .absolute, "http://a.test/b"),
        ("CONNECT", "a.test:443", .authority, "a.test:443"),
    ]

    @Test("H-1 the target has the form of its hop", arguments: targets)
    func target(_ method: String, _ target: String, _ form: RequestForm.Target, _ expected: String) {
        let head = requestHead("\(method) \(target) HTTP/1.1")
        #expect(written { ForwardedRequest.appendTarget(head, form: form, into: &$0) } == expected)
    }

    @Test("H-3 hop-by-hop fields and what Connection nominates are not written")
    func fields() {
        let head = requestHead(
            "POST http://a.test:8080/ HTTP/1.0",
            [
                "Host: other.test", "Connection: X-Hop", "X-Hop: 1", "Keep-Alive: x", "Proxy-Connection: x", "TE: gzip",
                "Upgrade: h2c", "Proxy-Authorization: Basic eA==", "Authorization: Basic eA==", "X-End: a",
                "Content-Length: 3, 3", "Expect: 100-continue",
            ]
        )
        let lines = write(head, RequestForm(target: .origin)).split(separator: "\r\n").map(String.init)
        #expect(lines.first == "POST / HTTP/1.1")
        #expect(
            Set(lines.dropFirst()) == [
                "Host: a.test:8080", "Authorization: Basic eA==", "X-End: a", "Content-Length: 3", "Via: 1.0 tester",
            ]
        )
        #expect(lines.count == 6)
    }

    @Test("H-5b an upgrade is written where it is passed on")
    func upgrade() {
        let head = requestHead(
            "GET http://a.test/ HTTP/1.1",
            ["Host: a.test", "Connection: Upgrade", "Upgrade: websocket"]
        )
        var form = RequestForm(target: .origin)
        #expect(!write(head, form).contains("Upgrade"))
        form.upgrades = true
        #expect(write(head, form).contains("\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"))
    }

    @Test("B-2 an expectation of ours is written")
    func expectation() {
        let head = requestHead("POST http://a.test/ HTTP/1.1", ["Host: a.test", "Transfer-Encoding: chunked"])
        var form = RequestForm(target: .origin)
        form.expectsContinue = true
        let text = write(head, form)
        #expect(text.contains("\r\nTransfer-Encoding: chunked\r\n"))
        #expect(text.contains("\r\nExpect: 100-continue\r\n"))
    }

    @Test("A-13 the client's own credentials are passed on only where that is said")
    func credentials() {
        let lines = ["Host: a.test", "Authorization: Basic eA==", "Proxy-Authorization: Basic eQ=="]
        let head = requestHead("GET http://a.test/ HTTP/1.1", lines)
        var form = RequestForm(target: .absolute)
        form.keepsAuthorization = false
        #expect(!write(head, form).contains("uthorization"))
        form.keepsProxyAuthorization = true
        #expect(write(head, form).contains("\r\nProxy-Authorization: Basic eQ==\r\n"))
    }

    @Test(
        "H-12 Max-Forwards is one less for OPTIONS and TRACE",
        arguments: [("OPTIONS", "4"), ("TRACE", "4"), ("GET", "5")]
    )
    func maxForwards(_ method: String, _ left: String) {
        let head = requestHead("\(method) http://a.test/ HTTP/1.1", ["Host: a.test", "Max-Forwards: 5"])
        #expect(write(head, RequestForm(target: .origin)).contains("\r\nMax-Forwards: \(left)\r\n"))
    }

    @Test("H-12 of several Max-Forwards one is passed on, less one than the least")
    func severalMaxForwards() {
        let head = requestHead(
            "OPTIONS http://a.test/ HTTP/1.1",
            ["Host: a.test", "Max-Forwards: 9", "Max-Forwards: 3"]
        )
        let lines = write(head, RequestForm(target: .origin)).split(separator: "\r\n")
        #expect(lines.filter { $0.hasPrefix("Max-Forwards") } == ["Max-Forwards: 2"])
    }
}
