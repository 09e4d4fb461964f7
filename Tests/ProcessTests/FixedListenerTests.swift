import Support
import Testing

/// Reverse listeners for one origin.
@Suite struct FixedListenerTests {
    private func proxy(_ origin: String, _ rest: String = "", _ more: String = "") throws -> RunningProxy {
        try RunningProxy(
            """
            version: 1
            state: state
            listeners: [{ address: "127.0.0.1:$PORT", mode: fixed, origin: "\(origin)"\(rest) }]

            """ + more,
            workers: 1,
            files: ["secret": Login.password]
        )
    }

    private func login(_ port: UInt16, _ rest: String = ", cleartext: true") -> String {
        """
        credentials: { staff: { username: \(Login.username), password: { file: secret } } }
        rules: [{ space: { host: localhost, port: \(port) }, use: staff\(rest) }]

        """
    }

    /// Wants a login for each request, and redirects.
    private func origin() throws -> ScriptedPeer {
        try ScriptedPeer { request in
            guard request["Authorization"] != nil else { return [.unauthorized("Basic realm=\"r\"")] }
            let here = "http://\(request["Host"] ?? "")"
            let fields = [
                "Location: \(here)/app/next", "Content-Location: /app/there", "Refresh: 5; url=\(here)/outside",
                "Set-Cookie: a=b; Path=/app/x; Domain=h; Secure", "Strict-Transport-Security: max-age=9",
            ]
            return [.response(302, fields, body: "moved")]
        }
    }

    private func get(_ path: String, _ host: String, _ fields: [String] = []) -> String {
        (["GET \(path) HTTP/1.1", "Host: \(host)"] + fields + ["", ""]).joined(separator: "\r\n")
    }

    @Test("R-4 H-2 a fixed listener's requests go to its origin, answered, and both sides' references are mapped")
    func mapped() throws {
        let origin = try origin()
        let proxy = try proxy("http://localhost:\(origin.port)/app", "", login(origin.port))
        let own = "localhost:\(proxy.port)"
        let fields = ["Referer: http://\(own)/page", "Origin: http://\(own)", "Destination: http://\(own)/to"]
        let response = try proxy.connect().exchange(get("/x?y", own, fields))
        #expect(response.status == 302 && response.text == "moved")
        #expect(response["Location"] == "http://\(own)/next" && response["Content-Location"] == "/there")
        #expect(response["Refresh"] == "5; url=http://localhost:\(origin.port)/outside")
        #expect(response["Set-Cookie"] == "a=b; Path=/x" && response["Strict-Transport-Security"] == nil)
        let requests = origin.requests
        #expect(requests.map(\.target) == ["/app/x?y", "/app/x?y"])
        let host = "localhost:\(origin.port)"
        for request in requests {
            #expect(request["Host"] == host && request["Origin"] == "http://\(host)")
            #expect(request["Referer"] == "http://\(host)/app/page")
            #expect(request["Destination"] == "http://\(host)/app/to")
        }
    }

    @Test("A-22 a Host that isn't the fixed listener's is 421, and nothing leaves for it")
    func otherHost() throws {
        let origin = try origin()
        let proxy = try proxy(
            "http://localhost:\(origin.port)/app",
            ", names: [front.test]",
            login(origin.port)
        )
        for host in ["localhost:\(proxy.port)", "front.test", "127.0.0.1:\(proxy.port)", "localhost:\(origin.port)"] {
            #expect(try proxy.connect().exchange(get("/", host)).status == 302)
        }
        let count = origin.requests.count
        let others = [
            "evil.test", "evil.test:\(proxy.port)", "localhost", "localhost:1", "front.test.evil.test", "127.0.0.1",
            "localhost.:1", "front.test@evil.test", "[::1%25lo]:\(proxy.port)", "xn--frnt-5qa.test", "frönt.test", "",
        ]
        for host in others {
            let status = try proxy.connect().exchange(get("/", host)).status
            #expect(status == 421 || status == 400, "\(host)")
        }
        for target in ["http://evil.test/", "https://localhost:\(proxy.port)/", "http://u:p@localhost:\(proxy.port)/"] {
            #expect(try [400, 421].contains(proxy.connect().exchange(get(target, "front.test")).status), "\(target)")
        }
        #expect(origin.requests.count == count)
        try proxy.waitForLog("reason=target.misdirected")
    }

    @Test("A-15 a fixed listener's own pages aren't another site's, others are")
    func crossSite() throws {
        let origin = try origin()
        let proxy = try proxy("http://localhost:\(origin.port)", "", login(origin.port))
        let own = "127.0.0.1:\(proxy.port)"
        #expect(try proxy.connect().exchange(get("/", own, ["Origin: http://\(own)"])).status == 302)
        #expect(try proxy.connect().exchange(get("/", own, ["Origin: http://evil.test"])).status == 401)
    }

    @Test("H-1 a fixed origin over TLS goes through a parent by CONNECT, with TLS inside")
    func throughParent() throws {
        let authority = try TestAuthority()
        let server = try Nginx(authority.leaf("fixed", names: "DNS:localhost"))
        let port = server.port
        let parent = try ScriptedPeer { request in
            request.method == "CONNECT"
                ? [.send("HTTP/1.1 200 OK\r\n\r\n"), .tunnel(to: port)] : [.response(500)]
        }
        let rules = """
            trust: [{ host: localhost, anchors: { file: \(authority.certificate) } }]
            proxies: { up: { url: "http://127.0.0.1:\(parent.port)" } }
            routes: [{ host: "*", via: up }]

            """
        let proxy = try proxy("https://localhost:\(port)/basic", "", rules + login(port, ""))
        let outcome = try Client.curl.get("http://localhost:\(proxy.port)/")
        #expect(outcome.status == 200 && outcome.body == "nginx basic\n", "\(outcome.words)\(proxy.log)")
        #expect(parent.requests.allSatisfy { $0.method == "CONNECT" && $0.target == "localhost:\(port)" })
        // What the parent wants is nothing that a client of a server could give.
        let wanting = try ScriptedPeer { _ in [.proxyAuthenticationRequired("Basic realm=\"p\"")] }
        let other = """
            proxies: { up: { url: "http://127.0.0.1:\(wanting.port)" } }
            routes: [{ host: "*", via: up }]
            rules: [{ space: { host: 127.0.0.1, port: \(wanting.port), proxy: true }, disposition: default }]

            """
        let hidden = try self.proxy("http://localhost:\(port)", "", other)
        #expect(try hidden.connect().exchange(get("/", "localhost:\(hidden.port)")).status == 502)
    }

    @Test("H-2 a fixed listener opens no tunnel")
    func noTunnel() throws {
        let origin = try origin()
        let proxy = try proxy("http://localhost:\(origin.port)")
        let connect = "CONNECT localhost:\(origin.port) HTTP/1.1\r\nHost: localhost:\(origin.port)\r\n\r\n"
        #expect(try proxy.connect().exchange(connect).status == 400)
        #expect(origin.connectionCount == 0)
    }
}
