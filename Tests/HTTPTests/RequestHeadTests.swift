import Bytes
import Testing

@testable import HTTP

@Suite struct RequestHeadTests {
    struct Parsed: ~Copyable {
        let outcome: ParseOutcome
        let head: RequestHead
    }

    static func outcome(_ text: String, limits: Limits = Limits()) -> ParseOutcome {
        let parsed = parse(text, limits: limits)
        return parsed.outcome
    }

    static func parse(_ text: String, limits: Limits = Limits()) -> Parsed {
        var head = RequestHead()
        let bytes = Array(text.utf8)
        let outcome = head.parse(bytes.span, limits: limits)
        return Parsed(outcome: outcome, head: head)
    }

    @Test("a head in absolute-form is read whole, and nothing behind it")
    func absoluteForm() {
        let text =
            "GET http://User@Example.com:8080/a/b?q=1 HTTP/1.1\r\nHost: example.com\r\nX-Other: \t a b \r\nEmpty:\r\n\r\n"
        let parsed = Self.parse("\(text)rest")
        #expect(parsed.outcome == .head(consumed: text.utf8.count))
        #expect(parsed.head.method == .get)
        #expect(parsed.head.version == .http11)
        #expect(String(parsed.head.methodBytes) == "GET")
        #expect(String(parsed.head.targetBytes) == "http://User@Example.com:8080/a/b?q=1")
        #expect(String(parsed.head.bytes(parsed.head.target.host)) == "Example.com")
        #expect(parsed.head.target.port == 8080)
        #expect(parsed.head.fields.count == 3)
        #expect(String(parsed.head.fields.nameBytes(1)) == "X-Other")
        #expect(String(parsed.head.fields.value(1)) == "a b")
        #expect(String(parsed.head.fields.value(2)) == "")
        #expect(parsed.head.bodyLength == .none)
        #expect(parsed.head.isEmptyLineSkipped == false)
    }

