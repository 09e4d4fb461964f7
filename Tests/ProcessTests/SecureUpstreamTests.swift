import Support
import Testing

/// TLS upstreams under a trust policy, reached by clients that speak plain HTTP.
@Suite struct SecureUpstreamTests {
    static let authority = Result { try TestAuthority() }

    func server(_ names: String = "DNS:localhost", days: Int = 20) throws -> Nginx {
        try Nginx(Self.authority.get().leaf("server-\(try FreePort.reserve())", names: names, days: days))
    }

    func trust(_ rest: String = "") throws -> String {
        "trust: [{ host: localhost, anchors: { file: \(try Self.authority.get().certificate) }\(rest) }]\n"
    }

    private static let login = """
        credentials: { staff: { username: \(Login.username), password: { file: secret } } }

        """

    private let secrets = ["secret": Login.password]

    private func rule(_ port: UInt16) -> String {
        Self.login + "rules: [{ space: { host: localhost, port: \(port) }, use: staff }]\n"
    }

    @Test("H-1 an https target in absolute-form is served over TLS, and its challenge answered")
    func absolute() throws {
        let server = try server()
        let proxy = try RunningProxy(trust() + rule(server.port), workers: 1, files: secrets)
        #expect(try proxy.get("https://\(server.authority)/open/").text == "nginx open\n")
        #expect(try proxy.get("https://\(server.authority)/basic/").text == "nginx basic\n")
        #expect(try server.log.wait(for: 3).map(\.status) == [200, 401, 200])
    }

    @Test("O-3 the access log tells the trust policy that an upstream was held to")
    func told() throws {
        let server = try server()
        let proxy = try RunningProxy(trust(), workers: 1)
        _ = try proxy.get("https://\(server.authority)/open/")
        try proxy.waitForLog("route=direct trust=trust[0]")
    }

    @Test("R-4 a client's http request goes over TLS where its route upgrades it")
    func upgraded() throws {
        let server = try server()
        let route = "routes: [{ host: localhost, upgrade: \"https:\(server.port)\" }]\n"
        let proxy = try RunningProxy(trust() + rule(server.port) + route, workers: 1, files: secrets)
        #expect(try proxy.get("http://localhost/basic/").text == "nginx basic\n")
        let large = try proxy.get("http://localhost/open/large")
        #expect(large.body.count == 1 << 22)
        #expect(large.text.hasSuffix("0123456789abcdef") && large.text.hasPrefix("0123456789abcdef"))
    }

    @Test(
        "R-4 a rule without a port is about the one that an upgrade gives its host, and so is a client certificate's",
        arguments: ["", ", port: 8080"]
    )
    func upgradedPort(_ asked: String) throws {
        let authority = try Self.authority.get()
        let leaf = try authority.leaf("port-\(FreePort.reserve())", names: "DNS:localhost")
        let server = try Nginx(leaf, clients: authority)
        let own = try authority.leaf("port-me-\(FreePort.reserve())", names: "DNS:me.test", purpose: .client)
        let rules = """
            credentials:
              staff: { username: \(Login.username), password: { file: secret } }
              me: { certificate: \(own.certificate), private_key: { file: \(own.key) } }
            rules:
              - { space: { host: localhost }, use: staff }
              - { space: { host: localhost, protocol: https }, use: me }
            routes: [{ host: localhost, upgrade: "https:\(server.port)"\(asked) }]

            """
        let proxy = try RunningProxy(trust() + rules, workers: 1, files: secrets)
        let port = asked.isEmpty ? "" : ":8080"
        #expect(try proxy.get("http://localhost\(port)/basic/").text == "nginx basic\n")
        #expect(try server.log.wait(for: 2).allSatisfy { $0.authorization.contains("CN=port-me-") })
    }

