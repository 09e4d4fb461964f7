import Support
import Testing

/// The upstream connection of a tunnel that is opened, seen by an origin that is spoken to in the clear.
@Suite struct OpenedConnectionTests {
    private func start(_ more: String = "", other: String = "tunnel") throws -> RunningProxy {
        try RunningProxy(InterceptionTests().interception("127.0.0.1", ", other: \(other)") + more, workers: 1)
    }

    private func connect(_ authority: String) -> String {
        request("CONNECT \(authority) HTTP/1.1", ["Host: \(authority)"])
    }

    private func open(_ origin: ScriptedPeer, _ more: String = "") throws -> (RunningProxy, HTTPClient) {
        let proxy = try start(more)
        let client = try proxy.connect()
        #expect(try client.exchange(connect(origin.authority)).status == 200)
        return (proxy, client)
    }

    private func post(_ origin: ScriptedPeer, _ fields: [String] = []) -> String {
        request("POST / HTTP/1.1", ["Host: \(origin.authority)", "Content-Length: 1"] + fields, body: "x")
    }

    private func get(_ origin: ScriptedPeer, _ fields: [String] = []) -> String {
        request("GET / HTTP/1.1", ["Host: \(origin.authority)"] + fields)
    }

    @Test("I-3 the requests in a tunnel share the connection that its CONNECT opened, and it ends with them")
    func shared() throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let (proxy, client) = try open(origin)
        for _ in 0..<3 { #expect(try client.exchange(get(origin)).text == "/") }
        #expect(try client.exchange(post(origin)).status == 200)
        #expect(origin.requests.map(\.connection) == [0, 0, 0, 0])
        #expect(origin.requests.allSatisfy { $0["Host"] == origin.authority })
        client.close()
        try eventually("the end of the connection") { origin.openConnectionCount == 0 }
        withExtendedLifetime(proxy) {}
    }

    @Test(
        "H-6 in a tunnel, too, what can't be repeated gets a fresh connection behind a pause, unless the client logged in",
        arguments: [false, true]
    )
    func idle(_ hasLogin: Bool) throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        // There is room for one alone.
        let (proxy, client) = try open(origin, "limits: { upstream_connections_per_host: 1 }")
        let login = hasLogin ? ["Authorization: NTLM TlRMTVNTUAAB"] : []
        #expect(try client.exchange(get(origin, login)).status == 200)
        pause(.milliseconds(1200))
        #expect(try client.exchange(post(origin)).status == 200)
        #expect(origin.requests.map(\.connection) == [0, hasLogin ? 0 : 1])
        withExtendedLifetime(proxy) {}
    }

    @Test("C-8 a login of the client's own in its tunnel serves no other client")
    func apart() throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let (proxy, client) = try open(origin)
        #expect(try client.exchange(get(origin, ["Authorization: NTLM TlRMTVNTUAAB"])).status == 200)
        #expect(try proxy.get("http://\(origin.authority)/").status == 200)
        let other = try proxy.connect()
        #expect(try other.exchange(connect(origin.authority)).status == 200)
        #expect(try other.exchange(get(origin)).status == 200)
        #expect(Set(origin.requests.map(\.connection)).count == 3)
        withExtendedLifetime(client) {}
    }

    @Test("H-10 requests that are pipelined in a tunnel are answered in their order, those behind the CONNECT too")
    func pipelined() throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let proxy = try start()
        let client = try proxy.connect()
        let paths = ["/a", "/b", "/c"]
        let all = paths.map { request("GET \($0) HTTP/1.1", ["Host: \(origin.authority)"]) }.joined()
        #expect(try client.exchange(connect(origin.authority) + all).status == 200)
        for path in paths { #expect(try client.receive().text == path) }
        withExtendedLifetime(proxy) {}
    }

    @Test("H-10 a half-close behind a request in a tunnel is served")
    func halfClose() throws {
        let origin = try ScriptedPeer { [.pause(.milliseconds(300)), .response(body: $0.target)] }
        let (proxy, client) = try open(origin)
        try client.send(get(origin))
        client.finishSending()
        #expect(try client.receive().text == "/")
        #expect(try client.waitForClose() == .endOfStream)
        withExtendedLifetime(proxy) {}
    }

    @Test("I-3 what the origin says before the first request in the clear is no answer to it")
    func unasked() throws {
        let port = try FreePort.reserve()
        let program = """
            import socket, sys
            server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
            print("listening", flush=True)
            first = server.accept()[0]
            first.sendall(b"HTTP/1.1 408 Request Timeout\\r\\nContent-Length: 4\\r\\n\\r\\nlate")
            second = server.accept()[0]
            second.recv(65536)
            second.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\nreal")
            second.recv(1)
            """
        let origin = try TestProcess("python3", ["-c", program, "\(port)"])
        try eventually("the server") { origin.output.contains("listening") }
        let proxy = try start()
        let client = try proxy.connect()
        let fields = ["Host: 127.0.0.1:\(port)"]
        #expect(try client.exchange(request("CONNECT 127.0.0.1:\(port) HTTP/1.1", fields)).status == 200)
        pause(.milliseconds(300))
        #expect(try client.exchange(request("GET / HTTP/1.1", fields)).text == "real")
        withExtendedLifetime((origin, proxy)) {}
    }

    @Test("S-2 a hello that comes byte by byte has one handshake's time, however it goes on")
    func dribbling() throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let proxy = try start("timeouts: { handshake: 1s }\n", other: "refuse")
        let client = try proxy.connect()
        #expect(try client.exchange(connect(origin.authority)).status == 200)
        let began = ContinuousClock.now
        for byte in [22, 3, 1, 1, 0, 1, 0, 0, 252, 3, 3] as [UInt8] {
            guard (try? client.send([byte])) != nil else { break }
            pause(.milliseconds(300))
        }
        _ = try client.waitForClose()
        #expect(began.duration(to: .now) < .seconds(4))
        try eventually("the end of the upstream connection") { origin.openConnectionCount == 0 }
        withExtendedLifetime(proxy) {}
    }

    @Test("O-9 a client that says hello and nothing more is given up with a reason")
    func silentBehindHello() throws {
        let tests = InterceptionTests()
        let server = try tests.server()
        let rules = try tests.trust() + tests.interception() + "timeouts: { handshake: 1s }\n"
        let proxy = try RunningProxy(rules, workers: 1)
        let program = """
            import socket, ssl, sys
            peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            peer.sendall(f"CONNECT {sys.argv[2]} HTTP/1.1\\r\\nHost: {sys.argv[2]}\\r\\n\\r\\n".encode())
            peer.recv(65536)
            outgoing = ssl.MemoryBIO()
            session = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
            try:
                session.do_handshake()
            except ssl.SSLWantReadError:
                peer.sendall(outgoing.read())
            while peer.recv(65536):
                pass
            """
        let client = try TestProcess("python3", ["-c", program, "\(proxy.port)", server.authority])
        #expect(try client.waitForExit(within: .seconds(10)) == .status(0))
        try proxy.waitForLog("reason=interception.timeout")
    }

    @Test("O-1 a drain ends the tunnel behind the response that is under way")
    func drain() throws {
        let gate = Gate()
        let origin = try ScriptedPeer { [.wait(gate), .response(body: $0.target)] }
        let (proxy, client) = try open(origin)
        try client.send(get(origin))
        _ = try origin.waitForRequests(1)
        proxy.process.send(signal: 15)
        pause(.milliseconds(300))
        gate.opens()
        let response = try client.receive()
        #expect(response.text == "/" && response["Connection"] == "close")
        #expect(try client.waitForClose() == .endOfStream)
    }
}