    @Test("H-4 one empty line before the request line is skipped")
    func emptyLine() {
        let parsed = Self.parse("\r\nGET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(parsed.outcome == .head(consumed: 37))
        #expect(parsed.head.isEmptyLineSkipped == true)
        #expect(String(parsed.head.targetBytes) == "http://a/")
    }

    @Test("H-4 equal lengths count as one", arguments: ["5", "5, 5", "5 ,\t5,5", "005", "5\r\nContent-Length: 5, 5"])
    func equalLengths(_ value: String) {
        let parsed = Self.parse("POST http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: \(value)\r\n\r\nhello")
        #expect(parsed.outcome != .needMore)
        #expect(parsed.head.bodyLength == .fixed(5))
        #expect(parsed.head.contentLength == 5)
    }

    @Test("H-14 a length may be as large as 2^63-1")
    func largestLength() {
        let parsed = Self.parse(
            "POST http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 9223372036854775807\r\n\r\n"
        )
        #expect(parsed.head.bodyLength == .fixed(9_223_372_036_854_775_807))
    }

    @Test(
        "H-4 one chunked is the only coding, in any case",
        arguments: ["chunked", "CHUNKED", "chunked,", ", chunked ,"]
    )
    func chunked(_ value: String) {
        let parsed = Self.parse("POST http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \(value)\r\n\r\n")
        #expect(parsed.outcome != .needMore)
        #expect(parsed.head.bodyLength == .chunked)
    }

    @Test(
        "H-4 the minor versions of 1 are 1.0 and 1.1",
        arguments: [
            ("HTTP/1.0", HTTPVersion.http10), ("HTTP/1.1", .http11), ("HTTP/1.2", .http11), ("HTTP/1.9", .http11),
        ]
    )
    func versions(_ text: String, _ version: HTTPVersion) {
        let parsed = Self.parse("GET http://a/ \(text)\r\nHost: a\r\n\r\n")
        #expect(parsed.outcome != .needMore)
        #expect(parsed.head.version == version)
    }

    @Test(
        "H-4 a Host is an authority, or empty where the target has none, or missing in 1.0",
        arguments: [
            "GET /a HTTP/1.1\r\nHost:\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost:\r\n\r\n", "GET http://a/ HTTP/1.0\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nHost: b:1\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHOST: [::1]:8080\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nhost:a.\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHost: a:\r\n\r\n",
            "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
        ]
    )
    func hosts(_ text: String) {
        #expect(Self.outcome(text) == .head(consumed: text.utf8.count))
    }

    @Test("H-15 a CONNECT has no content, also where it says so", arguments: ["", "Content-Length: 0\r\n"])
    func connectWithoutContent(_ line: String) {
        let text = "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\(line)\r\n"
        let parsed = Self.parse("\(text)bytes of the tunnel")
        #expect(parsed.outcome == .head(consumed: text.utf8.count))
        #expect(parsed.head.bodyLength == .none)
    }

    @Test("values keep bytes over 0x7f as they came")
    func obsText() {
        var head = RequestHead()
        let bytes = Array("GET http://a/ HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [0xe4, 0xff] + Array("\r\n\r\n".utf8)
        #expect(head.parse(bytes.span, limits: Limits()) == .head(consumed: bytes.count))
        #expect([UInt8](head.fields.value(1)) == [0xe4, 0xff])
    }

    @Test("a head that lacks any number of bytes at its end needs more")
    func needMore() {
        let text = "POST http://a:1/b?c HTTP/1.1\r\nHost: a:1\r\nContent-Length: 5\r\nX: y\r\n\r\n"
        for count in 0..<text.utf8.count {
            #expect(Self.outcome(String(decoding: text.utf8.prefix(count), as: UTF8.self)) == .needMore)
        }
    }

    @Test("S-2 a head that drips in is read once complete, at the same place as a whole one")
    func dripping() {
        let bytes = Array("\r\nGET http://a/ HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\nGET".utf8)
        var head = RequestHead()
        for count in 0..<(bytes.count - 3) {
            #expect(head.parse(bytes.span.extracting(0..<count), limits: Limits()) == .needMore)
        }
        #expect(head.parse(bytes.span, limits: Limits()) == .head(consumed: bytes.count - 3))
        #expect(head.fields.text(.host) == "a")
    }

    @Test("S-2 the limits hold exactly")
    func limits() {
        let text = "GET http://a/ HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n"
        let size = text.utf8.count
        #expect(Self.outcome(text, limits: Limits(head: size, fields: 2, target: 9)) == .head(consumed: size))
        let refused = [
            (Limits(head: size - 1, fields: 2, target: 9), "request.head-length"),
            (Limits(head: size, fields: 1, target: 9), "request.field-count"),
            (Limits(head: size, fields: 2, target: 8), "request.target-length"),
        ]
        for (limits, reason) in refused {
            guard case .failed(let error) = Self.outcome(text, limits: limits) else {
                Issue.record("\(reason) was not refused")
                continue
            }
            #expect(error.reason == reason)
        }
    }

    @Test("a value is used again for the next request, and keeps nothing of the last")
    func reuse() {
        var head = RequestHead()
        let first = Array("POST http://a/ HTTP/1.0\r\nContent-Length: 5\r\nX: y\r\n\r\n".utf8)
        let second = Array("GET /b HTTP/1.1\r\nHost: b\r\n\r\n".utf8)
        #expect(head.parse(first.span, limits: Limits()) == .head(consumed: first.count))
        #expect(head.parse(second.span, limits: Limits()) == .head(consumed: second.count))
        #expect(head.bodyLength == .none)
        #expect(head.fields.count == 1)
        #expect(!head.fields.contains(.contentLength))
        #expect(head.version == .http11)
        #expect(head.target.form == .origin)
        #expect(head.target.authority.isEmpty)
        head.removeAll()
        #expect(head.fields.isEmpty)
        #expect(String(head.methodBytes) == "")
        #expect(String(head.targetBytes) == "")
    }
}
