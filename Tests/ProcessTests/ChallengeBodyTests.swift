import Support
import Testing

@Suite struct ChallengeBodyTests {
    private func origin(bodySize: Int) throws -> ScriptedPeer {
        let text = String(repeating: "x", count: bodySize)
        return try ScriptedPeer { request in
            request["Authorization"] == nil
                ? [.unauthorized("Basic realm=\"x\"", body: text)] : [.response(body: "in")]
        }
    }

    @Test("B-6 the body of a challenge is drained to keep its connection")
    func drained() throws {
        let origin = try origin(bodySize: 200_000)
        let proxy = try RunningProxy(BodyReplayTests.answering, workers: 1)
        #expect(try proxy.get("\(origin.url)/").text == "in")
        #expect(origin.requests.map(\.connection) == [0, 0])
    }

    @Test("B-6 a longer one costs its connection")
    func dropped() throws {
        let origin = try origin(bodySize: 2_000_000)
        let proxy = try RunningProxy(BodyReplayTests.answering, workers: 1)
        #expect(try proxy.get("\(origin.url)/").text == "in")
        #expect(origin.requests.map(\.connection) == [0, 1])
    }

    @Test(
        "B-7 a challenge that comes while the upload goes on is answered, and framing stays in step",
        arguments: [false, true]
    )
    func duringUpload(_ closes: Bool) throws {
        let origin = try ScriptedPeer(
            beforeBody: { request in
                guard request["Authorization"] == nil else { return [] }
                return [.unauthorized("Basic realm=\"x\"")] + (closes ? [.close] : [])
            },
            answer: { $0["Authorization"] == nil ? [] : [.response(body: "\($0.body.fingerprint)")] }
        )
        let proxy = try RunningProxy(BodyReplayTests.answering, workers: 1)
        let client = try proxy.connect()
        let body = ScriptedPeer.pattern(0..<60_000)
        try client.send(request("POST \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: \(body.count)"]))
        try client.send(Array(body.prefix(1000)))
        try eventually("the origin to be asked") { origin.connectionCount > 0 }
        pause(.milliseconds(100))
        try client.send(Array(body.dropFirst(1000)))
        let response = try client.receive()
        #expect(response.status == 200)
        #expect(response.text == "\(MessageBody.fingerprint(of: body))")
        #expect(origin.faults.allSatisfy { $0.hasPrefix("the stream ended") })
        #expect(try client.exchange(request("GET \(origin.url)/ HTTP/1.1", ["Host: h"])).status == 200)
    }
}
