import Bytes
import Foundation
import Testing

@testable import Telemetry

@Suite struct AccessLogTests {
    /// A whole line about an exchange.
    private func line(
        _ format: LogFormat,
        target: String = "http://h.example/x?token=1",
        query: Bool = false
    ) throws
        -> String
    {
        try logged { writer in
            let log = AccessLog(writer, format: format, tellsQuery: query)
            log.begin(unixMilliseconds: 1_796_015_488_772)
            log.add(RequestID(value: 0xabc))
            log.add(client: IPAddress(v4: 0x7f00_0001))
            log.add(.method, "GET".utf8.span)
            log.add(target: target.utf8.span)
            log.add(.status, 200)
            log.add(.bytesIn, 0)
            log.add(.bytesOut, 1024)
            log.add(.total, 12_345_678)
            log.add(.connect, 999)
            log.add(.attempts, 2)
            log.add(.space, "origin http://h.example:80 \"staff\"")
            log.add(.credential, "login")
            log.add(.route, "direct")
            log.add(.rule, "rules[0]")
            log.end()
        }
    }

    @Test("O-3 a line of text holds the exchange in key=value")
    func text() throws {
        let expected =
            "2026-11-30T05:11:28.772Z access id=0000000000000abc client=127.0.0.1 method=GET target=http://h.example/x"
            + " status=200 bytes_in=0 bytes_out=1024 duration_ms=12.345 connect_ms=0.000 attempts=2"
            + #" space="origin http://h.example:80 \"staff\"" credential=login route=direct rule=rules[0]"# + "\n"
        #expect(try line(.text) == expected)
    }

    @Test("O-3 a line of JSON is one object with the same keys")
    func json() throws {
        let text = try line(.json)
        #expect(text.hasSuffix("}\n"))
        #expect(text.filter { $0 == "\n" }.count == 1)
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["time"] as? String == "2026-11-30T05:11:28.772Z")
        #expect(object["kind"] as? String == "access")
        #expect(object["id"] as? String == "0000000000000abc")
        #expect(object["client"] as? String == "127.0.0.1")
        #expect(object["method"] as? String == "GET")
        #expect(object["target"] as? String == "http://h.example/x")
        #expect(object["status"] as? Int == 200)
        #expect(object["bytes_in"] as? Int == 0)
        #expect(object["bytes_out"] as? Int == 1024)
        #expect(object["duration_ms"] as? Double == 12.345)
        #expect(object["attempts"] as? Int == 2)
        #expect(object["space"] as? String == "origin http://h.example:80 \"staff\"")
        #expect(object["credential"] as? String == "login")
        #expect(object["route"] as? String == "direct")
        #expect(object["rule"] as? String == "rules[0]")
    }

    @Test("O-3 a query stays only where asked for")
    func query() throws {
        #expect(!(try line(.text)).contains("token"))
        #expect(try line(.text, query: true).contains("target=http://h.example/x?token=1 "))
    }

    @Test(
        "O-3 userinfo never stays, nor the query unless asked for",
        arguments: [
            ("http://u:p@h/x?q", "http://h/x", "http://h/x?q"),
            ("http://u:p@w@h", "http://h", "http://h"),
            ("http://h/a@b?c@d", "http://h/a@b", "http://h/a@b?c@d"),
            ("http://h?u:p@x", "http://h", "http://h?u:p@x"),
            ("u:p@h:443", "h:443", "h:443"),
            ("x/u:p@h/", "h/", "h/"), ("http://u:p%40h/a", "http://h/a", "http://h/a"),
            ("http:/u:p@h/", "h/", "h/"), ("//u:p@h/", "//h/", "//h/"), ("http:///u:p@h/", "http:///h/", "http:///h/"),
            ("h:443", "h:443", "h:443"),
            ("/a@b://c@d?e", "/a@b://c@d", "/a@b://c@d?e"),
            ("*", "*", "*"),
            ("", "", ""),
            ("?x", "", "?x"),
            ("ftp://u@", "ftp://", "ftp://"),
            ("http:/", "http:/", "http:/"),
        ]
    )
    func redaction(target: String, plain: String, withQuery: String) {
        func told(_ keepsQuery: Bool) -> String {
            let bytes = [UInt8](target.utf8)
            let (first, second) = Redaction.target(bytes.span, keepsQuery: keepsQuery)
            return String(decoding: bytes[first] + bytes[second], as: UTF8.self)
        }
        #expect(told(false) == plain)
        #expect(told(true) == withQuery)
    }

    @Test("nothing in a value ends a line, a quote or an object early")
    func escapes() throws {
        let nasty: [UInt8] =
            Array("a\"b\\c\nd\r\u{1b}[31m\u{7f}é€😀 ".utf8) + [
                0, 0xc2, 0x85, 0xff, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xe2, 0x82,
            ]
        func line(_ format: LogFormat) throws -> String {
            try logged { writer in
                let log = AccessLog(writer, format: format, tellsQuery: false)
                log.begin(unixMilliseconds: 0)
                log.add(.method, nasty.span)
                log.end()
            }
        }
        let escapedEnd = #"\xc2\x85\xff\xc0\xaf\xed\xa0\x80\xe2\x82"#
        #expect(
            try line(.text)
                == #"1970-01-01T00:00:00.000Z access method="a\"b\\c\x0ad\x0d\x1b[31m\x7fé€😀 \x00"# + escapedEnd
                + "\"\n"
        )
        let json = try line(.json)
        let object = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(object["method"] as? String == "a\"b\\c\nd\r\u{1b}[31m\u{7f}é€😀 \u{0}" + escapedEnd)
        #expect(json.filter { $0 == "\n" }.count == 1)
    }

    @Test("the time is right across days, leap years and centuries, and when it goes back")
    func time() throws {
        // Expected values by date -u -d @N.
        let moments: [(Int64, String)] = [
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (4_107_542_400_001, "2100-03-01T00:00:00.001Z"), (1_709_251_199_500, "2024-02-29T23:59:59.500Z"),
            (1_709_251_199_700, "2024-02-29T23:59:59.700Z"), (1_735_689_599_000, "2024-12-31T23:59:59.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (0, "1970-01-01T00:00:00.000Z"),
        ]
        let text = try logged { writer in
            let log = AccessLog(writer, format: .text, tellsQuery: false)
            for (moment, _) in moments {
                log.begin(unixMilliseconds: moment)
                log.end()
            }
        }
        #expect(text == moments.map { "\($0.1) access\n" }.joined())
    }

    @Test("a client by a unix socket and an IPv6 one are told")
    func clients() throws {
        let text = try logged { writer in
            let log = AccessLog(writer, format: .text, tellsQuery: false)
            log.begin(unixMilliseconds: 0)
            log.add(client: nil)
            log.end()
            log.begin(unixMilliseconds: 0)
            log.add(client: .loopbackV6)
            log.end()
        }
        #expect(text.contains("client=unix\n") && text.contains("client=::1\n"))
    }

    @Test("ids differ, and those of two loops too")
    func ids() {
        var first = RequestIDSequence(seed: 1)
        var second = RequestIDSequence(seed: 2)
        var seen = Set<RequestID>()
        for _ in 0..<10_000 {
            seen.insert(first.next())
            seen.insert(second.next())
        }
        #expect(seen.count == 20_000)
        var buffer = ByteBuffer()
        RequestID(value: 0x1f).append(into: &buffer)
        #expect(String(buffer.readable) == "000000000000001f")
    }
}
