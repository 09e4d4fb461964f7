import Bytes
import Testing

@testable import HTTP

@Suite struct RequestHeadTests {
    @Test("a head in absolute-form is read whole")
    func absoluteForm() {
        let bytes = Array(
            "GET http://User@Example.com:8080/a/b?q=1 HTTP/1.1\r\nHost: example.com\r\nX-Other:  a b \r\nEmpty:\r\n\r\nrest"
                .utf8
        )
        var head = RequestHead()
        #expect(head.parse(bytes.span, limits: Limits()) == .head(consumed: bytes.count - 4))
        #expect(head.method == .get)
        #expect(String(head.targetBytes) == "http://User@Example.com:8080/a/b?q=1")
        #expect(String(head.bytes(head.target.host)) == "Example.com")
        #expect(head.target.port == 8080)
        #expect(head.fields.count == 3)
        #expect(String(head.fields.value(1)) == "a b")
        #expect(String(head.fields.value(2)) == "")
    }
}
