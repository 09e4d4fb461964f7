/// A message that can't be read, as bytes, with what the proxy has to say of it.
package struct MalformedMessage: Sendable, CustomStringConvertible {
    /// Where the first fault lies.
    package enum Part: Sendable {
        case head, body
    }

    /// What is wrong, in words.
    package let name: String
    /// The message from its first byte; what a body lacks never comes.
    package let bytes: [UInt8]
    /// The status for the client.
    package let status: Int
    /// The reason code.
    package let reason: String
    /// Where the fault lies.
    package let part: Part

    package var description: String { name }

    init(_ name: String, _ status: Int, _ reason: String, part: Part = .head, _ bytes: [UInt8]) {
        self.name = name
        self.status = status
        self.reason = reason
        self.part = part
        self.bytes = bytes
    }
}

/// The requests that row H-4 refuses. Each is sent whole; none may reach an upstream.
package enum MalformedRequests {
    /// All of them, for an origin at `authority` (host:port).
    package static func all(authority: String) -> [MalformedMessage] {
        requestLines(authority) + targets(authority) + lineEnds(authority) + fields(authority) + hosts(authority)
            + contentLengths(authority) + transferEncodings(authority) + contentsOfConnect(authority)
            + limits(authority) + chunks(authority)
    }

    private static func requestLines(_ authority: String) -> [MalformedMessage] {
        func line(_ name: String, _ status: Int, _ reason: String, _ line: String) -> MalformedMessage {
            MalformedMessage(name, status, reason, Array("\(line)\r\nHost: \(authority)\r\n\r\n".utf8))
        }
        let target = "http://\(authority)/"
        return [
            line("the version in lower case", 400, "request.version", "GET \(target) http/1.1"),
            line("a version with three digits", 400, "request.version", "GET \(target) HTTP/1.10"),
            line("a version without a minor one", 400, "request.version", "GET \(target) HTTP/1"),
            line("a version of another protocol", 400, "request.version", "GET \(target) ICAP/1.1"),
            line("HTTP/2.0", 505, "request.version-unsupported", "GET \(target) HTTP/2.0"),
            line("the preface of HTTP/2", 505, "request.version-unsupported", "PRI * HTTP/2.0"),
            line("HTTP/0.9 without a version", 400, "request.version", "GET \(target)"),
            line("two blanks behind the method", 400, "request.target", "GET  \(target) HTTP/1.1"),
            line("two blanks before the version", 400, "request.version", "GET \(target)  HTTP/1.1"),
            line("a blank behind the version", 400, "request.version", "GET \(target) HTTP/1.1 "),
            line("a blank before the method", 400, "request.method", " GET \(target) HTTP/1.1"),
            line("a tab behind the method", 400, "request.method", "GET\t\(target) HTTP/1.1"),
            line("a tab before the version", 400, "request.target", "GET \(target)\tHTTP/1.1"),
            line("a method that is no token", 400, "request.method", "G@T \(target) HTTP/1.1"),
            line("a method with a byte over 0x7f", 400, "request.method", "GÉT \(target) HTTP/1.1"),
            line("no method", 400, "request.method", ": \(target) HTTP/1.1"),
            line("a method alone", 400, "request.method", "GET"),
            line(
                "a method of 65 letters",
                501,
                "request.method-length",
                "\(String(repeating: "M", count: 65)) \(target) HTTP/1.1"
            ),
        ]
    }

    private static func targets(_ authority: String) -> [MalformedMessage] {
        func target(_ name: String, _ target: String, method: String = "GET") -> MalformedMessage {
            MalformedMessage(
                name,
                400,
                "request.target",
                Array("\(method) \(target) HTTP/1.1\r\nHost: \(authority)\r\n\r\n".utf8)
            )
        }
        return [
            target("a control byte in the target", "http://\(authority)/a\u{1}b"),
            target("DEL in the target", "http://\(authority)/a\u{7f}b"),
            target("a target that is not ASCII", "http://\(authority)/ä"),
            target("a fragment", "http://\(authority)/a#b"),
            target("an empty host", "http:///a"),
            target("one slash behind the scheme", "http:/\(authority)/"),
            target("no slash behind the scheme", "http:\(authority)"),
            target("a port over 65535", "http://origin.test:65536/"),
            target("port 0", "http://origin.test:0/"),
            target("a port that is no number", "http://origin.test:8x/"),
            target("two signs of userinfo", "http://u@v@\(authority)/"),
            target("a backslash in the authority", "http://\(authority)\\@origin.test/"),
            target("an escape in the host", "http://origin%2Etest/"),
            target("a host with a comma", "http://origin.test,other.test/"),
            target("two dots in the host", "http://origin..test/"),
            target("a bracket that stays open", "http://[::1/"),
            target("an IPv6 zone", "http://[fe80::1%25eth0]/"),
            target("an address of three parts", "http://127.0.1/"),
            target("an address in hexadecimal", "http://0x7f000001/"),
            target("an address with a leading zero", "http://0177.0.0.1/"),
            target("an asterisk for GET", "*"),
            target("authority-form for GET", "origin.test:80"),
            target("CONNECT without a port", "origin.test", method: "CONNECT"),
            target("CONNECT to a URI", "http://\(authority)/", method: "CONNECT"),
            target("CONNECT with userinfo", "user@\(authority)", method: "CONNECT"),
            MalformedMessage(
                "a blank in the target",
                400,
                "request.version",
                Array("GET http://\(authority)/a b HTTP/1.1\r\nHost: \(authority)\r\n\r\n".utf8)
            ),
        ]
    }

    private static func lineEnds(_ authority: String) -> [MalformedMessage] {
        let line = "GET http://\(authority)/ HTTP/1.1"
        let host = "Host: \(authority)"
        func message(_ name: String, _ reason: String, _ text: String) -> MalformedMessage {
            MalformedMessage(name, 400, reason, Array(text.utf8))
        }
        return [
            message("a bare LF behind the request line", "request.bare-lf", "\(line)\n\(host)\r\n\r\n"),
            message("a bare LF behind a field", "request.bare-lf", "\(line)\r\n\(host)\nX: y\r\n\r\n"),
            message("a bare LF for the empty line", "request.bare-lf", "\(line)\r\n\(host)\r\n\n"),
            message("bare LF everywhere", "request.bare-lf", "\(line)\n\(host)\n\n"),
            message("a bare LF before the request line", "request.bare-lf", "\n\(line)\r\n\(host)\r\n\r\n"),
            message("a bare CR in a value", "request.bare-cr", "\(line)\r\n\(host)\r\nX: a\rContent-Length: 5\r\n\r\n"),
            message("a bare CR behind the version", "request.bare-cr", "\(line)\r\(host)\r\n\r\n"),
            message("a bare CR for the empty line", "request.bare-cr", "\(line)\r\n\(host)\r\n\rX: y\r\n\r\n"),
            message("a bare CR at the start", "request.bare-cr", "\r\(line)\r\n\(host)\r\n\r\n"),
            message(
                "two empty lines before the request line",
                "request.empty-line",
                "\r\n\r\n\(line)\r\n\(host)\r\n\r\n"
            ),
            message("NUL in the target", "request.nul", "GET http://\(authority)/\0 HTTP/1.1\r\n\(host)\r\n\r\n"),
            message("NUL in the method", "request.nul", "GE\0T http://\(authority)/ HTTP/1.1\r\n\(host)\r\n\r\n"),
            message("NUL in a value", "request.nul", "\(line)\r\n\(host)\r\nX: a\0b\r\n\r\n"),
            message("NUL in a name", "request.nul", "\(line)\r\n\(host)\r\nX\0: a\r\n\r\n"),
            message("obs-fold with a blank", "request.folded-field", "\(line)\r\n\(host)\r\nX: a\r\n b\r\n\r\n"),
            message("obs-fold with a tab", "request.folded-field", "\(line)\r\n\(host)\r\nX: a\r\n\tb\r\n\r\n"),
            message("a blank before the first field", "request.folded-field", "\(line)\r\n X: y\r\n\(host)\r\n\r\n"),
        ]
    }

    private static func fields(_ authority: String) -> [MalformedMessage] {
        func field(_ name: String, _ reason: String, _ field: [UInt8]) -> MalformedMessage {
            let head = "GET http://\(authority)/ HTTP/1.1\r\nHost: \(authority)\r\n"
            return MalformedMessage(name, 400, reason, Array(head.utf8) + field + Array("\r\n\r\n".utf8))
        }
        return [
            field("a blank before the colon", "request.blank-before-colon", Array("Content-Length : 5".utf8)),
            field("a tab before the colon", "request.blank-before-colon", Array("X\t: y".utf8)),
            field("a blank in a name", "request.blank-before-colon", Array("X Y: z".utf8)),
            field("an empty name", "request.field-name", Array(": y".utf8)),
            field("a line without a colon", "request.field-name", Array("nothing".utf8)),
            field("a name with a byte over 0x7f", "request.field-name", Array("Ä: y".utf8)),
            field("a name with a slash", "request.field-name", Array("X/Y: z".utf8)),
            field("a name in brackets", "request.field-name", Array("[Host]: z".utf8)),
            field("a control byte in a value", "request.field-value", Array("X: a\u{1}b".utf8)),
            field("a vertical tab before a value", "request.field-value", Array("Content-Length:\u{b}5".utf8)),
        ]
    }

    private static func hosts(_ authority: String) -> [MalformedMessage] {
        func host(_ name: String, _ reason: String, _ lines: String) -> MalformedMessage {
            MalformedMessage(name, 400, reason, Array("GET http://\(authority)/ HTTP/1.1\r\n\(lines)\r\n".utf8))
        }
        return [
            host("no Host", "request.host-missing", ""),
            host("two Hosts", "request.host-repeated", "Host: \(authority)\r\nHost: other.test\r\n"),
            host("the same Host twice", "request.host-repeated", "Host: \(authority)\r\nHost: \(authority)\r\n"),
            host("an empty Host beside an authority", "request.host", "Host:\r\n"),
            host("a Host with a path", "request.host", "Host: origin.test/a\r\n"),
            host("a Host with userinfo", "request.host", "Host: user@origin.test\r\n"),
            host("a Host with a blank", "request.host", "Host: origin.test other.test\r\n"),
            host("a Host that is a list", "request.host", "Host: origin.test, other.test\r\n"),
            host("a Host that is a URI", "request.host", "Host: http://origin.test\r\n"),
            host("a Host with a bad port", "request.host", "Host: origin.test:http\r\n"),
            host("a Host that is not ASCII", "request.host", "Host: örigin.test\r\n"),
        ]
    }

    private static func contentLengths(_ authority: String) -> [MalformedMessage] {
        func length(_ name: String, _ reason: String, _ lines: String) -> MalformedMessage {
            let head = "POST http://\(authority)/ HTTP/1.1\r\nHost: \(authority)\r\n"
            return MalformedMessage(name, 400, reason, Array("\(head)\(lines)\r\nhello".utf8))
        }
        func malformed(_ name: String, _ value: String) -> MalformedMessage {
            length(name, "request.content-length", "Content-Length: \(value)\r\n")
        }
        let both = "request.content-length-with-transfer-encoding"
        let chunked = "Transfer-Encoding: chunked\r\n"
        return [
            length("Content-Length, then Transfer-Encoding", both, "Content-Length: 5\r\n\(chunked)"),
            length("Transfer-Encoding, then Content-Length", both, "\(chunked)Content-Length: 5\r\n"),
            length("Content-Length: 0 and Transfer-Encoding", both, "Content-Length: 0\r\n\(chunked)"),
            length(
                "two lengths",
                "request.content-length-differs",
                "Content-Length: 5\r\nX: y\r\nContent-Length: 6\r\n"
            ),
            length("two lengths in a list", "request.content-length-differs", "Content-Length: 5, 6\r\n"),
            malformed("an empty length", ""),
            malformed("a length with a plus", "+5"),
            malformed("a length with a minus", "-5"),
            malformed("a length in hexadecimal", "0x5"),
            malformed("a length with a blank", "5 5"),
            malformed("a length with a point", "5.0"),
            malformed("a length and a comma", "5,"),
            malformed("a length behind a comma", ",5"),
            malformed("a length in letters", "five"),
            malformed("a length of 2^63", "9223372036854775808"),
            malformed("a length of 2^64 and 5", "18446744073709551621"),
        ]
    }

    private static func transferEncodings(_ authority: String) -> [MalformedMessage] {
        func coding(
            _ name: String,
            _ status: Int,
            _ reason: String,
            _ lines: String,
            version: String = "1.1"
        ) -> MalformedMessage {
            let head = "POST http://\(authority)/ HTTP/\(version)\r\nHost: \(authority)\r\n"
            return MalformedMessage(name, status, reason, Array("\(head)\(lines)\r\n0\r\n\r\n".utf8))
        }
        func unknown(_ name: String, _ value: String) -> MalformedMessage {
            coding(name, 501, "request.transfer-encoding-unsupported", "Transfer-Encoding: \(value)\r\n")
        }
        func malformed(_ name: String, _ lines: String) -> MalformedMessage {
            coding(name, 400, "request.transfer-encoding", lines)
        }
        return [
            coding(
                "Transfer-Encoding in HTTP/1.0",
                400,
                "request.transfer-encoding-in-http10",
                "Transfer-Encoding: chunked\r\n",
                version: "1.0"
            ),
            unknown("gzip", "gzip"),
            unknown("gzip, then chunked", "gzip, chunked"),
            unknown("chunked, then gzip", "chunked, gzip"),
            unknown("identity", "identity"),
            unknown("a coding like chunked", "xchunked"),
            unknown("chunked in quotation marks", "\"chunked\""),
            malformed("chunked twice in a list", "Transfer-Encoding: chunked, chunked\r\n"),
            malformed("chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
            malformed("an empty Transfer-Encoding", "Transfer-Encoding:\r\n"),
            malformed("chunked with a parameter", "Transfer-Encoding: chunked;q=1\r\n"),
        ]
    }

    /// A CONNECT has no content [RFC 9110 9.3.6].
    private static func contentsOfConnect(_ authority: String) -> [MalformedMessage] {
        func content(_ name: String, _ line: String, _ body: String) -> MalformedMessage {
            let head = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n"
            return MalformedMessage(
                name,
                400,
                "request.content-in-connect",
                Array("\(head)\(line)\r\n\r\n\(body)".utf8)
            )
        }
        return [
            content("a length in CONNECT", "Content-Length: 4", "ping"),
            content("a length of 2^63-1 in CONNECT", "Content-Length: 9223372036854775807", ""),
            content("chunks in CONNECT", "Transfer-Encoding: chunked", "4\r\nping\r\n0\r\n\r\n"),
        ]
    }

    /// Beyond the limits that hold by default: a target of 16 KiB, a head of 64 KiB, 200 fields.
    private static func limits(_ authority: String) -> [MalformedMessage] {
        let line = "GET http://\(authority)/ HTTP/1.1\r\nHost: \(authority)\r\n"
        let long = String(repeating: "a", count: 16 * 1024)
        return [
            MalformedMessage(
                "a target of over 16 KiB",
                414,
                "request.target-length",
                Array("GET http://\(authority)/\(long) HTTP/1.1\r\nHost: \(authority)\r\n\r\n".utf8)
            ),
            MalformedMessage(
                "a target that never ends",
                414,
                "request.target-length",
                Array("GET http://\(authority)/\(long)".utf8)
            ),
            MalformedMessage(
                "a head of over 64 KiB",
                431,
                "request.head-length",
                Array("\(line)X: \(long)\(long)\(long)\(long)\r\n\r\n".utf8)
            ),
            MalformedMessage(
                "a head that never ends",
                431,
                "request.head-length",
                Array("\(line)X: \(long)\(long)\(long)\(long)".utf8)
            ),
            MalformedMessage(
                "201 fields",
                431,
                "request.field-count",
                Array("\(line)\(String(repeating: "X: y\r\n", count: 200))\r\n".utf8)
            ),
        ]
    }

    private static func chunks(_ authority: String) -> [MalformedMessage] {
        let head = "POST http://\(authority)/ HTTP/1.1\r\nHost: \(authority)\r\nTransfer-Encoding: chunked\r\n\r\n"
        return MalformedChunks.all.map { chunks in
            MalformedMessage(
                chunks.name,
                400,
                "request.\(chunks.reason)",
                part: .body,
                Array("\(head)\(chunks.body)".utf8)
            )
        }
    }
}

/// Chunked bodies that are refused on either way; reasons lack their `request.` or `response.`.
enum MalformedChunks {
    static let all: [(name: String, reason: String, body: String)] = [
        ("a size that is no number", "chunk-size", "x\r\nhello\r\n0\r\n\r\n"),
        ("an empty size", "chunk-size", "\r\nhello\r\n0\r\n\r\n"),
        ("a size with 0x", "chunk-size", "0x5\r\nhello\r\n0\r\n\r\n"),
        ("a size with a minus", "chunk-size", "-5\r\nhello\r\n0\r\n\r\n"),
        ("a blank before a size", "chunk-size", " 5\r\nhello\r\n0\r\n\r\n"),
        ("a size of 2^63", "chunk-size", "8000000000000000\r\nhello"),
        ("a size of seventeen digits", "chunk-size", "00000000000000005\r\nhello\r\n0\r\n\r\n"),
        ("a bare LF behind a size", "bare-lf", "5\nhello\r\n0\r\n\r\n"),
        ("a bare CR behind a size", "bare-cr", "5\rhello\r\n0\r\n\r\n"),
        ("blanks behind a size", "chunk-extension", "5  \r\nhello\r\n0\r\n\r\n"),
        ("an extension without a name", "chunk-extension", "5;\r\nhello\r\n0\r\n\r\n"),
        ("an extension without a value", "chunk-extension", "5;a=\r\nhello\r\n0\r\n\r\n"),
        ("a quotation mark that stays open", "chunk-extension", "5;a=\"b\r\nhello\r\n0\r\n\r\n"),
        ("a control byte in an extension", "chunk-extension", "5;a=\"\u{1}\"\r\nhello\r\n0\r\n\r\n"),
        ("a bare LF in an extension", "bare-lf", "5;a\nhello\r\n0\r\n\r\n"),
        (
            "extensions of over 4 KiB", "chunk-extension",
            "5;\(String(repeating: "a", count: 4096))\r\nhello\r\n0\r\n\r\n"
        ),
        ("no CRLF behind the data", "chunk-end", "5\r\nhello0\r\n\r\n"),
        ("a bare LF behind the data", "chunk-end", "5\r\nhello\n0\r\n\r\n"),
        ("more data than the size says", "chunk-end", "5\r\nhello!\r\n0\r\n\r\n"),
        ("a trailer with a bare LF", "bare-lf", "0\r\nX: y\n\r\n"),
        ("a trailer without a name", "field-name", "0\r\n: y\r\n\r\n"),
        ("a trailer with NUL", "nul", "0\r\nX: \0\r\n\r\n"),
    ]
}