    @Test(
        "A-15 a request that another site's page made goes without our client certificate",
        arguments: ["Sec-Fetch-Site: cross-site", "Origin: https://evil.test"]
    )
    func crossSite(_ mark: String) throws {
        let authority = try Self.authority.get()
        let leaf = try authority.leaf("site-\(FreePort.reserve())", names: "DNS:localhost")
        let server = try Nginx(leaf, clients: authority)
        let own = try authority.leaf("site-me-\(FreePort.reserve())", names: "DNS:me.test", purpose: .client)
        let signer = try TestAuthority()
        let rules = """
            credentials: { me: { certificate: \(own.certificate), private_key: { file: \(own.key) } } }
            rules: [{ space: { host: localhost, port: \(server.port), protocol: https }, use: me }]
            interception: { authority: { certificate: \(signer.certificate), private_key: { file: \(signer.key) } }, \
            hosts: [localhost] }

            """
        let proxy = try RunningProxy(trust() + rules, workers: 1)
        let url = "https://\(server.authority)/open/"
        // nginx answers 400 to who shows none.
        #expect(try proxy.get(url).status == 200)
        #expect(try proxy.get(url, [mark]).status == 400)
        #expect(try proxy.get(url).status == 200)
        let get = "GET /open/ HTTP/1.1\r\nHost: \(server.authority)\r\n"
        let outcome = try TunnelClient.speak(
            proxy.port,
            to: server.authority,
            trusting: signer.certificate,
            ["\(get)\r\n", "\(get)\(mark)\r\n\r\n", "\(get)\r\n"]
        )
        #expect(outcome.replies.map(\.status) == [200, 400, 200])
    }

    @Test("T-1 a server that isn't trusted gets nothing of the request, and the reason is told")
    func untrusted() throws {
        let server = try server()
        let proxy = try RunningProxy(rule(server.port), workers: 1, files: secrets)
        let response = try proxy.get("https://\(server.authority)/basic/")
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("error=tls_certificate_error") == true)
        #expect(response["Proxy-Status"]?.contains("details=\"chain.") == true)
        #expect(server.log.entries.isEmpty)
    }

    @Test("T-1 an expired certificate and one for another name are refused for what they are")
    func refused() throws {
        let expired = try server(days: -1)
        let other = try server("DNS:other.test")
        let proxy = try RunningProxy(trust(), workers: 1)
        let dated = try proxy.get("https://\(expired.authority)/open/")
        #expect(dated.status == 502 && dated["Proxy-Status"]?.contains("chain.expired") == true)
        let named = try proxy.get("https://\(other.authority)/open/")
        #expect(named.status == 502 && named["Proxy-Status"]?.contains("host.mismatch") == true)
        #expect(expired.log.entries.isEmpty && other.log.entries.isEmpty)
    }

    @Test("T-2 a pin of the path's keys lets through, any other refuses")
    func pins() throws {
        let server = try server()
        let pin = try Self.authority.get().pin(of: Self.authority.get().certificate)
        let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let right = try RunningProxy(trust(", pins: [\"\(pin)\", \"\(other)\"]"), workers: 1)
        #expect(try right.get("https://\(server.authority)/open/").status == 200)
        let wrong = try RunningProxy(trust(", pins: [\"\(other)\"]"), workers: 1)
        let response = try wrong.get("https://\(server.authority)/open/")
        #expect(response.status == 502 && response["Proxy-Status"]?.contains("pin.mismatch") == true)
        #expect(try server.log.wait(for: 1).count == 1)
    }

    @Test(
        "T-6 a client certificate is shown to the server that asks for it, by its rule alone",
        arguments: ["TLSv1.2", "TLSv1.3"]
    )
    func clientCertificate(_ version: String) throws {
        let authority = try Self.authority.get()
        let server = try Nginx(
            authority.leaf("demanding-\(version)", names: "DNS:localhost"),
            clients: authority,
            protocols: version
        )
        let own = try authority.leaf("me-\(version)", names: "DNS:me.test", purpose: .client)
        let credentials = """
            credentials: { me: { certificate: \(own.certificate), private_key: { file: \(own.key) } } }
            rules: [{ space: { host: localhost, port: \(server.port), protocol: https }, use: me }]

            """
        let with = try RunningProxy(trust() + credentials, workers: 1)
        #expect(try with.get("https://\(server.authority)/open/").status == 200)
        #expect(try server.log.wait(for: 1)[0].authorization.contains("CN=me"))
        let without = try RunningProxy(trust(), workers: 1)
        // nginx lets the handshake end and answers 400 to who shows none.
        #expect(try without.get("https://\(server.authority)/open/").status == 400)
    }

    @Test("T-8 a new connection resumes the session of an earlier one", arguments: ["TLSv1.2", "TLSv1.3"])
    func resumed(_ version: String) throws {
        let server = try Nginx(
            Self.authority.get().leaf("resuming-\(version)", names: "DNS:localhost"),
            protocols: version
        )
        let proxy = try RunningProxy(trust(), workers: 1)
        for _ in 0..<3 { #expect(try proxy.get("https://\(server.authority)/close/index.html").status == 200) }
        let reused = try server.log.wait(for: 3).map { $0.authorization.first }
        #expect(reused == [".", "r", "r"])
    }

    @Test("H-1 an https target behind a parent goes by CONNECT with its 407 answered, then the 401 inside")
    func throughParent() throws {
        let server = try server()
        let squid = try Squid(demanding: .digest)
        let parent = """
            proxies: { corp: { url: "http://127.0.0.1:\(squid.port)", use: staff, method: [digest] } }
            routes: [{ host: localhost, via: corp }]

            """
        let proxy = try RunningProxy(trust() + rule(server.port) + parent, workers: 1, files: secrets)
        for _ in 0..<2 {
            #expect(try proxy.get("https://\(server.authority)/basic/").text == "nginx basic\n")
        }
        #expect(try server.log.wait(for: 3).map(\.status) == [401, 200, 200])
        #expect(squid.log.entries.allSatisfy { $0.method == "CONNECT" })
    }

    @Test("H-15 a parent's refusal of our own CONNECT is our own 502", arguments: [101, 304, 403])
    func parentRefuses(_ status: Int) throws {
        let parent = try ScriptedPeer { _ in
            [.send("HTTP/1.1 \(status) No\r\nUpgrade: websocket\r\nContent-Length: 9\r\n\r\nevil page")]
        }
        let proxy = try RunningProxy(RunningProxy.through(parent.port), workers: 1)
        let upgrade = ["Connection: Upgrade", "Upgrade: websocket"]
        let client = try proxy.connect()
        let get = request("GET https://h.test/ HTTP/1.1", ["Host: h.test"] + (status == 101 ? upgrade : []))
        let response = try client.exchange(get)
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("received-status=\(status)") == true)
        #expect(!response.text.contains("evil"))
        #expect(parent.requests.map(\.target) == ["h.test:443"])
    }

    @Test("H-15 a parent's status without content is no answer of ours to a client's CONNECT")
    func parentWithoutContent() throws {
        let parent = try ScriptedPeer { _ in [.send("HTTP/1.1 304 Not Modified\r\n\r\n")] }
        let proxy = try RunningProxy(RunningProxy.through(parent.port), workers: 1)
        let response = try proxy.connect().exchange(request("CONNECT h.test:443 HTTP/1.1", ["Host: h.test:443"]))
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("received-status=304") == true)
    }
}

