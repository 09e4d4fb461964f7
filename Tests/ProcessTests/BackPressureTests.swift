import Support
import Testing

@Suite struct BackPressureTests {
    private static let block = [UInt8](repeating: 0x61, count: 1 << 20)

    private static func pieces(_ count: Int) -> [ScriptedPeer.Step] {
        [.send("HTTP/1.1 200 OK\r\nContent-Length: \(count << 20)\r\n\r\n")]
            + [ScriptedPeer.Step](repeating: .sendBytes(block), count: count)
    }

    private static func chunks(_ count: Int) -> [ScriptedPeer.Step] {
        let chunk = Array("100000\r\n".utf8) + block + Array("\r\n".utf8)
        return [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")]
            + [ScriptedPeer.Step](repeating: .sendBytes(chunk), count: count)
    }

    @Test("H-7 a download of 2 GiB past a slow reader stays under 64 MiB resident")
    func download() throws {
        try download(2048, Self.pieces(2048))
    }

    @Test("H-7 so does one in chunks, each of which is framed anew") func chunkedDownload() throws {
        try download(128, Self.chunks(128))
    }

    /// The reader stands still, is slow for 8 MiB, then as fast as the kernel; of `steps` that make more than that many MiB.
    private func download(_ mebibytes: Int, _ steps: [ScriptedPeer.Step]) throws {
        let origin = try ScriptedPeer { _ in steps }
        let proxy = try RunningProxy("", workers: 1)
        let client = try proxy.connect(limit: .seconds(60))
        try client.send(request("GET \(origin.url)/ HTTP/1.1", ["Host: h"]))
        #expect(try client.receiveHead().head.startLine.contains("200"))
        // Long enough for a proxy that goes on reading to show it, in a debug build too.
        pause(.seconds(3))
        _ = try client.discard(bytes: 8 << 20, pausing: .milliseconds(4))
        try client.drop(bytes: (mebibytes - 8) << 20)
        let peak = try proxy.process.memory("VmHWM")
        #expect(try peak < proxy.process.bound(mebibytes: 64))
    }

    @Test("H-7 a download inside an unopened CONNECT stays under 64 MiB resident")
    func tunnelledDownload() throws {
        let origin = try ScriptedPeer { _ in Self.pieces(64) }
        let proxy = try RunningProxy("", workers: 1)
        let client = try proxy.connect(limit: .seconds(60), receiveBuffer: 32_768)
        #expect(try client.exchange(request("CONNECT \(origin.authority) HTTP/1.1", ["Host: h"])).status == 200)
        try client.send(request("GET / HTTP/1.1", ["Host: h"]))
        _ = try client.receiveHead()
        _ = try client.discard(bytes: 4 << 20, pausing: .milliseconds(2))
        _ = try client.discard(bytes: 60 << 20)
        let peak = try proxy.process.memory("VmHWM")
        #expect(try peak < proxy.process.bound(mebibytes: 64))
    }

    @Test("H-7 an origin that does not read holds up the client, and memory stays bounded")
    func upload() throws {
        let gate = Gate()
        let origin = try ScriptedPeer(
            beforeBody: { _ in [.wait(gate)] },
            answer: { [.response(body: "\($0.body.count)")] }
        )
        let proxy = try RunningProxy("", workers: 1)
        let size = 64 << 20
        let isSent = Locked(false)
        let (url, port) = (origin.url, proxy.port)
        let answer = Locked<Swift.Result<String, any Error>?>(nil)
        try detachThread {
            let result = Swift.Result {
                let client = try HTTPClient(port: port, limit: .seconds(60))
                try client.send(request("PUT \(url)/ HTTP/1.1", ["Host: h", "Content-Length: \(size)"]))
                for _ in 0..<(size >> 20) { try client.send(Self.block) }
                isSent.withLock { $0 = true }
                return try client.receive().text
            }
            answer.withLock { $0 = result }
        }
        pause(.milliseconds(700))
        #expect(!isSent.withLock { $0 })
        gate.opens()
        try eventually("the upload to end", within: .seconds(60)) { answer.withLock { $0 != nil } }
        #expect(try answer.withLock { $0 }?.get() == "\(size)")
        let peak = try proxy.process.memory("VmHWM")
        #expect(try peak < proxy.process.bound(mebibytes: 64))
    }

    @Test("H-7 what arrived is not held back, either way")
    func notHeldBack() throws {
        let gate = Gate()
        let origin = try ScriptedPeer(
            beforeBody: { _ in [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")] },
            answer: { request in
                [
                    .send("\(String(request.body.count, radix: 16))\r\n\(request.body.text)\r\n"), .wait(gate),
                    .send("0\r\n\r\n"),
                ]
            }
        )
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        try client.send(request("POST \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: 3"]))
        #expect(try client.receiveHead().head.startLine.contains("200"))
        #expect(try client.receive(bytes: 7) == Array("2\r\nab\r\n".utf8))
        try client.send("xyz")
        #expect(try client.receive(bytes: 8) == Array("3\r\nxyz\r\n".utf8))
        gate.opens()
        #expect(try client.receive(bytes: 5) == Array("0\r\n\r\n".utf8))
    }

    @Test("H-7 an upload that the origin holds up for longer than request_body goes on")
    func stalledUpload() throws {
        let origin = try ScriptedPeer(
            beforeBody: { _ in [.pause(.milliseconds(2500))] },
            answer: { [.response(body: "\($0.body.count)")] }
        )
        let proxy = try RunningProxy("timeouts: { request_body: 1s }", workers: 1)
        let client = try proxy.connect()
        let size = 24 << 20
        try client.send(request("POST \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: \(size)"]))
        for _ in 0..<(size >> 20) { try client.send(Self.block) }
        let response = try client.receive()
        #expect(response.status == 200)
        #expect(response.text == "\(size)")
    }

    @Test("A-8 so does one that waits for a scout for longer than request_body")
    func waitingUpload() throws {
        let (demand, gate) = (Demand(scheme: "Basic", status: 401), Gate())
        let origin = try ScriptedPeer(
            // The body is not wanted without a login.
            beforeBody: { [demand] in $0["Content-Length"] == nil || $0[demand.field] != nil ? [] : [demand.refusal] },
            answer: { [demand] in
                guard $0[demand.field] != nil else { return [demand.refusal] }
                return $0.target == "/scout" ? [.wait(gate), .response()] : [.response(body: "\($0.body.count)")]
            }
        )
        let rules = Demand.anyPort + "\ntimeouts: { request_body: 1s, request_head: 1s }"
        let proxy = try RunningProxy(rules, workers: 1, files: ["secret": "right"])
        let scout = try proxy.connect()
        try scout.send(request("GET \(origin.url)/scout HTTP/1.1", ["Host: h"]))
        try eventually("the scout") { demand.attempts(at: origin) == 1 }
        let client = try proxy.connect()
        try client.send(request("POST \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: 400000"]))
        try client.send(Self.block.prefix(400_000) + [])
        pause(.milliseconds(2500))
        gate.opens()
        #expect(try scout.receive().status == 200)
        #expect(try client.receive().text == "400000")
    }
}
