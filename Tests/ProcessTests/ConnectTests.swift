import Support
import Testing

@Suite struct ConnectTests {
    private func connect(_ authority: String, _ fields: [String] = []) -> String {
        request("CONNECT \(authority) HTTP/1.1", ["Host: \(authority)"] + fields)
    }

    @Test("H-15 a CONNECT is a tunnel to its target, and its 200 has no framing fields")
    func direct() throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let response = try client.exchange(connect(origin.authority))
        #expect(response.status == 200)
        #expect(response["Content-Length"] == nil && response["Transfer-Encoding"] == nil)
        for path in ["/a", "/b"] {
            #expect(try client.exchange(request("GET \(path) HTTP/1.1", ["Host: h"])).text == path)
        }
        #expect(origin.requests.map { $0.head.values("Via") } == [[], []])
    }

    @Test("H-15 bytes behind the head of a CONNECT are the tunnel's", arguments: [false, true])
    func bytesBehind(_ throughParent: Bool) throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let parent = try ScriptedPeer { [port = origin.port] _ in [.send("HTTP/1.1 200 OK\r\n\r\n"), .tunnel(to: port)]
        }
        let proxy = try RunningProxy(throughParent ? RunningProxy.through(parent.port) : "")
        let client = try proxy.connect()
        try client.send(connect(origin.authority) + request("GET /early HTTP/1.1", ["Host: h"]))
        #expect(try client.receive(to: "CONNECT").status == 200)
        #expect(try client.receive().text == "/early")
        #expect(throughParent == (parent.connectionCount == 1))
    }

    @Test("H-7 large flows through a tunnel arrive unchanged on both sides, past a slow reader too")
    func largeFlows() throws {
        let size = 24 << 20
        let origin = try ScriptedPeer { request in
            request.method == "GET"
                ? [.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"), .sendPattern(size)]
                : [.response(body: "\(request.body.count) \(request.body.fingerprint)")]
        }
        let proxy = try RunningProxy("", workers: 1)
        let client = try proxy.connect(receiveBuffer: 65_536)
        #expect(try client.exchange(connect(origin.authority)).status == 200)
        let expected = MessageBody.fingerprint(of: ScriptedPeer.pattern(0..<size))
        for pause in [nil, Duration.microseconds(20)] {
            try client.send(request("GET / HTTP/1.1", ["Host: h"]))
            _ = try client.receiveHead()
            #expect(try client.discard(bytes: size, pausing: pause) == expected)
        }
        try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(size)\r\n\r\n")
        try client.send(ScriptedPeer.pattern(0..<size))
        #expect(try client.receive().text == "\(size) \(expected)")
        try client.send(request("GET /last HTTP/1.1", ["Host: h", "Connection: close"]))
        client.finishSending()
        _ = try client.receiveHead()
        #expect(try client.discard(bytes: size) == expected)
    }

    @Test("H-15 framing fields in a parent's 2xx are ignored and not passed on")
    func framingIgnored() throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let parent = try ScriptedPeer { [port = origin.port] _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Far: y\r\n\r\n"), .tunnel(to: port)]
        }
        let proxy = try RunningProxy(RunningProxy.through(parent.port))
        let client = try proxy.connect()
        let response = try client.exchange(connect("a.test:443"))
        #expect(response.status == 200)
        #expect(response["Content-Length"] == nil && response["Transfer-Encoding"] == nil)
        #expect(try client.exchange(request("GET /in HTTP/1.1", ["Host: h"])).text == "/in")
        #expect(parent.requests.first?.head.startLine == nil || parent.requests[0].target == "a.test:443")
    }

    @Test("H-15 a parent's refusal keeps its status alone, fields and body are ours", arguments: [403, 404, 503])
    func refused(_ status: Int) throws {
        let parent = try ScriptedPeer { _ in [.response(status, ["Set-Cookie: a=b", "X-Far: y"], body: "evil page")] }
        let proxy = try RunningProxy(RunningProxy.through(parent.port))
        let client = try proxy.connect()
        let response = try client.exchange(connect("a.test:443"))
        #expect(response.status == status)
        #expect(response["Set-Cookie"] == nil && response["X-Far"] == nil)
        #expect(!response.text.contains("evil"))
        #expect(response["Proxy-Status"]?.contains("received-status=\(status)") == true)
        // No byte came behind the CONNECT, so the connection goes on.
        #expect(try client.exchange(connect("b.test:443")).status == status)
    }

    @Test("H-15 a refused CONNECT behind which bytes came closes its connection")
    func refusedWithBytes() throws {
        let parent = try ScriptedPeer { $0.method == "CONNECT" ? [.response(403)] : [.response(body: "smuggled")] }
        let proxy = try RunningProxy(RunningProxy.through(parent.port))
        let client = try proxy.connect()
        try client.send(connect("a.test:443") + request("GET http://a.test/smuggled HTTP/1.1", ["Host: a.test"]))
        #expect(try client.receive(to: "CONNECT").status == 403)
        _ = try client.waitForClose()
        #expect(parent.requests.map(\.method) == ["CONNECT"])
    }

    @Test("H-15 so does one that the proxy refuses at once")
    func refusedAtOnce() throws {
        let origin = try ScriptedPeer { _ in [.response(body: "smuggled")] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let behind = request("GET \(origin.url)/smuggled HTTP/1.1", ["Host: h"])
        try client.send(connect("127.0.0.1:\(proxy.port)") + behind)
        #expect(try client.receive(to: "CONNECT").status == 502)
        _ = try client.waitForClose()
        #expect(origin.connectionCount == 0)
    }

    @Test("H-15 an unreachable target is told to the CONNECT")
    func unreachable() throws {
        let proxy = try RunningProxy("")
        let response = try proxy.connect().exchange(connect("127.0.0.1:\(FreePort.reserve())"))
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("error=connection_refused") == true)
    }

    @Test("H-15 a half-close is passed on, and the other half goes on")
    func halfClose() throws {
        let origin = try ScriptedPeer { [.pause(.milliseconds(100)), .response(body: $0.target), .finishSending] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        #expect(try client.exchange(connect(origin.authority)).status == 200)
        try client.send(request("GET /last HTTP/1.1", ["Host: h"]))
        client.finishSending()
        #expect(try client.receive().text == "/last")
        #expect(try client.waitForClose() == .endOfStream)
        try eventually("the origin's connection to end") { origin.openConnectionCount == 0 }
    }

    @Test("H-15 the other half of a half-closed tunnel ends after its limit")
    func halfLimit() throws {
        let origin = try ScriptedPeer { _ in [.send("x"), .hang] }
        let proxy = try RunningProxy("timeouts: { tunnel_half: 1s }")
        let client = try proxy.connect()
        #expect(try client.exchange(connect(origin.authority)).status == 200)
        try client.send(request("GET / HTTP/1.1", ["Host: h"]))
        #expect(try client.receive(bytes: 1) == Array("x".utf8))
        client.finishSending()
        _ = try client.waitForClose()
    }

    @Test("H-15 a reset inside a tunnel ends it on the other side", arguments: [true, false])
    func reset(_ byClient: Bool) throws {
        let origin = try ScriptedPeer { byClient ? [.response(body: $0.target)] : [.reset] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        #expect(try client.exchange(connect(origin.authority)).status == 200)
        try client.send(request("GET /a HTTP/1.1", ["Host: h"]))
        if byClient {
            #expect(try client.receive().text == "/a")
            client.reset()
        } else {
            _ = try client.waitForClose()
        }
        try eventually("the origin's connection to end", within: .seconds(20)) { origin.openConnectionCount == 0 }
    }

    /// A parent that demands a login for each CONNECT and joins who has it to `port`.
    private func demandingParent(_ demand: Demand, closes: Bool, joining port: UInt16) throws -> ScriptedPeer {
        try ScriptedPeer { request in
            guard request.method == "CONNECT" else { return [.response(body: "smuggled")] }
            guard request["Proxy-Authorization"] == nil else {
                return [.send("HTTP/1.1 200 OK\r\n\r\n"), .tunnel(to: port)]
            }
            return closes
                ? [.response(407, ["Connection: close", "Proxy-Authenticate: \(demand.challenge)"]), .close]
                : [demand.refusal]
        }
    }

    @Test(
        "H-15 bytes behind the head of a CONNECT are held over a 407 and reach the tunnel",
        arguments: [Demand(scheme: "Basic", status: 407), Demand(scheme: "Digest", status: 407)],
        [false, true]
    )
    func bytesBehindChallenge(_ demand: Demand, _ closes: Bool) throws {
        let origin = try ScriptedPeer { [.response(body: "\($0.target) \($0.body.fingerprint)")] }
        let parent = try demandingParent(demand, closes: closes, joining: origin.port)
        let proxy = try RunningProxy(demand.rules(for: parent), workers: 1, files: ["secret": "right"])
        let body = ScriptedPeer.pattern(0..<100_000)
        let behind = Array(request("POST /early HTTP/1.1", ["Host: h", "Content-Length: \(body.count)"]).utf8) + body
        let clients = try (0..<2).map { _ in try proxy.connect() }
        for client in clients {
            try client.send(Array(connect("a.test:443").utf8) + behind)
            #expect(try client.receive(to: "CONNECT").status == 200)
            #expect(try client.receive().text == "/early \(MessageBody.fingerprint(of: body))")
        }
        // No byte of the tunnel's went before its 200, so every request that the parent read was a CONNECT.
        // The first tunnel's connection holds its nonce (A-4b), so for Digest the second one is challenged too.
        let count = demand.scheme == "Digest" ? 4 : 3
        #expect(parent.requests.map(\.method) == [String](repeating: "CONNECT", count: count))
        #expect(parent.faults == [])
    }

    @Test("H-15 a CONNECT whose login is refused closes its connection when bytes came behind it")
    func refusedLoginWithBytes() throws {
        let demand = Demand(scheme: "Basic", status: 407)
        let parent = try ScriptedPeer { request in
            request.method == "CONNECT" ? [demand.refusal] : [.response(body: "smuggled")]
        }
        let proxy = try RunningProxy(demand.rules(for: parent), workers: 1, files: ["secret": "wrong"])
        let client = try proxy.connect()
        try client.send(connect("a.test:443") + request("GET http://a.test/smuggled HTTP/1.1", ["Host: a.test"]))
        let response = try client.receive(to: "CONNECT")
        #expect(response.status == 502)
        #expect(reason(of: response) == "credential.rejected")
        #expect(response["Connection"] == "close")
        _ = try client.waitForClose()
        #expect(parent.requests.map(\.method) == ["CONNECT", "CONNECT"])
        // Without such bytes it goes on.
        let other = try proxy.connect()
        for _ in 0..<2 { #expect(try other.exchange(connect("a.test:443")).status == 502) }
    }

    @Test(
        "H-15 a CONNECT that says it has content is 400, and no byte of it reaches the parent",
        arguments: ["Content-Length: 43", "Transfer-Encoding: chunked"]
    )
    func content(_ line: String) throws {
        let demand = Demand(scheme: "Basic", status: 407)
        let parent = try ScriptedPeer { request in
            request.method == "CONNECT" ? [demand.refusal] : [.response(body: "smuggled")]
        }
        let proxy = try RunningProxy(demand.rules(for: parent), workers: 1, files: ["secret": "wrong"])
        let client = try proxy.connect()
        let behind = request("GET http://admin/ HTTP/1.1", ["Host: admin"])
        let body = line.hasPrefix("C") ? behind : "2b\r\n\(behind)\r\n0\r\n\r\n"
        try client.send(request("CONNECT a.test:443 HTTP/1.1", ["Host: a.test:443", line], body: body))
        let response = try client.receive(to: "CONNECT")
        #expect(response.status == 400)
        #expect(reason(of: response) == "request.content-in-connect")
        _ = try client.waitForClose()
        #expect(parent.connectionCount == 0)
    }
}
