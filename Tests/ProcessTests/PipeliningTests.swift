import Support
import Testing

@Suite struct PipeliningTests {
    @Test("H-10 pipelined requests are answered in their order")
    func inOrder() throws {
        let origin = try ScriptedPeer { request in
            (request.target == "/0" ? [.pause(.milliseconds(50))] : []) + [.response(body: request.target)]
        }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let texts = (0..<20).map {
            request("POST \(origin.url)/\($0) HTTP/1.1", ["Host: h", "Content-Length: 1"], body: "x")
        }
        try client.send(texts.joined())
        for index in 0..<20 { #expect(try client.receive().text == "/\(index)") }
    }

    @Test("H-10 an end behind a whole request is a half-close, and the request is served")
    func halfClose() throws {
        let origin = try ScriptedPeer { [.pause(.milliseconds(100)), .response(body: $0.target)] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let text = request("GET \(origin.url)/a HTTP/1.1", ["Host: h"])
        try client.send(text + text)
        client.finishSending()
        #expect(try client.receive().text == "/a")
        #expect(try client.receive().text == "/a")
        #expect(try client.waitForClose() == .endOfStream)
    }

    @Test("H-10 a client's reset ends the exchange and its attempt at the origin")
    func reset() throws {
        let block = [UInt8](repeating: 0x61, count: 1 << 16)
        let origin = try ScriptedPeer { request in
            guard request.target == "/endless" else { return [.response(body: "ok")] }
            return [.send("HTTP/1.1 200 OK\r\n\r\n")]
                + [ScriptedPeer.Step](repeating: .sendBytes(block), count: 1 << 16)
        }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        try client.send(request("GET \(origin.url)/endless HTTP/1.1", ["Host: h"]))
        _ = try client.receiveHead()
        #expect(origin.openConnectionCount == 1)
        client.reset()
        try eventually("the origin's connection to end", within: .seconds(20)) { origin.openConnectionCount == 0 }
        #expect(try proxy.get("\(origin.url)/").text == "ok")
    }

    @Test("H-10 an upload that its client cuts short is no request to the origin")
    func cutShort() throws {
        let origin = try ScriptedPeer { _ in [.response(body: "ok")] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        try client.send(request("PUT \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: 10"], body: "half"))
        try eventually("the origin to be asked") { origin.connectionCount == 1 }
        client.finishSending()
        try eventually("the origin's connection to end", within: .seconds(20)) { origin.openConnectionCount == 0 }
        #expect(origin.requests.isEmpty)
    }
}
