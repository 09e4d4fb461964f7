import Support
import Testing

/// What a server proves of itself by rspauth (RFC 7616 section 3.5).
@Suite struct AuthenticationInfoTests {
    private static let challenge = #"Digest realm="Staff", qop="auth", nonce="n0nce""#
    private static let credentials = "credentials: { login: { username: user, password: { value: passwd } } }\n"

    /// rspauth of RFC 7616 section 3.5 for a value, over the target that whoever judges compares with.
    private static func info(_ value: String, _ target: String, isRight: Bool) -> String {
        let parts = [
            Digest.md5("user:Staff:passwd"), "n0nce", parameter("nc", of: value), parameter("cnonce", of: value),
            "auth",
            Digest.md5(":\(target)"),
        ]
        let proof = isRight ? Digest.md5(parts.joined(separator: ":")) : String(repeating: "0", count: 32)
        return #"rspauth="\#(proof)", qop=auth, nc=\#(parameter("nc", of: value)), nextnonce="n0nce""#
    }

    @Test("A-5 an origin behind a parent proves itself over the target that its own leg has", arguments: [true, false])
    func behindParent(_ isRight: Bool) throws {
        let parent = try ScriptedPeer { request in
            guard let value = request["Authorization"] else { return [.unauthorized(Self.challenge)] }
            return [.response(200, ["Authentication-Info: \(Self.info(value, "/x?y", isRight: isRight))"])]
        }
        let rule = "rules: [ { space: { host: o.test, port: any }, use: login, verify_server: true } ]\n"
        let proxy = try RunningProxy(Self.credentials + rule + RunningProxy.through(parent.port))
        let response = try proxy.get("http://o.test/x?y")
        #expect(response.status == (isRight ? 200 : 502))
        #expect(reason(of: response) == (isRight ? nil : "digest.rspauth"))
        #expect(parent.requests.last?.target == "http://o.test/x?y")
    }

    @Test("A-5 a parent proves itself in its answer to CONNECT, else there is no tunnel", arguments: [true, false])
    func connect(_ isRight: Bool) throws {
        let parent = try ScriptedPeer { request in
            guard let value = request["Proxy-Authorization"] else {
                return [.proxyAuthenticationRequired(Self.challenge)]
            }
            let info = Self.info(value, "o.test:443", isRight: isRight)
            return [.send("HTTP/1.1 200 OK\r\nProxy-Authentication-Info: \(info)\r\n\r\n"), .hang]
        }
        let rule = """
            rules: [ { space: { host: 127.0.0.1, port: any, proxy: true }, use: login, verify_server: true } ]

            """
        let proxy = try RunningProxy(Self.credentials + rule + RunningProxy.through(parent.port))
        let client = try proxy.connect()
        try client.send("CONNECT o.test:443 HTTP/1.1\r\nHost: o.test:443\r\n\r\n")
        let response = try client.receive(to: "CONNECT")
        #expect(response.status == (isRight ? 200 : 502))
        #expect(reason(of: response) == (isRight ? nil : "digest.rspauth"))
        if !isRight { try proxy.waitForLog("rspauth is wrong") }
    }

    @Test("A-5 a server proves itself in its 101, else the protocol isn't switched", arguments: [true, false])
    func upgrade(_ isRight: Bool) throws {
        let origin = try ScriptedPeer { request in
            guard let value = request["Authorization"] else { return [.unauthorized(Self.challenge)] }
            let info = "Authentication-Info: " + Self.info(value, "/", isRight: isRight)
            return [.send("HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\(info)\r\n\r\n"), .hang]
        }
        let rule = "rules: [ { space: { host: 127.0.0.1, port: any }, use: login, verify_server: true } ]\n"
        let proxy = try RunningProxy(Self.credentials + rule)
        let client = try proxy.connect()
        let lines = ["Host: h", "Connection: Upgrade", "Upgrade: websocket"]
        try client.send(request("GET \(origin.url)/ HTTP/1.1", lines))
        #expect(try client.receiveAnyHead().startLine.contains(isRight ? " 101 " : " 502 "))
    }

    @Test("A-4b a nonce that the server hands out again, by nextnonce or to many connections, repeats no count")
    func sameNonce() throws {
        let counts = Locked<[String]>([])
        let origin = try ScriptedPeer { request in
            guard let value = request["Authorization"] else { return [.unauthorized(Self.challenge)] }
            counts.withLock { $0.append(parameter("nc", of: value)) }
            return [.response(200, ["Authentication-Info: \(Self.info(value, request.target, isRight: true))"])]
        }
        let rule = "rules: [ { space: { host: 127.0.0.1, port: any }, use: login } ]\n"
        let proxy = try RunningProxy(Self.credentials + rule, workers: 2)
        let statuses = try concurrently(8) { _ in
            let client = try proxy.connect()
            return try (0..<5).map { _ in
                try client.exchange("GET \(origin.url)/ HTTP/1.1\r\nHost: h\r\n\r\n").status
            }
        }
        #expect(Set(statuses.joined()) == [200])
        let sent = counts.withLock { $0 }
        #expect(sent.count == 40 && Set(sent).count == 40, "\(sent.sorted())")
    }
}
