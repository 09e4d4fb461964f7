import Bytes
import Testing

@testable import HTTP

@Suite struct ResponseHeadTests {
    struct Parsed: ~Copyable {
        let outcome: ParseOutcome
        let head: ResponseHead
    }

    static func outcome(_ text: String, _ method: HTTPMethod = .get) -> ParseOutcome {
        let parsed = parse(text, method)
        return parsed.outcome
    }

    static func parse(_ text: String, _ method: HTTPMethod = .get) -> Parsed {
        var head = ResponseHead()
        let bytes = Array(text.utf8)
        let outcome = head.parse(bytes.span, limits: Limits(), requestMethod: method)
        return Parsed(outcome: outcome, head: head)
    }

    @Test("a head is read whole, and nothing behind it")
    func whole() {
        let text = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\n\r\n"
        let parsed = Self.parse("\(text)body")
        #expect(parsed.outcome == .head(consumed: text.utf8.count))
        #expect(parsed.head.status == 407)
        #expect(String(parsed.head.reason) == "Proxy Authentication Required")
        #expect(parsed.head.fields.text(.proxyAuthenticate) == "Basic realm=\"p\"")
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
        let parsed = Self.parse(text)
        #expect(parsed.outcome == .head(consumed: text.utf8.count))
        #expect(parsed.head.fields.first(named: "x").map { String(parsed.head.fields.value($0)) } == value)
        #expect(parsed.head.contentLength == 0)
    }

    @Test("H-4 a bare LF ends every line of a head")
    func bareLineFeeds() {
        let text = "HTTP/1.0 200 OK\nServer: old\nContent-Length: 1\n\n"
        let parsed = Self.parse("\(text)x")
        #expect(parsed.outcome == .head(consumed: text.utf8.count))
        #expect(parsed.head.version == .http10)
        #expect(parsed.head.bodyLength(for: .get) == .fixed(1))
    }

    @Test("the blank behind the status and the reason may be missing", arguments: ["HTTP/1.1 204", "HTTP/1.1 204 "])
    func noReason(_ line: String) {
        let parsed = Self.parse("\(line)\r\n\r\n")
        #expect(parsed.outcome == .head(consumed: line.utf8.count + 4))
        #expect(String(parsed.head.reason) == "")
        #expect(parsed.head.status == 204)
    }

    @Test("any status of three digits from 100 on is read", arguments: [100, 199, 299, 599, 600, 999] as [UInt16])
    func statuses(_ status: UInt16) {
        let parsed = Self.parse("HTTP/1.1 \(status) Odd\r\n\r\n")
        #expect(parsed.outcome != .needMore)
        #expect(parsed.head.status == status)
        #expect(parsed.head.isInterim == (status < 200))
    }

    @Test(
        "H-5 HEAD, 1xx, 204 and 304 have no body whatever their fields say",
        arguments: [
            (200, HTTPMethod.head), (404, .head), (100, .get), (101, .get), (204, .get), (304, .get), (204, .post),
        ] as [(UInt16, HTTPMethod)]
    )
    func noBody(_ status: UInt16, _ method: HTTPMethod) {
        for field in ["Content-Length: 5", "Transfer-Encoding: chunked", "X: y"] {
            let parsed = Self.parse("HTTP/1.1 \(status) X\r\n\(field)\r\n\r\n", method)
            #expect(parsed.head.status == status)
            #expect(parsed.head.bodyLength(for: method) == .none)
        }
    }

    @Test("H-5 a response to HEAD keeps its length as a field")
    func headLength() {
        let parsed = Self.parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .head)
        #expect(parsed.head.contentLength == 5)
        #expect(parsed.head.fields.text(.contentLength) == "5")
    }

    @Test("H-15 framing fields in a 2xx to CONNECT are not looked at, in any other answer they are")
    func connect() {
        let fields = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        let parsed = Self.parse("HTTP/1.1 200 OK\r\n\(fields)", .connect)
        #expect(parsed.outcome == .head(consumed: 17 + fields.utf8.count))
        #expect(parsed.head.bodyLength(for: .connect) == .none)
        #expect(parsed.head.contentLength == nil)
        let refusal = Self.outcome("HTTP/1.1 407 No\r\n\(fields)", .connect)
        #expect(refusal != parsed.outcome && refusal != .needMore)
        let other = Self.parse("HTTP/1.1 407 No\r\nContent-Length: 5\r\n\r\n", .connect)
        #expect(other.head.bodyLength(for: .connect) == .fixed(5))
    }

    @Test(
        "H-4 the body ends as RFC 9112 says",
        arguments: [
            ("Content-Length: 5", BodyLength.fixed(5)), ("Content-Length: 5, 5", .fixed(5)),
            ("Transfer-Encoding: chunked", .chunked), ("X: y", .untilClose), ("Content-Length: 0", .fixed(0)),
        ]
    )
    func body(_ field: String, _ length: BodyLength) {
        let parsed = Self.parse("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n")
        #expect(parsed.head.bodyLength(for: .get) == length)
    }

    @Test("a head that lacks any number of bytes at its end needs more")
    func needMore() {
        let text = "HTTP/1.1 200 OK\r\nA : b\r\n c\r\nContent-Length: 5\r\n\r\n"
        for count in 0..<text.utf8.count {
            #expect(Self.outcome(String(decoding: text.utf8.prefix(count), as: UTF8.self)) == .needMore)
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
