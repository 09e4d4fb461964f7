import Support
import Testing

@Suite struct BodyLengthTests {
    @Test("H-14 lengths of over 2^32 are passed on")
    func large() throws {
        let origin = try ScriptedPeer(
            beforeBody: { $0.target == "/put" ? [.response(413), .close] : [] },
            answer: { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9000000000000\r\n\r\nabc"), .hang] }
        )
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        try client.send(request("GET \(origin.url)/ HTTP/1.1", ["Host: h"]))
        #expect(try client.receiveHead().head["Content-Length"] == "9000000000000")
        #expect(try client.receive(bytes: 3) == Array("abc".utf8))
        client.close()
        let writer = try proxy.connect()
        try writer.send(
            request("PUT \(origin.url)/put HTTP/1.1", ["Host: h", "Content-Length: 10000000000"], body: "abc")
        )
        #expect(try writer.receive().status == 413)
        let asked = String(decoding: origin.transcript(of: origin.connectionCount - 1), as: UTF8.self)
        #expect(asked.contains("Content-Length: 10000000000\r\n"))
    }

    @Test("H-14 a body that the end of its connection ends is passed on whole", arguments: ["HTTP/1.1", "HTTP/1.0"])
    func untilClose(_ version: String) throws {
        let body = String(repeating: "0123456789", count: 20_000)
        let origin = try ScriptedPeer { _ in [.send("HTTP/1.0 200 OK\r\n\r\n\(body)"), .close] }
        let proxy = try RunningProxy("")
        let response = try proxy.connect().exchange(request("GET \(origin.url)/ \(version)", ["Host: h"]))
        #expect(response.text == body)
        #expect(response["Transfer-Encoding"] == (version == "HTTP/1.1" ? "chunked" : nil))
    }

    @Test("H-14 a chunked body is passed on whole, both ways")
    func chunked() throws {
        let origin = try ScriptedPeer { request in
            let size = String(request.body.count, radix: 16)
            return [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n"),
                .sendBytes(request.body.bytes), .send("\r\n0\r\n\r\n"),
            ]
        }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let body = ScriptedPeer.pattern(0..<300_000)
        try client.send(request("POST \(origin.url)/ HTTP/1.1", ["Host: h", "Transfer-Encoding: chunked"]))
        for start in stride(from: 0, to: body.count, by: 100_000) {
            try client.send("\(String(100_000, radix: 16));x=\"y\"\r\n")
            try client.send(Array(body[start..<start + 100_000]))
            try client.send("\r\n")
        }
        try client.send("0\r\n\r\n")
        #expect(try client.receive().body.bytes == body)
    }

    @Test("H-14 a long upload leaves memory where it was", arguments: ["Content-Length", "Transfer-Encoding"])
    func memory(_ framing: String) throws {
        let origin = try ScriptedPeer { [.response(body: "\($0.body.count)")] }
        let proxy = try RunningProxy("", workers: 1)
        #expect(try proxy.get("\(origin.url)/").status == 200)
        let before = try proxy.process.memory()
        let client = try proxy.connect(limit: .seconds(60))
        let block = [UInt8](repeating: 0x61, count: 1 << 20)
        let count = 64
        let isChunked = framing == "Transfer-Encoding"
        let line = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(count << 20)"
        try client.send(request("POST \(origin.url)/ HTTP/1.1", ["Host: h", line]))
        for _ in 0..<count {
            if isChunked { try client.send("100000\r\n") }
            try client.send(block)
            if isChunked { try client.send("\r\n") }
        }
        if isChunked { try client.send("0\r\n\r\n") }
        #expect(try client.receive().text == "\(count << 20)")
        let growth = try proxy.process.memory("VmHWM") - before
        #expect(try growth < proxy.process.bound(mebibytes: 8))
    }
}
