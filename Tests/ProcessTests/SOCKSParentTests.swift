import Support
import Testing

private let secrets = ["secret": Login.password]

/// Parents that speak SOCKS5.
@Suite struct SOCKSParentTests {
    private func rules(_ port: UInt16, use: Bool) -> String {
        """
        credentials: { staff: { username: \(Login.username), password: { file: secret } } }
        proxies: { socks: { url: "socks5://127.0.0.1:\(port)"\(use ? ", use: staff" : "") } }
        routes: [{ host: "*", via: socks }]

        """
    }

    @Test("R-2 origins are reached through a SOCKS5 proxy, in the clear and by CONNECT", arguments: [false, true])
    func reaches(_ hasLogin: Bool) throws {
        let nginx = try Nginx()
        let socks = try Microsocks(demandsLogin: hasLogin)
        let proxy = try RunningProxy(rules(socks.port, use: hasLogin), workers: 1, files: secrets)
        let target = "http://127.0.0.1:\(nginx.port)/open/"
        for _ in 0..<3 { #expect(try proxy.get(target).status == 200) }
        for options in [[], ["-p"]] {
            let curl = try TestProcess("curl", ["-sf", "--max-time", "20", "-x", proxy.url] + options + [target])
            #expect(try curl.waitForExit() == .status(0))
        }
        #expect(nginx.log.entries.count == 5)
    }

    @Test("R-2 an https origin is upgraded to through it, and the name is resolved there")
    func upgraded() throws {
        let authority = try TestAuthority()
        let nginx = try Nginx(authority.leaf("origin", names: "DNS:localhost"))
        let socks = try Microsocks(demandsLogin: true)
        let proxy = try RunningProxy(
            rules(socks.port, use: true).replacing(
                "via: socks }",
                with: "via: socks, upgrade: \"https:\(nginx.port)\" }"
            ) + "trust: [{ host: localhost, anchors: { file: \(authority.certificate) } }]\n",
            workers: 1,
            files: secrets
        )
        #expect(try proxy.get("http://localhost/open/").status == 200)
    }

    @Test("A-7 a wrong login is sent once, whatever follows")
    func wrong() throws {
        let nginx = try Nginx()
        let socks = try Microsocks(demandsLogin: true)
        let proxy = try RunningProxy(rules(socks.port, use: true), workers: 2, files: ["secret": "wrong"])
        let target = "http://127.0.0.1:\(nginx.port)/open/"
        var reasons: [String] = []
        for _ in 0..<3 {
            let response = try proxy.get(target)
            #expect(response.status == 502)
            reasons.append(reason(of: response) ?? "")
        }
        #expect(reasons == ["credential.rejected", "credential.withheld", "credential.withheld"])
        #expect(nginx.log.entries.isEmpty)
    }

    @Test("R-2 without a login for a proxy that wants one the client learns it")
    func noLogin() throws {
        let socks = try Microsocks(demandsLogin: true)
        let proxy = try RunningProxy(rules(socks.port, use: false), workers: 1, files: secrets)
        let response = try proxy.get("http://127.0.0.1:9/")
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("socks.login-required") == true)
    }

    @Test(
        "H-13 a request that a SOCKS5 proxy on this machine would bring back is refused",
        arguments: ["127.0.0.1", "localhost"]
    )
    func loop(_ host: String) throws {
        let socks = try Microsocks(demandsLogin: false)
        let proxy = try RunningProxy(rules(socks.port, use: false), workers: 1, files: secrets)
        let response = try proxy.get("http://\(host):\(proxy.port)/")
        #expect(response.status == 502)
        #expect(reason(of: response) == "proxy.loop")
    }

    @Test("R-1 a server that the SOCKS5 proxy can't reach is no dead proxy")
    func originRefused() throws {
        let socks = try Microsocks(demandsLogin: false)
        let rules = rules(socks.port, use: false).replacing("via: socks", with: "via: [socks, direct]")
        let proxy = try RunningProxy(rules, workers: 1, files: secrets)
        let response = try proxy.get("http://127.0.0.1:\(FreePort.reserve())/")
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("socks.reply-5") == true)
        #expect(!proxy.log.contains("can't be used"))
    }
}

/// Parents behind parents.
@Suite struct ChainTests {
    private func rules(_ first: String, _ second: String, more: String = "") -> String {
        """
        credentials: { staff: { username: \(Login.username), password: { file: secret } } }
        proxies:
          outer: { url: "\(first)", use: staff }
          inner: { url: "\(second)", use: staff, via: outer, cleartext: [basic] }
        routes: [{ host: "*", via: inner\(more) }]

        """
    }

