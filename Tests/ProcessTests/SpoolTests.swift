import Support
import Testing

/// Bodies that are kept in a file, and a disk that is slow or full.
@Suite struct SpoolTests {
    private static let body = ScriptedPeer.pattern(0..<2_000_000)

    private func upload(_ url: String, _ body: [UInt8] = Self.body) -> [UInt8] {
        Array(request("PUT \(url) HTTP/1.1", ["Host: h", "Content-Length: \(body.count)"]).utf8) + body
    }

    /// What reads and writes the spool of `proxy` is tampered with, as strace's inject says.
    private func tamper(with proxy: RunningProxy, _ calls: String, _ injection: String) throws -> TestProcess {
        let arguments = ["-f", "-qq", "-p", "\(proxy.process.pid)", "-e", "trace=\(calls)"]
        let strace = try TestProcess("strace", arguments + ["-e", "inject=\(calls):\(injection)"])
        try eventually("strace to attach") { try proxy.process.tracer == strace.pid }
        return strace
    }

    @Test(
        "B-4 a disk that is full is told as a body that is not kept, also when it says so behind the challenge",
        arguments: [Demand(scheme: "Basic", status: 401), Demand(scheme: "Digest", status: 407)],
        [
            (2_000_000, "error=ENOSPC"), (2_000_000, "error=ENOSPC:when=2"),
            (2_000_000, "error=ENOSPC:delay_enter=200000"),
            // What doesn't hold up the client, so that the challenge is there before the disk's word.
            (150_000, "error=ENOSPC:delay_enter=500000"),
        ]
    )
    func full(_ demand: Demand, _ disk: (size: Int, injection: String)) throws {
        let body = ScriptedPeer.pattern(0..<disk.size)
        let peer = try ScriptedPeer(
            beforeBody: { _ in [] },
            answer: { [$0[demand.field] == nil ? demand.refusal : .response(body: "\($0.body.fingerprint)")] }
        )
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 1, files: ["secret": "right"])
        let strace = try tamper(with: proxy, "pwrite64", disk.injection)
        let client = try proxy.connect(limit: .seconds(30))
        try client.send(upload(demand.url(of: peer), body))
        let response = try client.receive()
        #expect(response.status == (demand.isProxy ? 502 : 401))
        #expect(reason(of: response) == "body.not-kept")
        // The upload itself went on, and is no matter of the disk's.
        #expect(peer.requests.map(\.body.fingerprint) == [MessageBody.fingerprint(of: body)])
        let small = Array("small".utf8)
        try client.send(upload(demand.url(of: peer), small))
        #expect(try client.receive().text == "\(MessageBody.fingerprint(of: small))")
        strace.stop()
    }

    @Test("B-1 a disk that is slow holds up the upload that waits for it, and no other request of its loop")
    func slow() throws {
        let origin = try ScriptedPeer(
            beforeBody: { _ in [] },
            answer: {
                $0.method == "PUT" && $0["Authorization"] == nil
                    ? [.unauthorized("Basic realm=\"x\"")] : [.response(body: "\($0.body.fingerprint)")]
            }
        )
        let proxy = try RunningProxy(BodyReplayTests.answering, workers: 1)
        let other = try proxy.connect()
        let get = request("GET \(origin.url)/open HTTP/1.1", ["Host: h"])
        #expect(try other.exchange(get).status == 200)
        let writer = try proxy.connect(limit: .seconds(60))
        let strace = try tamper(with: proxy, "pwrite64,pread64", "delay_enter=300000")
        let began = ContinuousClock.now
        try writer.send(upload("\(origin.url)/"))
        var longest = Duration.zero
        while try writer.isSilent(for: .milliseconds(1)) {
            let asked = ContinuousClock.now
            #expect(try other.exchange(get).status == 200)
            longest = max(longest, .now - asked)
        }
        #expect(try writer.receive().text == "\(MessageBody.fingerprint(of: Self.body))")
        #expect(.now - began > .seconds(1))
        #expect(longest < .milliseconds(250) * Deadline.patience, "\(longest)")
        strace.stop()
    }

    @Test("B-1 a body goes again from the spool as slowly as its server reads")
    func slowServer() throws {
        let origin = try ScriptedPeer(
            beforeBody: { $0["Authorization"] == nil ? [] : [.readSlowly(.milliseconds(10))] },
            answer: {
                [
                    $0["Authorization"] == nil
                        ? .unauthorized("Basic realm=\"x\"") : .response(body: "\($0.body.fingerprint)")
                ]
            }
        )
        let proxy = try RunningProxy(BodyReplayTests.answering + "timeouts: { response_head: 3s }", workers: 1)
        let block = ScriptedPeer.pattern(0..<(1 << 20))
        let client = try proxy.connect(limit: .seconds(60))
        let began = ContinuousClock.now
        try client.send(request("PUT \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: \(40 << 20)"]))
        for _ in 0..<40 { try client.send(block) }
        let response = try client.receive()
        #expect(response.status == 200)
        #expect(origin.requests.map(\.body.count) == [40 << 20, 40 << 20])
        #expect(Set(origin.requests.map { "\($0.body.fingerprint)" }) == [response.text])
        // Longer than a head may take, since it is the body that took it.
        #expect(.now - began > .seconds(5))
    }

    @Test("B-1 a spool has no name, and its place is free when the exchange is over")
    func unnamed() throws {
        let gate = Gate()
        let origin = try ScriptedPeer(
            beforeBody: { _ in [] },
            answer: { [$0["Authorization"] == nil ? .wait(gate) : .pause(.zero), .unauthorized("Basic realm=\"x\"")] }
        )
        let folder = try ScratchFolder("spool")
        let rules = BodyReplayTests.answering + "spool: \(folder.path)"
        let proxy = try RunningProxy(rules, workers: 1)
        let client = try proxy.connect()
        try client.send(upload("\(origin.url)/"))
        try origin.waitForRequests(1)
        #expect(names(in: folder.path) == [])
        try eventually("the file") { proxy.process.openFiles.contains { $0.hasPrefix(folder.path) } }
        gate.opens()
        #expect(try client.receive().status == 401)
        try eventually("the file to go") { !proxy.process.openFiles.contains { $0.hasPrefix(folder.path) } }
    }
}
