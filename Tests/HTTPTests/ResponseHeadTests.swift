import Bytes
import Testing

@testable import HTTP

@Suite struct ResponseHeadTests {
    static func parse(_ text: String, _ method: HTTPMethod = .get) -> (outcome: ParseOutcome, head: ResponseHead) {
        var head = ResponseHead()
        let bytes = Array(text.utf8)
        let outcome = head.parse(bytes.span, limits: Limits(), requestMethod: method)
        return (outcome, head)
    }

    @Test("a head is read whole, and nothing behind it")
    func whole() {
        let text = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\n\r\n"
        let (outcome, head) = Self.parse("\(text)body")
        #expect(outcome == .head(consumed: text.utf8.count))
        #expect(head.status == 407)
        #expect(String(head.reason) == "Proxy Authentication Required")
        #expect(head.fields.text(.proxyAuthenticate) == "Basic realm=\"p\"")
    }

    @Test(
        "H-4 white space before the colon is removed, obs-fold becomes SP, a bare LF ends a line",
        arguments: [
            ("X : a", "a"), ("X\t \t: a", "a"), ("X: a\r\n b", "a   b"), ("X: a\n\tb", "a \tb"), ("X:\r\n a", "a"),
            ("X: a\r\n \r\n b", "a    \(" ") b"), ("X: a\r\n  ", "a"), ("X: a\nY: b", "a"),
            ("X: \u{1}\u{7f}", "\u{1}\u{7f}"),
        ]
    )
    func mended(_ line: String, _ value: String) {
        let text = "HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 0\r\n\r\n"
        let (outcome, head) = Self.parse(text)
        #expect(outcome == .head(consumed: text.utf8.count))
        #expect(head.fields.first(named: "x").map { String(head.fields.value($0)) } == value)
        #expect(head.contentLength == 0)
    }

    @Test("H-4 a bare LF ends every line of a head")
    func bareLineFeeds() {
        let text = "HTTP/1.0 200 OK\nServer: old\nContent-Length: 1\n\n"
        let (outcome, head) = Self.parse("\(text)x")
        #expect(outcome == .head(consumed: text.utf8.count))
        #expect(head.version == .http10)
        #expect(head.bodyLength(for: .get) == .fixed(1))
    }

    @Test("the blank behind the status and the reason may be missing", arguments: ["HTTP/1.1 204", "HTTP/1.1 204 "])
    func noReason(_ line: String) {
        let (outcome, head) = Self.parse("\(line)\r\n\r\n")
        #expect(outcome == .head(consumed: line.utf8.count + 4))
        #expect(String(head.reason) == "")
        #expect(head.status == 204)
    }

    @Test("any status of three digits from 100 on is read", arguments: [100, 199, 299, 599, 600, 999] as [UInt16])
    func statuses(_ status: UInt16) {
        let (outcome, head) = Self.parse("HTTP/1.1 \(status) Odd\r\n\r\n")
        #expect(outcome != .needMore)
        #expect(head.status == status)
        #expect(head.isInterim == (status < 200))
    }

    @Test(
        "H-5 HEAD, 1xx, 204 and 304 have no body whatever their fields say",
        arguments: [
            (200, HTTPMethod.head), (404, .head), (100, .get), (101, .get), (204, .get), (304, .get), (204, .post),
        ] as [(UInt16, HTTPMethod)]
    )
    func noBody(_ status: UInt16, _ method: HTTPMethod) {
        for field in ["Content-Length: 5", "Transfer-Encoding: chunked", "X: y"] {
            let (_, head) = Self.parse("HTTP/1.1 \(status) X\r\n\(field)\r\n\r\n", method)
            #expect(head.status == status)
            #expect(head.bodyLength(for: method) == .none)
        }
    }

    @Test("H-5 a response to HEAD keeps its length as a field")
    func headLength() {
        let (_, head) = Self.parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .head)
        #expect(head.contentLength == 5)
        #expect(head.fields.text(.contentLength) == "5")
    }

    @Test("H-15 framing fields in a 2xx to CONNECT are not looked at, in any other answer they are")
    func connect() {
        let fields = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        let (outcome, head) = Self.parse("HTTP/1.1 200 OK\r\n\(fields)", .connect)
        #expect(outcome == .head(consumed: 17 + fields.utf8.count))
        #expect(head.bodyLength(for: .connect) == .none)
        #expect(head.contentLength == nil)
        let (refusal, _) = Self.parse("HTTP/1.1 407 No\r\n\(fields)", .connect)
        #expect(refusal != outcome && refusal != .needMore)
        let (_, other) = Self.parse("HTTP/1.1 407 No\r\nContent-Length: 5\r\n\r\n", .connect)
        #expect(other.bodyLength(for: .connect) == .fixed(5))
    }

    @Test(
        "H-4 the body ends as RFC 9112 says",
        arguments: [
            ("Content-Length: 5", BodyLength.fixed(5)), ("Content-Length: 5, 5", .fixed(5)),
            ("Transfer-Encoding: chunked", .chunked), ("X: y", .untilClose), ("Content-Length: 0", .fixed(0)),
        ]
    )
    func body(_ field: String, _ length: BodyLength) {
        let (_, head) = Self.parse("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n")
        #expect(head.bodyLength(for: .get) == length)
    }

    @Test("a head that lacks any number of bytes at its end needs more")
    func needMore() {
        let text = "HTTP/1.1 200 OK\r\nA : b\r\n c\r\nContent-Length: 5\r\n\r\n"
        for count in 0..<text.utf8.count {
            #expect(Self.parse(String(decoding: text.utf8.prefix(count), as: UTF8.self)).outcome == .needMore)
        }
    }

    @Test("a value is used again for the next response, and keeps nothing of the last")
    func reuse() {
        var head = ResponseHead()
        let first = Array("HTTP/1.0 100 Go on\r\nContent-Length: 7\r\n\r\n".utf8)
        let second = Array("HTTP/1.1 200\r\n\r\n".utf8)
        #expect(head.parse(first.span, limits: Limits(), requestMethod: .get) == .head(consumed: first.count))
        #expect(head.parse(second.span, limits: Limits(), requestMethod: .get) == .head(consumed: second.count))
        #expect(head.contentLength == nil)
        #expect(head.version == .http11)
        #expect(String(head.reason) == "")
        #expect(head.bodyLength(for: .get) == .untilClose)
    }
}