extension SecureUpstreamTests {
    @Test("T-12 a CONNECT to a pinned host is refused unless its policy lets tunnels pass", arguments: [true, false])
    func tunnel(_ passes: Bool) throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let pins = "pins: [sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=]"
        let rules = "trust: [{ host: 127.0.0.1, \(pins)\(passes ? ", tunnel: pass" : "") }]\n"
        let proxy = try RunningProxy(rules, workers: 1)
        let client = try proxy.connect()
        let response = try client.exchange(
            request("CONNECT \(origin.authority) HTTP/1.1", ["Host: \(origin.authority)"])
        )
        #expect(response.status == (passes ? 200 : 403))
        #expect(passes || response["Proxy-Status"]?.contains("pin.tunnel-refused") == true)
        if passes { try eventually("the tunnel") { origin.connectionCount == 1 } }
        #expect(passes || origin.connectionCount == 0)
    }

    @Test("T-10 a failed pin tells in the log what was seen, ready to be pasted")
    func seen() throws {
        let server = try server()
        let proxy = try RunningProxy(
            trust(", pins: [sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=]"),
            workers: 1
        )
        #expect(try proxy.get("https://\(server.authority)/open/").status == 502)
        let pin = try Self.authority.get().pin(of: Self.authority.get().certificate)
        try proxy.waitForLog(pin)
        #expect(proxy.log.contains("pin.mismatch"))
    }
}

extension SecureUpstreamTests {
    @Test("T-6 an alert behind the handshake says that a certificate is missing, and is no read error")
    func alert() throws {
        let authority = try Self.authority.get()
        let leaf = try authority.leaf("strict", names: "DNS:localhost")
        let port = try FreePort.reserve()
        let server = try TestProcess(
            "openssl",
            ["s_server", "-accept", "127.0.0.1:\(port)", "-cert", leaf.certificate, "-key", leaf.key]
                + [
                    "-CAfile", authority.certificate, "-Verify", "1", "-verify_return_error", "-tls1_3", "-www",
                    "-naccept", "9",
                ]
        )
        try eventually("s_server") { server.output.contains("ACCEPT") }
        let proxy = try RunningProxy(trust(), workers: 1)
        let response = try proxy.get("https://localhost:\(port)/")
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("error=tls_alert_received") == true)
        #expect(response["Proxy-Status"]?.contains("tls.certificate-required") == true)
    }
}
