import Bytes
import HTTP
import Testing

@Suite struct RequestOpeningTests {
    @Test(
        "I-3 a method name with a target behind it begins a request, and nothing else does",
        arguments: [
            ("GET / HTTP/1.1", .request), ("PROPFIND /d", .request), ("OPTIONS *", .request), ("get /", .request),
            ("GET http://h/", .request), ("GET HTTPS://h/", .request), ("CONNECT h:1", .request), ("M-X /", .request),
            ("", .incomplete), ("GE", .incomplete), ("GET ", .incomplete), ("GET htt", .incomplete),
            ("CONNECT ", .incomplete), ("PRI * HTTP/2.0\r\n", .other), ("SSH-2.0-x_9 words", .other),
            ("NICK hugo", .other), ("EHLO me", .other), (" GET /", .other), ("GET\t/", .other), ("\r\nGET /", .other),
            ("\u{16}\u{3}", .other), ("\u{0}", .other), ("GET\r\n", .other),
            (String(repeating: "A", count: 33), .other), (String(repeating: "A", count: 32), .incomplete),
        ] as [(String, RequestOpening)]
    )
    func opening(_ text: String, _ expected: RequestOpening) {
        let bytes = Array(text.utf8)
        #expect(RequestOpening.read(bytes.span) == expected)
    }

    @Test("I-3 what is told of a beginning holds for all that follows")
    func steady() {
        for text in ["GET /x HTTP/1.1\r\n", "GET http://h/ HTTP/1.1\r\n", "SSH-2.0-x words\r\n", "NICK hugo\r\n"] {
            let bytes = Array(text.utf8)
            let whole = RequestOpening.read(bytes.span)
            for count in 0..<bytes.count {
                let part = RequestOpening.read(bytes.span.extracting(0..<count))
                #expect(part == .incomplete || part == whole, "\(text.prefix(count))")
            }
        }
    }
}
