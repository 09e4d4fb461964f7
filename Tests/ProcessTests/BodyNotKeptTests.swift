import Support
import Testing

@Suite struct BodyNotKeptTests {
    private static let limits = [
        "limits: { replay_memory: 1KiB, replay_disk: 64KiB }", "limits: { replay_disk: 64KiB }",
        "limits: { replay_total: 64KiB }",
    ]

    @Test("B-4 a challenge to a body that was not kept is told", arguments: limits)
    func told(_ limits: String) throws {
        let origin = try BodyReplayTests.demanding()
        let proxy = try RunningProxy(BodyReplayTests.answering + limits)
        let body = String(repeating: "a", count: 2_000_000)
        let text = request(
            "POST \(origin.url)/ HTTP/1.1",
            ["Host: h", "Content-Length: \(body.utf8.count)"],
            body: body
        )
        let response = try proxy.connect().exchange(text)
        #expect(response.status == 401)
        #expect(response["WWW-Authenticate"] == "Basic realm=\"x\"")
        #expect(response["Proxy-Status"]?.contains("body.not-kept") == true)
        #expect(origin.requests.map(\.body.count) == [2_000_000])
    }

    @Test(
        "B-4 a parent's challenge to a body that was not kept is 502, never its 407",
        arguments: limits,
        ["Basic", "Digest"]
    )
    func toldOfParent(_ limits: String, _ scheme: String) throws {
        let demand = Demand(scheme: scheme, status: 407)
        let parent = try demand.takingPeer()
        let proxy = try RunningProxy(demand.rules(for: parent) + "\n" + limits, files: ["secret": "right"])
        let body = String(repeating: "a", count: 2_000_000)
        let lines = ["Host: h", "Content-Length: \(body.utf8.count)"]
        let client = try proxy.connect()
        let response = try client.exchange(request("POST \(demand.url(of: parent)) HTTP/1.1", lines, body: body))
        #expect(response.status == 502)
        #expect(reason(of: response) == "body.not-kept")
        #expect(response["Proxy-Authenticate"] == nil)
        #expect(response["Proxy-Status"]?.contains("received-status=407") == true)
        #expect(demand.attempts(at: parent) == 0)
        // No verdict on the credential: a body that can be kept is answered.
        let small = request("POST \(demand.url(of: parent)) HTTP/1.1", ["Host: h", "Content-Length: 1"], body: "a")
        #expect(try proxy.connect().exchange(small).text == "in")
    }

    @Test("B-4 a spool that can't be written is a body that is not kept", arguments: [401, 407])
    func noSpool(_ status: Int) throws {
        let demand = Demand(scheme: "Digest", status: status)
        let peer = try demand.takingPeer()
        let proxy = try RunningProxy(demand.rules(for: peer) + "\nspool: nowhere", files: ["secret": "right"])
        let body = String(repeating: "a", count: 200_000)
        let lines = ["Host: h", "Content-Length: \(body.utf8.count)"]
        let client = try proxy.connect()
        let response = try client.exchange(request("PUT \(demand.url(of: peer)) HTTP/1.1", lines, body: body))
        #expect(response.status == (status == 401 ? 401 : 502))
        #expect(reason(of: response) == "body.not-kept")
        #expect(peer.requests.map(\.body.count) == [200_000])
    }

    @Test("B-8 what is spooled counts until its exchange ends, so that the next has the room again")
    func counted() throws {
        let origin = try BodyReplayTests.demanding()
        let rules = BodyReplayTests.answering + "limits: { replay_memory: 1KiB, replay_total: 300KiB }"
        let body = String(repeating: "a", count: 200_000)
        let proxy = try RunningProxy(rules, workers: 1)
        for _ in 0..<3 {
            let client = try proxy.connect()
            let lines = ["Host: h", "Content-Length: \(body.utf8.count)"]
            #expect(try client.exchange(request("POST \(origin.url)/ HTTP/1.1", lines, body: body)).status == 200)
        }
    }
}
