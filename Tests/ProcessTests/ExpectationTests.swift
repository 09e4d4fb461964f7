import Support
import Testing

@Suite struct ExpectationTests {
    private static let body = String(repeating: "a", count: 100_000)

    private func upload(_ url: String, _ fields: [String] = [], body: String = Self.body) -> String {
        request("POST \(url)/ HTTP/1.1", ["Host: h", "Content-Length: \(body.utf8.count)"] + fields, body: body)
    }

    @Test("B-2 where a rule could answer and nothing is known, a large body waits for a 100")
    func asksFirst() throws {
        let origin = try ScriptedPeer(
            beforeBody: { request in
                request["Authorization"] == nil
                    ? [.unauthorized("Basic realm=\"x\""), .close]
                    : request["Expect"] == nil ? [] : [.send("HTTP/1.1 100 Continue\r\n\r\n")]
            },
            answer: { [.response(body: "\($0.body.count)")] }
        )
        let proxy = try RunningProxy(BodyReplayTests.answering)
        let response = try proxy.connect().exchange(upload(origin.url))
        #expect(response.status == 200)
        #expect(response.text == "100000")
        #expect(response.interim.isEmpty)
        let first = String(decoding: origin.transcript(of: 0), as: UTF8.self)
        #expect(first.lowercased().contains("expect: 100-continue\r\n"))
    }

    @Test("B-2 a body that fits 64 KiB, and one that no rule could answer for, goes without an expectation")
    func goesAtOnce() throws {
        let origin = try ScriptedPeer { [.response(body: "\($0["Expect"] ?? "none")")] }
        let answering = try RunningProxy(BodyReplayTests.answering)
        #expect(try answering.connect().exchange(upload(origin.url, body: "small")).text == "none")
        let plain = try RunningProxy("")
        #expect(try plain.connect().exchange(upload(origin.url)).text == "none")
    }

    @Test("B-2 an origin that says nothing gets the body after a while")
    func silent() throws {
        let origin = try ScriptedPeer(beforeBody: { _ in [] }, answer: { [.response(body: "\($0.body.count)")] })
        let proxy = try RunningProxy(BodyReplayTests.answering)
        #expect(try proxy.connect().exchange(upload(origin.url)).text == "100000")
        #expect(origin.requests.count == 1)
        #expect(origin.requests[0]["Expect"]?.lowercased() == "100-continue")
    }

    @Test("B-2 a 417 to the proxy's own expectation is sent again without, and remembered")
    func refused() throws {
        let origin = try ScriptedPeer(
            beforeBody: { $0["Expect"] == nil ? [] : [.response(417), .close] },
            answer: { [.response(body: "\($0.body.count)")] }
        )
        let proxy = try RunningProxy(BodyReplayTests.answering, workers: 1)
        let client = try proxy.connect()
        #expect(try client.exchange(upload(origin.url)).text == "100000")
        let connections = origin.connectionCount
        #expect(try client.exchange(upload(origin.url)).text == "100000")
        let later = (connections..<origin.connectionCount).map {
            String(decoding: origin.transcript(of: $0), as: UTF8.self)
        }
        #expect(later.allSatisfy { !$0.lowercased().contains("\r\nexpect:") })
        #expect(origin.requests.map { $0["Expect"] } == [nil, nil])
    }

    @Test("B-2 a peer that speaks HTTP/1.0 is sent no expectation, the proxy's own or the client's")
    func oldPeer() throws {
        let origin = try ScriptedPeer(
            beforeBody: { _ in [] },
            answer: { [.send("HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\n\($0["Expect"] == nil ? "none" : "some")")] }
        )
        let proxy = try RunningProxy(BodyReplayTests.answering, workers: 1)
        #expect(try proxy.get("\(origin.url)/").text == "none")
        let client = try proxy.connect()
        let began = ContinuousClock.now
        #expect(try client.exchange(upload(origin.url)).text == "none")
        // It did not wait for a 100 either.
        #expect(.now - began < .milliseconds(900) * Deadline.patience)
        let head = request("POST \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: 5", "Expect: 100-continue"])
        let other = try proxy.connect()
        try other.send(head)
        #expect(try other.receiveAnyHead().startLine.hasPrefix("HTTP/1.1 100"))
        try other.send("hello")
        #expect(try other.receive().text == "none")
    }

    @Test("B-2 a 417 that comes behind a body that was not kept is told, and remembered")
    func refusedLate() throws {
        let origin = try ScriptedPeer(
            beforeBody: { _ in [] },
            answer: { [.response($0["Expect"] == nil ? 200 : 417, body: "\($0.body.count)")] }
        )
        let rules = BodyReplayTests.answering + "limits: { replay_memory: 1KiB, replay_disk: 8KiB }"
        let proxy = try RunningProxy(rules, workers: 1)
        let response = try proxy.connect().exchange(upload(origin.url))
        #expect(response.status == 502)
        #expect(reason(of: response) == "body.not-kept")
        #expect(try proxy.connect().exchange(upload(origin.url)).text == "100000")
        #expect(origin.requests.map { $0["Expect"] == nil } == [false, true])
    }

    @Test("B-5 a client that expects a 100 gets it when its body is wanted")
    func clientGetsContinue() throws {
        let origin = try ScriptedPeer { [.response(body: $0.body.text)] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        try client.send(
            request("POST \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: 5", "Expect: 100-continue"])
        )
        #expect(try client.receiveAnyHead().startLine.hasPrefix("HTTP/1.1 100"))
        try client.send("hello")
        #expect(try client.receive().text == "hello")
    }

    @Test("B-5 a client whose body is not wanted gets no 100")
    func clientGetsRefusal() throws {
        let origin = try ScriptedPeer(
            beforeBody: { _ in [.response(413, body: "too large"), .close] },
            answer: { _ in [] }
        )
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        try client.send(
            request("POST \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: 5", "Expect: 100-continue"])
        )
        let response = try client.receive()
        #expect(response.status == 413)
        #expect(response.text == "too large")
        #expect(response.interim.isEmpty)
    }

    @Test("B-5 the 100 that a client expects comes once over an answered challenge")
    func clientOverChallenge() throws {
        let origin = try BodyReplayTests.demanding()
        let proxy = try RunningProxy(BodyReplayTests.answering)
        let client = try proxy.connect()
        try client.send(
            request("POST \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: 5", "Expect: 100-continue"])
        )
        #expect(try client.receiveAnyHead().startLine.hasPrefix("HTTP/1.1 100"))
        try client.send("hello")
        let response = try client.receive()
        #expect(response.status == 200)
        #expect(response.interim.isEmpty)
        #expect(response.text == "\(MessageBody.fingerprint(of: Array("hello".utf8)))")
    }

    @Test("B-5 an expectation that nobody can meet is 417")
    func unknownExpectation() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        #expect(try client.exchange(request("GET \(origin.url)/ HTTP/1.1", ["Host: h", "Expect: more"])).status == 417)
        #expect(origin.connectionCount == 0)
    }
}
