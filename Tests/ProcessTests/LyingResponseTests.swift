import Support
import Testing

@Suite struct LyingResponseTests {
    /// An origin that answers `/N` with lie N and closes, and anything else rightly.
    private func liar() throws -> ScriptedPeer {
        try ScriptedPeer { request in
            guard let index = Int(request.target.dropFirst()) else { return [.response(body: "truth")] }
            return [.sendBytes(LyingResponses.all[index].bytes), .close]
        }
    }

    /// Whether the client got a 502, or only the beginning of a response whose body then turned out to lie.
    private func isCutShort(_ client: HTTPClient) throws -> Bool {
        do {
            let bytes = String(decoding: try client.receiveToEnd(), as: UTF8.self)
            return bytes.hasPrefix("HTTP/1.1 502 ") || !bytes.hasSuffix("0\r\n\r\n")
        } catch let failure as TestFailure {
            throw failure
        } catch {
            // A reset, which may overtake what was sent before.
            return true
        }
    }

    @Test("H-4 a response that can't be trusted is 502 or, behind its head, cut short; the next request works")
    func refused() throws {
        let origin = try liar()
        let proxy = try RunningProxy("")
        for (index, message) in LyingResponses.all.enumerated() {
            let client = try proxy.connect()
            try client.send(request("GET \(origin.url)/\(index) HTTP/1.1", ["Host: h", "Connection: close"]))
            if message.part == .head {
                let response = try client.receive()
                #expect(response.status == 502, "\(message.name)")
                #expect(response["Proxy-Status"]?.contains("details=\"\(message.reason):") == true, "\(message.name)")
            } else {
                #expect(try isCutShort(client), "\(message.name)")
            }
            client.close()
            #expect(try proxy.get("\(origin.url)/next").text == "truth", "\(message.name)")
        }
    }

    @Test("H-4 in a response a blank before a colon goes, a fold becomes a blank, a bare LF ends a line of the head")
    func lenient() throws {
        let origin = try ScriptedPeer { _ in
            [.send("HTTP/1.1 200 OK\nX-Blank : a\nX-Fold: b\r\n  c\nContent-Length: 2\n\nok")]
        }
        let proxy = try RunningProxy("")
        let response = try proxy.get("\(origin.url)/")
        #expect(response.status == 200)
        #expect(response.text == "ok")
        #expect(response["X-Blank"] == "a")
        #expect(response["X-Fold"].map { $0.split(separator: " ").joined(separator: " ") } == "b c")
        #expect(response.head.text.split(separator: "\r\n").allSatisfy { !$0.contains("\n") })
    }
}
