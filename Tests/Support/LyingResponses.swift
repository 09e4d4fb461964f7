/// Responses to GET that can't be trusted; each is 502 for the client, and its connection is not used again.
package enum LyingResponses {
    /// All of them.
    package static let all: [MalformedMessage] = statusLines + lines + fields + framing + limits + chunks

    private static func response(_ name: String, _ reason: String, _ text: String) -> MalformedMessage {
        MalformedMessage(name, 502, "response.\(reason)", Array(text.utf8))
    }

    private static let statusLines: [MalformedMessage] = [
        ("HTTP/0.9: a body alone", "status-line", "<html>hello</html>"),
        ("the version in lower case", "status-line", "http/1.1 200 OK"),
        ("a version of another protocol", "status-line", "ICY 200 OK"),
        ("HTTP/2.0", "version-unsupported", "HTTP/2.0 200 OK"),
        ("a version with three digits", "status-line", "HTTP/1.10 200 OK"),
        ("no status", "status-line", "HTTP/1.1"),
        ("no status behind a blank", "status-line", "HTTP/1.1 "),
        ("a status below 100", "status-line", "HTTP/1.1 099 Low"),
        ("a status of two digits", "status-line", "HTTP/1.1 20 OK"),
        ("a status of four digits", "status-line", "HTTP/1.1 2000 OK"),
        ("a status with a letter", "status-line", "HTTP/1.1 2x0 OK"),
        ("a status with a minus", "status-line", "HTTP/1.1 -20 OK"),
        ("two blanks before the status", "status-line", "HTTP/1.1  200 OK"),
        ("a tab before the status", "status-line", "HTTP/1.1\t200 OK"),
        ("no blank behind the status", "status-line", "HTTP/1.1 200OK"),
        ("a blank before the version", "status-line", " HTTP/1.1 200 OK"),
        ("an empty line before the status line", "status-line", "\r\nHTTP/1.1 200 OK"),
        ("NUL in the reason phrase", "nul", "HTTP/1.1 200 O\0K"),
        ("a bare CR in the reason phrase", "bare-cr", "HTTP/1.1 200 O\rK"),
    ].map { response($0.0, $0.1, "\($0.2)\r\nContent-Length: 0\r\n\r\n") }

    private static let lines: [MalformedMessage] = [
        ("a bare CR in a value", "bare-cr", "X: a\rb\r\nContent-Length: 0\r\n\r\n"),
        ("a bare CR for the empty line", "bare-cr", "Content-Length: 0\r\n\rX: y\r\n\r\n"),
        ("NUL in a value", "nul", "X: a\0b\r\nContent-Length: 0\r\n\r\n"),
        ("NUL in a name", "nul", "X\0: a\r\nContent-Length: 0\r\n\r\n"),
        ("a fold before the first field", "folded-field", " a\r\nContent-Length: 0\r\n\r\n"),
    ].map { response($0.0, $0.1, "HTTP/1.1 200 OK\r\n\($0.2)") }

    private static let fields: [MalformedMessage] = [
        ("an empty name", "field-name", ": y"),
        ("a line without a colon", "field-name", "nothing"),
        ("a blank in a name", "field-name", "X Y: z"),
        ("a name with a byte over 0x7f", "field-name", "Ä: y"),
        ("a name with a slash", "field-name", "X/Y: z"),
    ].map { response($0.0, $0.1, "HTTP/1.1 200 OK\r\n\($0.2)\r\nContent-Length: 0\r\n\r\n") }

    private static let framing: [MalformedMessage] =
        [
            (
                "both lengths", "content-length-with-transfer-encoding",
                "Content-Length: 5\r\nTransfer-Encoding: chunked"
            ),
            (
                "both, swapped", "content-length-with-transfer-encoding",
                "Transfer-Encoding: chunked\r\nContent-Length: 5"
            ),
            ("two lengths", "content-length-differs", "Content-Length: 5\r\nContent-Length: 6"),
            ("two lengths in a list", "content-length-differs", "Content-Length: 5, 6"),
            ("an empty length", "content-length", "Content-Length:"),
            ("a length with a plus", "content-length", "Content-Length: +5"),
            ("a length with a minus", "content-length", "Content-Length: -5"),
            ("a length in hexadecimal", "content-length", "Content-Length: 0x5"),
            ("a length with a blank", "content-length", "Content-Length: 5 5"),
            ("a length over two lines", "content-length", "Content-Length: 5\r\n 5"),
            ("a length of 2^63", "content-length", "Content-Length: 9223372036854775808"),
            ("gzip", "transfer-encoding-unsupported", "Transfer-Encoding: gzip"),
            ("gzip, then chunked", "transfer-encoding-unsupported", "Transfer-Encoding: gzip, chunked"),
            ("identity", "transfer-encoding-unsupported", "Transfer-Encoding: identity"),
            ("chunked twice in a list", "transfer-encoding", "Transfer-Encoding: chunked, chunked"),
            ("chunked twice", "transfer-encoding", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
            ("an empty Transfer-Encoding", "transfer-encoding", "Transfer-Encoding:"),
            ("chunked with a parameter", "transfer-encoding", "Transfer-Encoding: chunked;q=1"),
        ].map { response($0.0, $0.1, "HTTP/1.1 200 OK\r\n\($0.2)\r\n\r\nhello") } + [
            response(
                "Transfer-Encoding in HTTP/1.0",
                "transfer-encoding-in-http10",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            )
        ]

    private static let limits: [MalformedMessage] = [
        response(
            "a head that never ends",
            "head-length",
            "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 64 * 1024))"
        ),
        response(
            "201 fields",
            "field-count",
            "HTTP/1.1 200 OK\r\n\(String(repeating: "X: y\r\n", count: 201))\r\n"
        ),
    ]

    private static let chunks: [MalformedMessage] = MalformedChunks.all.map { chunks in
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        return MalformedMessage(
            chunks.name,
            502,
            "response.\(chunks.reason)",
            part: .body,
            Array("\(head)\(chunks.body)".utf8)
        )
    }
}
