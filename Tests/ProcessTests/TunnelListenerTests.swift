import Support
import Testing

/// Connections that are joined to one target, byte for byte.
@Suite struct TunnelListenerTests {
    private func proxy(_ target: String, _ more: String = "", files: [String: String] = [:]) throws -> RunningProxy {
        try RunningProxy(
            """
            version: 1
            state: state
            listeners: [{ address: "127.0.0.1:$PORT", mode: tunnel, target: "\(target)" }]

            """ + more,
            workers: 1,
            files: files
        )
    }

    private func through(_ parent: ScriptedPeer, _ rest: String = "") -> String {
        """
        credentials: { staff: { username: \(Login.username), password: { file: secret } } }
        proxies: { up: { url: "http://127.0.0.1:\(parent.port)", use: staff, cleartext: true } }
        routes: [{ host: "*", via: up }]

        """
    }

    @Test("R-11 a connection is joined to the target by a parent's CONNECT whose 407 is answered")
    func throughParent() throws {
        let parent = try ScriptedPeer { request in
            guard request["Proxy-Authorization"] != nil else {
                return [.proxyAuthenticationRequired("Basic realm=\"p\"")]
            }
            return [.send("HTTP/1.1 200 OK\r\n\r\nserver speaks first"), .echo]
        }
        let proxy = try proxy("db.test:5432", through(parent), files: ["secret": Login.password])
        let client = try proxy.connect()
        #expect(try client.receive(bytes: 19) == Array("server speaks first".utf8))
        try client.send("GET / is no request here\r\n\r\n")
        #expect(try client.receive(bytes: 28) == Array("GET / is no request here\r\n\r\n".utf8))
        #expect(Set(parent.requests.map(\.target)) == ["db.test:5432"])
        client.close()
        try proxy.waitForLog("method=CONNECT target=db.test:5432 status=200")
    }

    @Test("R-11 what the client says before the tunnel is there comes first, and its half-close is passed on")
    func early() throws {
        let origin = try ScriptedPeer { request in [.response(body: request.target), .close] }
        let proxy = try proxy("127.0.0.1:\(origin.port)")
        let client = try proxy.connect()
        try client.send("GET /early HTTP/1.1\r\nHost: whatever\r\n\r\n")
        client.finishSending()
        #expect(try client.receive().text == "/early")
    }

    @Test("R-11 openssl s_client speaks TLS with the target itself")
    func sClient() throws {
        let authority = try TestAuthority()
        let server = try Nginx(authority.leaf("tunnel", names: "DNS:localhost"))
        let proxy = try proxy("localhost:\(server.port)")
        let client = try TestProcess(
            "openssl",
            [
                "s_client", "-connect", "127.0.0.1:\(proxy.port)", "-servername", "localhost", "-verify_return_error",
                "-verify_hostname", "localhost", "-CAfile", authority.certificate, "-quiet", "-ign_eof",
            ],
            input: "GET /open/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
        #expect(try client.waitForExit() == .status(0), "\(client.errors)")
        #expect(client.output.contains("nginx open"))
    }

    @Test("R-11 a failure resets the connection and is logged with its reason")
    func failure() throws {
        let closed = try FreePort.reserve()
        let refused = try proxy("127.0.0.1:\(closed)")
        #expect(try refused.connect().waitForClose() == .reset)
        try refused.waitForLog("reason=route.unreachable")
        let pinned = try proxy(
            "127.0.0.1:\(closed)",
            "trust: [{ host: 127.0.0.1, tunnel: refuse }]\n"
        )
        #expect(try pinned.connect().waitForClose() == .reset)
        try pinned.waitForLog("reason=pin.tunnel-refused")
        let parent = try ScriptedPeer { _ in [.response(403, body: "no")] }
        let forbidden = try proxy("db.test:1", through(parent), files: ["secret": Login.password])
        #expect(try forbidden.connect().waitForClose() == .reset)
        try forbidden.waitForLog("target=db.test:1 status=403")
    }
}
