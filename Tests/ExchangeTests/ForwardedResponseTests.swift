import HTTP
import Testing

@testable import Exchange

@Suite struct ForwardedResponseTests {
    private func write(_ head: borrowing ResponseHead, _ form: ResponseForm, version: HTTPVersion = .http11) -> String {
        let terms = ResponseTerms(pseudonym: "tester", version: version, keepsAlive: true, unixSeconds: 784_111_777)
        return written { ForwardedResponse.append(head, form: form, terms: terms, into: &$0) }
    }

    @Test("H-3 hop-by-hop fields are not written, Date is where it is missing")
    func fields() {
        let head = responseHead(
            "HTTP/1.0 200 Fine",
            ["Connection: X-Hop", "X-Hop: 1", "Keep-Alive: x", "Upgrade: h2c", "X-End: a", "Content-Length: 3"]
        )
        #expect(
            write(head, ResponseForm(framing: .fixed(3), keepsAlive: true)) == """
                HTTP/1.1 200 Fine\r
                X-End: a\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                Via: 1.0 tester\r
                Content-Length: 3\r
                \r\n
                """
        )
        let dated = responseHead("HTTP/1.1 200 OK", ["Date: x"])
        #expect(write(dated, ResponseForm(framing: .chunked, keepsAlive: true)).contains("\r\nDate: x\r\n"))
        #expect(!write(dated, ResponseForm(framing: .chunked, keepsAlive: true)).contains("1994"))
    }

    @Test("H-5 a response without body tells the length of what it leaves out, 204 none")
    func withoutBody() {
        let form = ResponseForm(framing: .none, keepsAlive: true)
        let head = responseHead("HTTP/1.1 200 OK", ["Content-Length: 9"], to: .head)
        #expect(write(head, form).contains("\r\nContent-Length: 9\r\n"))
        #expect(!write(responseHead("HTTP/1.1 204 No", ["Content-Length: 9"]), form).contains("Content-Length"))
    }

    @Test("H-6 the connection is told as the client's version needs it")
    func connection() {
        let head = responseHead("HTTP/1.1 200 OK")
        #expect(!write(head, ResponseForm(framing: .chunked, keepsAlive: true)).contains("Connection"))
        #expect(
            write(head, ResponseForm(framing: .fixed(0), keepsAlive: true), version: .http10).contains(
                "\r\nConnection: keep-alive\r\n"
            )
        )
        #expect(
            write(head, ResponseForm(framing: .untilClose, keepsAlive: false)).contains("\r\nConnection: close\r\n")
        )
    }

    @Test("A-12 what an answer brought shows no challenge and no info, and no cache shares it")
    func answered() {
        var form = ResponseForm(framing: .fixed(0), keepsAlive: true)
        form.isAnswered = true
        form.isPrivate = true
        let lines = ["WWW-Authenticate: Basic", "Authentication-Info: rspauth=\"x\"", "Proxy-Authenticate: Basic"]
        let text = write(responseHead("HTTP/1.1 200 OK", lines), form)
        #expect(!text.contains("Authenti"))
        #expect(text.contains("\r\nCache-Control: private\r\n"))
        for value in ["public", "s-maxage=5", "max-age=1, Must-Revalidate"] {
            let decided = write(responseHead("HTTP/1.1 200 OK", ["Cache-Control: \(value)"]), form)
            #expect(decided.contains("\r\nCache-Control: \(value)\r\n"))
            #expect(!decided.contains("private"))
        }
        #expect(write(responseHead("HTTP/1.1 200 OK", ["Cache-Control: max-age=1"]), form).contains("private"))
    }

    @Test("H-9 why a challenge was not answered is told behind what stands there")
    func told() {
        var form = ResponseForm(framing: .fixed(0), keepsAlive: true)
        form.told = LocalResponse(401, nil, "body.not-kept", "The body is gone.")
        let text = write(responseHead("HTTP/1.1 401 No", ["Proxy-Status: far"]), form)
        #expect(text.contains("\r\nProxy-Status: far\r\n"))
        #expect(
            text.contains("Proxy-Status: tester; received-status=401; details=\"body.not-kept: The body is gone.\"\r\n")
        )
    }
}
