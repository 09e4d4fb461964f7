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
        #expect(growth < 8 * 1024)
        #expect(origin.requests.map(\.body.count) == [40 << 20, 40 << 20])
        #expect(Set(origin.requests.map(\.body.fingerprint)).count == 1)
    }
}