    @Test(
        "R-2 a parent is reached through another one, and the 407 of both are answered",
        arguments: [Squid.Demand.basic, .digest]
    )
    func chain(_ demand: Squid.Demand) throws {
        let nginx = try Nginx()
        let outer = try Squid(demanding: demand)
        let inner = try Squid(demanding: .digest)
        let proxy = try RunningProxy(
            rules("http://127.0.0.1:\(outer.port)", "http://127.0.0.1:\(inner.port)"),
            workers: 1,
            files: secrets
        )
        let target = "http://127.0.0.1:\(nginx.port)/open/"
        for _ in 0..<3 { #expect(try proxy.get(target).status == 200) }
        let curl = try TestProcess("curl", ["-sf", "--max-time", "20", "-p", "-x", proxy.url, target])
        #expect(try curl.waitForExit() == .status(0))
        try eventually("squid's lines") {
            outer.log.entries.contains { $0.method == "CONNECT" }
                && inner.log.entries.contains { $0.method == "CONNECT" }
        }
        let asked = Set(outer.log.entries.map { "\($0.method) \($0.target)" })
        #expect(asked == ["CONNECT 127.0.0.1:\(inner.port)"])
        #expect(Set(inner.log.entries.map(\.method)) == ["GET", "CONNECT"])
    }

    @Test("R-2 three parents, the outer two over TLS, each session inside the one before")
    func three() throws {
        let authority = try TestAuthority()
        let nginx = try Nginx(authority.leaf("origin", names: "DNS:localhost"))
        let squids = try (0..<3).map { index in
            try Squid(demanding: .basic, leaf: index < 2 ? authority.leaf("p\(index)", names: "DNS:localhost") : nil)
        }
        let proxy = try RunningProxy(
            """
            credentials: { staff: { username: \(Login.username), password: { file: secret } } }
            proxies:
              a: { url: "https://localhost:\(squids[0].port)", use: staff }
              b: { url: "https://localhost:\(squids[1].port)", use: staff, via: a }
              c: { url: "http://127.0.0.1:\(squids[2].port)", use: staff, via: b, cleartext: [basic] }
            routes: [{ host: "*", via: c, upgrade: "https:\(nginx.port)" }]
            trust: [{ host: localhost, anchors: { file: \(authority.certificate) } }]

            """,
            workers: 1,
            files: secrets
        )
        #expect(try proxy.get("http://localhost/open/").status == 200)
        let large = try proxy.get("http://localhost/open/large")
        #expect(large.body.count == 1 << 22 && large.text.hasSuffix("0123456789abcdef"))
        #expect(squids.map { Set($0.log.entries.map(\.method)) } == [["CONNECT"], ["CONNECT"], ["CONNECT"]])
    }

    @Test("R-2 SOCKS5 and HTTP parents stand behind each other either way", arguments: [true, false])
    func mixed(_ isSOCKSFirst: Bool) throws {
        let nginx = try Nginx()
        let socks = try Microsocks(demandsLogin: true)
        let squid = try Squid(demanding: .basic)
        let urls = ["socks5://127.0.0.1:\(socks.port)", "http://127.0.0.1:\(squid.port)"]
        let proxy = try RunningProxy(
            isSOCKSFirst ? rules(urls[0], urls[1]) : rules(urls[1], urls[0]),
            workers: 1,
            files: secrets
        )
        let target = "http://127.0.0.1:\(nginx.port)/open/"
        for _ in 0..<2 { #expect(try proxy.get(target).status == 200) }
        let entries = Set(squid.log.entries.map { "\($0.method) \($0.target)" })
        #expect(entries == [isSOCKSFirst ? "GET \(target)" : "CONNECT 127.0.0.1:\(socks.port)"])
    }

    @Test("R-2 what fails in a chain is told with its reason, and a wrong login ahead of it is sent once")
    func fails() throws {
        let inner = try FreePort.reserve()
        let outer = try Squid(demanding: .basic)
        let proxy = try RunningProxy(
            rules("http://127.0.0.1:\(outer.port)", "http://127.0.0.1:\(inner)"),
            workers: 1,
            files: secrets
        )
        let response = try proxy.get("http://origin.test/")
        #expect(response.status == 502 || response.status == 503)
        #expect(response["Proxy-Status"] != nil)
        let wrong = try RunningProxy(
            rules("http://127.0.0.1:\(outer.port)", "http://127.0.0.1:\(inner)"),
            workers: 1,
            files: ["secret": "wrong"]
        )
        for _ in 0..<3 { #expect(try wrong.get("http://origin.test/").status == 502) }
        try eventually("squid's lines") { outer.log.entries.count >= 2 }
        let sent = outer.log.entries.filter { $0.authorization.hasPrefix("Basic%20YWxpY2U6d3Jvbmc") }
        #expect(sent.count == 1)
    }

    @Test("R-5 a WebSocket goes through its parent by CONNECT, also for port 80")
    func websocket() throws {
        let origin = try ScriptedPeer { _ in
            [
                .send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nfirst"),
                .echo,
            ]
        }
        let squid = try Squid(demanding: .basic)
        let proxy = try RunningProxy(
            """
            credentials: { staff: { username: \(Login.username), password: { file: secret } } }
            proxies: { corp: { url: "http://127.0.0.1:\(squid.port)", use: staff } }
            routes: [{ host: "*", via: corp }]

            """,
            workers: 1,
            files: secrets
        )
        let client = try proxy.connect()
        try client.send(
            request("GET \(origin.url)/ HTTP/1.1", ["Host: h", "Connection: Upgrade", "Upgrade: websocket"])
        )
        #expect(try client.receiveAnyHead().startLine.hasPrefix("HTTP/1.1 101 "))
        #expect(try client.receive(bytes: 5) == Array("first".utf8))
        try client.send("echoed")
        #expect(try client.receive(bytes: 6) == Array("echoed".utf8))
        client.close()
        try eventually("squid's log line") { squid.log.entries.contains { $0.method == "CONNECT" } }
        #expect(!squid.log.entries.contains { $0.method == "GET" })
    }
}
