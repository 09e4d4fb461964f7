import Support
import Testing

/// Clients that speak SOCKS5.
@Suite struct SOCKSListenerTests {
    private func proxy(_ more: String = "", _ rest: String = "", files: [String: String] = [:]) throws -> RunningProxy {
        try RunningProxy(
            """
            version: 1
            state: state
            listeners: [{ address: "127.0.0.1:$PORT", mode: socks5\(rest) }]

            """ + more,
            workers: 1,
            files: files
        )
    }

    private func request(_ host: String, _ port: UInt16) -> [UInt8] {
        [5, 1, 0, 3, UInt8(host.utf8.count)] + Array(host.utf8) + [UInt8(port >> 8), UInt8(port & 255)]
    }

    /// The reply's code.
    private func reply(_ proxy: RunningProxy, to request: [UInt8]) throws -> UInt8 {
        let client = try proxy.connect()
        try client.send([5, 1, 0])
        #expect(try client.receive(bytes: 2) == [5, 0])
        try client.send(request)
        let reply = try client.receive(bytes: 10)
        if reply[1] != 0 { #expect(try client.waitForClose() == .endOfStream) }
        return reply[1]
    }

    @Test("R-10 curl reaches a server by name and by address", arguments: ["--socks5", "--socks5-hostname"])
    func curl(_ option: String) throws {
        let origin = try ScriptedPeer { request in [.response(body: request.target)] }
        let proxy = try proxy()
        let outcome = try Client.curl.get(
            "http://localhost:\(origin.port)/x",
            [option, "127.0.0.1:\(proxy.port)", "--ipv4"]
        )
        #expect(outcome.status == 200 && outcome.body == "/x", "\(outcome.words)")
        #expect(origin.requests.first?["Via"] == nil)
    }

    @Test("R-10 the success comes after the upstream is connected, and what was sent early comes first")
    func early() throws {
        let origin = try ScriptedPeer { request in [.response(body: request.target)] }
        let proxy = try proxy()
        let client = try proxy.connect()
        let get = Array("GET /early HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        try client.send([5, 1, 0] + request("localhost", origin.port) + get)
        #expect(try client.receive(bytes: 12) == [5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(try client.receive().text == "/early")
    }

    @Test("R-10 T-12 failures are told by their replies: refused 5, no such name 4, not allowed 2")
    func failures() throws {
        let closed = try FreePort.reserve()
        let proxy = try proxy("trust: [{ host: pinned.test, tunnel: refuse }]\n")
        #expect(try reply(proxy, to: request("127.0.0.1", closed)) == 5)
        #expect(try reply(proxy, to: request("no-such-name.invalid", 80)) == 4)
        #expect(try reply(proxy, to: request("pinned.test", 443)) == 2)
        #expect(try reply(proxy, to: [5, 2, 0, 1, 127, 0, 0, 1, 0, 80]) == 7)
        try proxy.waitForLog("reason=pin.tunnel-refused")
    }

    @Test("R-10 T-12 a client that may not come is told that it isn't allowed")
    func access() throws {
        let proxy = try proxy("", ", clients: [127.0.0.2]")
        #expect(try reply(proxy, to: request("localhost", 80)) == 2)
    }

    @Test("R-10 I-2 an opened host is opened inside, and its challenge answered")
    func opened() throws {
        let authority = try TestAuthority()
        let own = try TestAuthority()
        let server = try Nginx(authority.leaf("socks", names: "DNS:localhost"))
        let proxy = try proxy(
            """
            trust: [{ host: localhost, anchors: { file: \(authority.certificate) } }]
            interception: { authority: { certificate: \(own.certificate), private_key: { file: \(own.key) } }, \
            hosts: [localhost] }
            credentials: { staff: { username: \(Login.username), password: { file: secret } } }
            rules: [{ space: { host: localhost, port: \(server.port) }, use: staff }]

            """,
            files: ["secret": Login.password]
        )
        let arguments = ["--socks5-hostname", "127.0.0.1:\(proxy.port)", "--cacert", own.certificate]
        let outcome = try Client.curl.get("https://localhost:\(server.port)/basic/", arguments)
        #expect(outcome.status == 200 && outcome.body == "nginx basic\n", "\(outcome.words)\(proxy.log)")
        // In the clear inside, which is served as requests too (I-3).
        let origin = try ScriptedPeer { request in [.response(body: request["Via"] == nil ? "raw" : "read")] }
        let plain = try Client.curl.get("http://localhost:\(origin.port)/", arguments)
        #expect(plain.body == "read")
    }

    @Test("R-10 R-9 where a login is required, the right one passes and others don't")
    func login() throws {
        let origin = try ScriptedPeer { _ in [.response(body: "in")] }
        let hash = try TestProcess("openssl", ["passwd", "-5", "secret"])
        #expect(try hash.waitForExit() == .status(0))
        let line = "alice:\(hash.output)"
        let proxy = try proxy("", ", require: { htpasswd: users }", files: ["users": line])
        func get(_ option: String) throws -> Client.Outcome {
            try Client.curl.get(
                "http://127.0.0.1:\(origin.port)/",
                ["--proxy", "socks5://\(option)127.0.0.1:\(proxy.port)"]
            )
        }
        #expect(try get("alice:secret@").body == "in", "\(proxy.log)")
        let wrong = try get("alice:wrong@")
        #expect(wrong.status == 0 && wrong.words.contains("User was rejected by the SOCKS5 server"), "\(wrong.words)")
        #expect(try get("").status == 0)
        #expect(origin.requests.count == 1)
    }
}
