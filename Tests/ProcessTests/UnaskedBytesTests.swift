import Support
import Testing

/// Bytes that an upstream sends behind a response, before anything was asked: they are no response to what comes next.
@Suite struct UnaskedBytesTests {
    private static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

    /// How a refusal's body is framed.
    private static let bodies = [
        "Content-Length: 0\r\n\r\n", "Content-Length: 2\r\n\r\nno",
        "Transfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n",
    ]

    @Test(
        "A-6b a response that came behind a challenge is none to its answer, and confirms nothing",
        arguments: Demand.all,
        bodies
    )
    func behindChallenge(_ demand: Demand, _ body: String) throws {
        let name = demand.isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
        let challenge = "HTTP/1.1 \(demand.status) No\r\n\(name): \(demand.challenge)\r\n\(body)\(Self.evil)"
        let peer = try ScriptedPeer { $0[demand.field] == nil ? [.send(challenge)] : [demand.refusal] }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 1, files: ["secret": "wrong"])
        let responses = try (0..<4).map { try proxy.get(demand.url(of: peer, path: "/\($0)/")) }
        #expect(responses.map(\.status) == [Int](repeating: demand.isProxy ? 502 : 401, count: 4))
        #expect(!responses.contains { $0.text.contains("evil") })
        #expect(reason(of: responses[0]) == "credential.rejected")
        #expect(demand.attempts(at: peer) == 1)
        // The answer went on a connection of its own.
        #expect(peer.requests.filter { $0[demand.field] != nil }.map(\.index) == [0])
    }

    @Test("H-15 a 200 that came behind a parent's 407 opens no tunnel")
    func behindChallengeToConnect() throws {
        let demand = Demand(scheme: "Basic", status: 407)
        let challenge = "HTTP/1.1 407 No\r\nProxy-Authenticate: \(demand.challenge)\r\nContent-Length: 0\r\n\r\n"
        let parent = try ScriptedPeer { request in
            request[demand.field] == nil ? [.send(challenge + "HTTP/1.1 200 OK\r\n\r\n")] : [demand.refusal]
        }
        let proxy = try RunningProxy(demand.rules(for: parent), workers: 1, files: ["secret": "wrong"])
        let response = try proxy.connect().exchange(request("CONNECT a.test:443 HTTP/1.1", ["Host: a.test:443"]))
        #expect(response.status == 502)
        #expect(reason(of: response) == "credential.rejected")
        #expect(parent.requests.count == 2)
    }

    @Test(
        "H-5 a challenge to HEAD that has a body all the same is answered, on a fresh connection",
        arguments: Demand.all
    )
    func headWithBody(_ demand: Demand) throws {
        let peer = try ScriptedPeer { request in
            guard request[demand.field] == nil else { return [.send("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n")] }
            return [demand.refusal]
        }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 1, files: ["secret": "right"])
        let response = try proxy.get(demand.url(of: peer), method: "HEAD")
        #expect(response.status == 200)
        #expect(peer.requests.map(\.connection) == [0, 1])
    }

    /// A way to end a response to `method` that has bytes behind it.
    struct Surplus: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = "GET"
        let bytes: String

        /// A response of 5 bytes, then as much of no meaning as fills `size` in all, then a response.
        static func filling(_ size: Int, _ name: String) -> Surplus {
            let response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"
            let junk = String(repeating: "#", count: size - response.utf8.count)
            return Surplus(testDescription: name, bytes: response + junk + evil)
        }

        static let all = [
            Surplus(
                testDescription: "behind a length",
                bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst" + evil
            ),
            Surplus(
                testDescription: "behind chunks",
                bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n0\r\n\r\n" + evil
            ),
            Surplus(
                testDescription: "behind an empty body",
                bytes: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" + evil
            ),
            Surplus(testDescription: "behind 204", bytes: "HTTP/1.1 204 None\r\nContent-Length: 2\r\n\r\n" + evil),
            Surplus(testDescription: "behind 304", bytes: "HTTP/1.1 304 Same\r\nContent-Length: 2\r\n\r\n" + evil),
            Surplus(
                testDescription: "behind HEAD",
                method: "HEAD",
                bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + evil
            ),
            // What one read takes is 64 KiB.
            filling(16 * 1024, "behind junk up to 16 KiB"), filling(64 * 1024, "behind junk up to a whole read"),
        ]
    }

    @Test(
        "S-4 what came behind one client's response is not another's, though he waits for just that connection",
        arguments: Surplus.all
    )
    func behindResponse(_ surplus: Surplus) throws {
        let (asked, gate) = (Gate(), Gate())
        let origin = try ScriptedPeer { request in
            guard request.target == "/first" else { return [.response(body: "real")] }
            asked.opens()
            return [.wait(gate), .send(surplus.bytes)]
        }
        let proxy = try RunningProxy("limits: { upstream_connections_per_host: 1 }", workers: 1)
        let first = try proxy.connect()
        try first.send(request("\(surplus.method) \(origin.url)/first HTTP/1.1", ["Host: h"]))
        try asked.wait()
        let victim = try proxy.connect()
        try victim.send(request("GET \(origin.url)/victim HTTP/1.1", ["Host: h"]))
        pause(.milliseconds(100))
        if surplus.bytes.utf8.count < 1000 {
            gate.opens()
        } else {
            // All of it lies in the kernel's buffer when it is read.
            try proxy.process.standingStill {
                gate.opens()
                pause(.milliseconds(100))
            }
        }
        #expect((200...304).contains(try first.receive(to: surplus.method).status))
        #expect(try victim.receive().text == "real")
        #expect(origin.requests.map(\.connection) == [0, 1])
    }

    @Test(
        "S-4 nor what came behind a response whose end was the end of a read, though he asks in the same moment",
        arguments: [10, 40],
        [true, false]
    )
    func behindRead(_ parts: Int, _ waits: Bool) throws {
        let (asked, gate) = (Gate(), Gate())
        let (part, last) = (40_000, 64 * 1024)
        let size = parts * part + last
        let origin = try ScriptedPeer { request in
            guard request.target == "/first" else { return [.response(body: "real")] }
            asked.opens()
            // By and by the kernel's buffer grows beyond what one read takes; the longer body goes through a pipe.
            let pieces = [ScriptedPeer.Step](repeating: .sendPattern(part), count: parts).flatMap { step in
                [step, .pause(.milliseconds(5))]
            }
            let end = ScriptedPeer.pattern(0..<last) + Array(Self.evil.utf8)
            return [.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")] + pieces + [
                .wait(gate), .sendBytes(end),
            ]
        }
        let proxy = try RunningProxy("limits: { upstream_connections_per_host: 1 }", workers: 1)
        let first = try proxy.connect()
        try first.send(request("GET \(origin.url)/first HTTP/1.1", ["Host: h"]))
        try asked.wait()
        let victim = try proxy.connect()
        let text = request("GET \(origin.url)/victim HTTP/1.1", ["Host: h"])
        if waits { try victim.send(text) }
        _ = try first.receiveHead()
        _ = try first.discard(bytes: size - last)
        try proxy.process.standingStill {
            gate.opens()
            pause(.milliseconds(100))
            if !waits { try victim.send(text) }
        }
        _ = try first.discard(bytes: last)
        #expect(try victim.receive().text == "real")
        #expect(origin.requests.map(\.connection) == [0, 1])
    }
}
