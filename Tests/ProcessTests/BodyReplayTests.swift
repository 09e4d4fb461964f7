import Support
import Testing

/// Bodies that go again with an answer.
@Suite struct BodyReplayTests {
    static let answering = """
        credentials: { alice: { username: alice, password: { value: sesame } } }
        rules: [{ space: { host: 127.0.0.1, port: any }, use: alice, cleartext: [basic] }]

        """

    /// An origin that demands Basic, gives 100 where it is asked for, and reads every body whole.
    static func demanding() throws -> ScriptedPeer {
        try ScriptedPeer { request in
            request["Authorization"] == nil
                ? [.unauthorized("Basic realm=\"x\"")] : [.response(body: "\(request.body.fingerprint)")]
        }
    }

    @Test(
        "B-1 a body goes again with the answer, from memory and from the spool",
        arguments: [10, 65_536, 65_537, 900_000],
        ["Content-Length", "Transfer-Encoding"]
    )
    func again(_ size: Int, _ framing: String) throws {
        let origin = try Self.demanding()
        let proxy = try RunningProxy(Self.answering)
        let client = try proxy.connect()
        let body = ScriptedPeer.pattern(0..<size)
        let isChunked = framing == "Transfer-Encoding"
        let line = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(size)"
        try client.send(request("POST \(origin.url)/ HTTP/1.1", ["Host: h", line]))
        if isChunked { try client.send("\(String(size, radix: 16))\r\n") }
        try client.send(body)
        if isChunked { try client.send("\r\n0\r\n\r\n") }
        let response = try client.receive()
        #expect(response.status == 200)
        #expect(response.text == "\(MessageBody.fingerprint(of: body))")
        #expect(origin.requests.count == 2)
        #expect(origin.faults == [])
    }

    @Test("B-1 an upload of 40 MiB that is challenged after it was sent is answered again with under 8 MiB of growth")
    func large() throws {
        let origin = try Self.demanding()
        let open = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy(Self.answering, workers: 1)
        #expect(try proxy.get("\(open.url)/").status == 200)
        let before = try proxy.process.memory()
        let client = try proxy.connect(limit: .seconds(60))
        let block = ScriptedPeer.pattern(0..<(1 << 20))
        try client.send(request("POST \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: \(40 << 20)"]))
        for _ in 0..<40 { try client.send(block) }
        let response = try client.receive()
        #expect(response.status == 200)
        let growth = try proxy.process.memory("VmHWM") - before
        #expect(try growth < proxy.process.bound(mebibytes: 8))
        #expect(origin.requests.map(\.body.count) == [40 << 20, 40 << 20])
        #expect(Set(origin.requests.map(\.body.fingerprint)).count == 1)
    }

    @Test("B-1 with no replay_memory a body is kept in the spool from its first byte", arguments: [5, 100_000])
    func withoutMemory(_ size: Int) throws {
        let origin = try Self.demanding()
        let proxy = try RunningProxy(Self.answering + "limits: { replay_memory: 0 }", workers: 1)
        let body = String(repeating: "a", count: size)
        let text = request("POST \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: \(size)"], body: body)
        let response = try proxy.connect().exchange(text)
        #expect(response.status == 200)
        #expect(response.text == "\(MessageBody.fingerprint(of: Array(body.utf8)))")
    }

    @Test("B-8 what uploads side by side spooled is free again once they have ended")
    func sideBySide() throws {
        let count = 4
        let arrived = Locked(0)
        let origin = try ScriptedPeer { request in
            guard request["Authorization"] == nil else { return [.response()] }
            // All are kept at the same time.
            if request.target == "/together/" {
                arrived.withLock { $0 += 1 }
                try? eventually("the others") { arrived.withLock { $0 == count } }
            }
            return [.unauthorized("Basic realm=\"x\"")]
        }
        let limits = "limits: { replay_memory: 1KiB, replay_total: 300KiB }"
        let proxy = try RunningProxy(Self.answering + limits, workers: 1)
        let port = proxy.port
        @Sendable func upload(_ path: String, _ size: Int) throws -> Int {
            let lines = ["Host: h", "Content-Length: \(size)", "Connection: close"]
            let body = String(repeating: "a", count: size)
            return try HTTPClient(port: port).exchange(request("POST \(origin.url)\(path) HTTP/1.1", lines, body: body))
                .status
        }
        #expect(try concurrently(count) { _ in try upload("/together/", 60_000) } == [200, 200, 200, 200])
        #expect(try upload("/alone/", 280_000) == 200)
    }
}
