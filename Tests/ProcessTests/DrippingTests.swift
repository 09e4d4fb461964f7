import Support
import Testing

@Suite struct DrippingTests {
    private static let body = "3;x=y\r\nabc\r\n0\r\nX-Sum: 7\r\n\r\n"

    @Test("H-7 a request that comes byte by byte is served")
    func request() throws {
        let origin = try ScriptedPeer { [.response(body: $0.body.text)] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let lines = ["POST \(origin.url)/ HTTP/1.1", "Host: h", "Transfer-Encoding: chunked", "", Self.body]
        for byte in lines.joined(separator: "\r\n").utf8 { try client.send([byte]) }
        #expect(try client.receive().text == "abc")
    }

    @Test("H-7 a response that comes byte by byte is passed on")
    func response() throws {
        let text =
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(Self.body)"
        let steps = text.utf8.flatMap { [ScriptedPeer.Step.sendBytes([$0]), .pause(.microseconds(300))] }
        let origin = try ScriptedPeer { _ in steps }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        for _ in 0..<2 {
            let response = try client.exchange("GET \(origin.url)/ HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(response.status == 200)
            #expect(response.interim.count == 1)
            #expect(response.text == "abc")
            #expect(response.body.trailers == ["X-Sum: 7"])
        }
        #expect(origin.connectionCount == 1)
    }
}
