import Support
import Testing

/// CONNECTs that are opened: the client trusts our authority, and its requests are answered as any other's.
@Suite struct InterceptionTests {
    static let authority = Result { try TestAuthority() }
    /// Whom the clients trust, and nobody else does.
    static let own = Result { try TestAuthority() }

    func server(_ names: String = "DNS:localhost", clients: TestAuthority? = nil) throws -> Nginx {
        let leaf = try Self.authority.get().leaf("opened-\(try FreePort.reserve())", names: names)
        return try Nginx(leaf, clients: clients)
    }

    func interception(_ hosts: String = "localhost", _ rest: String = "") throws -> String {
        let own = try Self.own.get()
        return """
            interception: { authority: { certificate: \(own.certificate), private_key: { file: \(own.key) } }, \
            hosts: [\(hosts)]\(rest) }

            """
    }

    func trust(_ rest: String = "", host: String = "localhost") throws -> String {
        "trust: [{ host: \(host), anchors: { file: \(try Self.authority.get().certificate) }\(rest) }]\n"
    }

    func login(_ port: UInt16, protocol scheme: String = "https", _ rest: String = "") -> String {
        """
        credentials: { staff: { username: \(Login.username), password: { file: secret } } }
        rules: [{ space: { host: localhost, port: \(port), protocol: \(scheme) }, use: staff\(rest) }]

        """
    }

    let secrets = ["secret": Login.password]

    func get(_ path: String, _ authority: String) -> String {
        "GET \(path) HTTP/1.1\r\nHost: \(authority)\r\n\r\n"
    }

    func speak(
        _ proxy: RunningProxy,
        to authority: String,
        _ requests: [String],
        change: (inout TunnelClient.Plan) -> Void = { _ in }
    ) throws -> TunnelClient.Outcome {
        try TunnelClient.speak(
            proxy.port,
            to: authority,
            trusting: Self.own.get().certificate,
            requests,
            change: change
        )
    }

    @Test(
        "I-2 a CONNECT to an opened host is opened, and the challenge in it answered",
        arguments: [nil, ["http/1.1"]]
    )
    func opened(_ alpn: [String]?) throws {
        let server = try server()
        let proxy = try RunningProxy(trust() + interception() + login(server.port), workers: 1, files: secrets)
        let outcome = try speak(
            proxy,
            to: server.authority,
            [get("/basic/", server.authority), get("/open/", server.authority), get("/basic/", server.authority)]
        ) { $0.alpn = alpn }
        #expect(outcome.alpn == alpn?.first)
        #expect(outcome.replies.map(\.body) == ["nginx basic\n", "nginx open\n", "nginx basic\n"])
        // The third goes ahead, on the one connection that the CONNECT opened.
        #expect(try server.log.wait(for: 4).map(\.status) == [401, 200, 200, 200])
        try proxy.waitForLog("target=https://\(server.authority)/basic/")
    }

    @Test("I-1 only listed hosts are opened, less those that are left out")
    func others() throws {
        let server = try server("DNS:localhost,IP:127.0.0.1")
        let hosts = try interception("localhost, 127.0.0.1", ", except: [127.0.0.1]")
        let proxy = try RunningProxy(trust() + hosts, workers: 1)
        let authority = "127.0.0.1:\(server.port)"
        let untouched = try speak(proxy, to: authority, [get("/open/", authority)]) {
            $0.anchors = try? Self.authority.get().certificate
        }
        #expect(untouched.replies.map(\.status) == [200])
        #expect(untouched.replies.first?.fields["via"] == nil)
        let opened = try speak(proxy, to: server.authority, [get("/open/", server.authority)])
        #expect(opened.replies.first?.fields["via"]?.contains("countersign") == true)
    }

    @Test("I-2 a target that can't be reached is told to the CONNECT")
    func unreachable() throws {
        let proxy = try RunningProxy(interception(), workers: 1)
        let outcome = try speak(proxy, to: "localhost:\(try FreePort.reserve())", [])
        #expect(outcome.connect == 502)
        #expect(outcome.connectFields["proxy-status"]?.contains("route.unreachable") == true)
    }

    @Test("I-2 a refused upstream is 502 with its reason on the first request inside")
    func untrusted() throws {
        let server = try server()
        let proxy = try RunningProxy(interception() + login(server.port), workers: 1, files: secrets)
        let outcome = try speak(proxy, to: server.authority, [get("/basic/", server.authority)])
        #expect(outcome.connect == 200 && outcome.version != nil)
        #expect(outcome.replies.map(\.status) == [502])
        #expect(outcome.replies[0].fields["proxy-status"]?.contains("details=\"chain.") == true)
        #expect(outcome.replies[0].fields["connection"] == "close")
        #expect(server.log.entries.isEmpty)
    }

    @Test("I-2 a pin that doesn't hold is told inside, and one that holds lets through")
    func pinned() throws {
        let server = try server()
        let pin = try Self.authority.get().pin(of: Self.authority.get().certificate)
        let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        for (pins, status) in [("\"\(pin)\", \"\(other)\"", 200), ("\"\(other)\"", 502)] {
            let proxy = try RunningProxy(trust(", pins: [\(pins)]") + interception(), workers: 1)
            let outcome = try speak(proxy, to: server.authority, [get("/open/", server.authority)])
            #expect(outcome.replies.map(\.status) == [status])
            let told = outcome.replies.first?.fields["proxy-status"]?.contains("pin.mismatch") == true
            #expect(told == (status == 502))
        }
    }

    @Test("T-6 a client certificate goes by rule to what is opened")
    func clientCertificate() throws {
        let authority = try Self.authority.get()
        let server = try server(clients: authority)
        let own = try authority.leaf("inside", names: "DNS:me.test", purpose: .client)
        let rules = """
            credentials: { me: { certificate: \(own.certificate), private_key: { file: \(own.key) } } }
            rules: [{ space: { host: localhost, port: \(server.port), protocol: https }, use: me }]

            """
        let proxy = try RunningProxy(trust() + interception() + rules, workers: 1)
        let outcome = try speak(proxy, to: server.authority, [get("/open/", server.authority)])
        #expect(outcome.replies.map(\.status) == [200])
        #expect(try server.log.wait(for: 1)[0].authorization.contains("CN=inside"))
    }
}

// MARK: whom a request in a tunnel is for

extension InterceptionTests {
    @Test(
        "A-22 a Host inside that isn't the tunnel's is 421 without any credential",
        arguments: ["other.test", "localhost", "localhost:1", "[::1]"]
    )
    func mismatch(_ host: String) throws {
        let server = try server()
        let proxy = try RunningProxy(trust() + interception() + login(server.port), workers: 1, files: secrets)
        let outcome = try speak(proxy, to: server.authority, [get("/basic/", host)])
        #expect(outcome.replies.map(\.status) == [421])
        #expect(outcome.replies[0].fields["proxy-status"]?.contains("target.misdirected") == true)
        #expect(server.log.entries.isEmpty)
    }

    @Test("A-22 an SNI that isn't the tunnel's host is 421, and nothing goes upstream")
    func otherName() throws {
        let server = try server()
        let proxy = try RunningProxy(trust() + interception() + login(server.port), workers: 1, files: secrets)
        let outcome = try speak(proxy, to: server.authority, [get("/basic/", server.authority)]) {
            $0.name = "other.test"
        }
        #expect(outcome.replies.map(\.status) == [421])
        #expect(server.log.entries.isEmpty)
    }

    @Test("A-22 an absolute target inside is held to the tunnel's origin, whatever Host says")
    func absolute() throws {
        let server = try server()
        let proxy = try RunningProxy(trust() + interception(), workers: 1)
        let same = "GET https://LOCALHOST:\(server.port)/open/ HTTP/1.1\r\nHost: other.test\r\n\r\n"
        let insecure = "GET http://\(server.authority)/open/ HTTP/1.1\r\nHost: \(server.authority)\r\n\r\n"
        let outcome = try speak(proxy, to: server.authority, [same, insecure])
        #expect(outcome.replies.map(\.status) == [200, 421])
    }

    @Test("H-2 an opened connection takes origin-form, and no CONNECT")
    func forms() throws {
        let server = try server()
        let proxy = try RunningProxy(trust() + interception(), workers: 1)
        let connect = "CONNECT \(server.authority) HTTP/1.1\r\nHost: \(server.authority)\r\n\r\n"
        let outcome = try speak(proxy, to: server.authority, [get("/open/", server.authority), connect])
        #expect(outcome.replies.map(\.status) == [200, 400])
    }
}

// MARK: what isn't TLS

extension InterceptionTests {
    @Test("I-3 a request in the clear inside a CONNECT is served as http, and its challenge answered")
    func clear() throws {
        let nginx = try Nginx()
        let rules = try interception() + login(nginx.port, protocol: "http", ", cleartext: [basic]")
        let proxy = try RunningProxy(rules, workers: 1, files: secrets)
        let authority = "localhost:\(nginx.port)"
        let outcome = try speak(proxy, to: authority, [get("/basic/", authority), get("/open/", authority)]) {
            $0.anchors = nil
        }
        #expect(outcome.replies.map(\.status) == [200, 200])
        try proxy.waitForLog("target=http://\(authority)/basic/")
    }

    @Test(
        "I-3 what is neither TLS nor HTTP goes through untouched, or not at all",
        arguments: [nil, "tunnel", "refuse"]
    )
    func other(_ word: String?) throws {
        let origin = try ScriptedPeer { _ in [.echo] }
        let rest = word.map { ", other: \($0)" } ?? ""
        let proxy = try RunningProxy(interception("127.0.0.1", rest), workers: 1)
        let client = try proxy.connect()
        let connect = request("CONNECT \(origin.authority) HTTP/1.1", ["Host: \(origin.authority)"])
        #expect(try client.exchange(connect).status == 200)
        try client.send("SSH-2.0-client_1 words\r\n")
        if word == "refuse" {
            #expect(try client.waitForClose() == .endOfStream)
            #expect(origin.transcript(of: 0).isEmpty)
        } else {
            try eventually("the words at the origin") {
                String(decoding: origin.transcript(of: 0), as: UTF8.self) == "SSH-2.0-client_1 words\r\n"
            }
        }
    }

    @Test("I-3 a client that says nothing for a second is joined with a server that speaks first")
    func silent() throws {
        let port = try FreePort.reserve()
        let program = """
            import socket, sys
            server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
            print("listening", flush=True)
            peer = server.accept()[0]
            peer.sendall(b"220 mail.test\\r\\n")
            peer.recv(1)
            """
        let origin = try TestProcess("python3", ["-c", program, "\(port)"])
        try eventually("the server") { origin.output.contains("listening") }
        let proxy = try RunningProxy(interception("127.0.0.1"), workers: 1)
        let client = try proxy.connect()
        let connect = request("CONNECT 127.0.0.1:\(port) HTTP/1.1", ["Host: 127.0.0.1:\(port)"])
        #expect(try client.exchange(connect).status == 200)
        #expect(try client.receive(bytes: 15) == Array("220 mail.test\r\n".utf8))
    }

    @Test(
        "I-3 a hello that offers no http/1.1 is refused where pins hold, or where no credential but ours goes through",
        arguments: ["pins", "credential", ""]
    )
    func otherProtocol(_ holding: String) throws {
        let server = try server()
        let pin = try Self.authority.get().pin(of: Self.authority.get().certificate)
        let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        var rules = try trust(holding == "pins" ? ", pins: [\"\(pin)\", \"\(other)\"]" : "") + interception()
        if holding == "credential" {
            rules += """
                credentials: { staff: { username: \(Login.username), password: { file: secret } } }
                rules: [{ space: { host: localhost, port: \(server.port) }, use: staff, client_credential: refuse }]

                """
        }
        let proxy = try RunningProxy(rules, workers: 1, files: secrets)
        let outcome = try speak(proxy, to: server.authority, [get("/open/", server.authority)]) {
            $0.alpn = ["http/1.0"]
            // Tunnelled, it is the server itself that the client meets.
            if holding.isEmpty { $0.anchors = try? Self.authority.get().certificate }
        }
        if holding.isEmpty {
            // nginx has no http/1.0 to choose, and goes on without.
            #expect(outcome.failure == nil || outcome.failure?.contains("alert") == true)
            #expect(outcome.replies.first?.fields["via"] == nil)
        } else {
            #expect(outcome.failure?.contains("no application protocol") == true)
            try proxy.waitForLog("reason=interception.other")
            #expect(server.log.entries.isEmpty)
        }
    }
}

// MARK: a reload in between

extension InterceptionTests {
    @Test("I-2 a reload between the 200 and the hello leaves the tunnel to the rules that it began under")
    func reloaded() throws {
        let server = try server()
        let rules = try trust() + interception()
        let proxy = try RunningProxy(rules, workers: 1)
        let outcome = try concurrently(2) { index -> TunnelClient.Outcome? in
            if index == 0 {
                return try speak(proxy, to: server.authority, [get("/open/", server.authority)]) { $0.silence = 0.9 }
            }
            pause(.milliseconds(500))
            try proxy.rewrite(rules + "log: { level: debug }\n")
            proxy.reload()
            return nil
        }
        try proxy.waitForLog("the rules were read again")
        #expect(outcome[0]?.replies.map(\.status) == [200])
    }
}

// MARK: behind a parent

extension InterceptionTests {
    @Test("I-5 an opened host behind a parent: CONNECT with its 407 answered, TLS, then the 401")
    func throughParent() throws {
        let server = try server()
        let squid = try Squid(demanding: .digest)
        let parent = """
            proxies: { corp: { url: "http://127.0.0.1:\(squid.port)", use: staff, method: [digest] } }
            routes: [{ host: localhost, via: corp }]

            """
        let rules = try trust() + interception() + login(server.port) + parent
        let proxy = try RunningProxy(rules, workers: 1, files: secrets)
        let outcome = try speak(
            proxy,
            to: server.authority,
            [get("/basic/", server.authority), get("/basic/", server.authority)]
        )
        #expect(outcome.replies.map(\.body) == ["nginx basic\n", "nginx basic\n"])
        #expect(try server.log.wait(for: 3).map(\.status) == [401, 200, 200])
        #expect(squid.log.entries.allSatisfy { $0.method == "CONNECT" })
    }

    @Test("I-3 a request in the clear inside a CONNECT goes through the parent's tunnel in origin-form")
    func clearThroughParent() throws {
        let nginx = try Nginx()
        let squid = try Squid(demanding: .basic)
        let parent = """
            proxies: { corp: { url: "http://127.0.0.1:\(squid.port)", use: staff } }
            routes: [{ host: localhost, via: corp }]

            """
        let rules = try interception() + login(nginx.port, protocol: "http", ", cleartext: [basic]") + parent
        let proxy = try RunningProxy(rules, workers: 1, files: secrets)
        let authority = "localhost:\(nginx.port)"
        let outcome = try speak(proxy, to: authority, [get("/basic/", authority), get("/open/", authority)]) {
            $0.anchors = nil
        }
        #expect(outcome.replies.map(\.status) == [200, 200])
        #expect(squid.log.entries.allSatisfy { $0.method == "CONNECT" })
    }

    @Test("H-15 a parent's refusal of the tunnel is told to the CONNECT, and nothing of its page")
    func parentRefuses() throws {
        let parent = try ScriptedPeer { _ in [.response(403, body: "evil page")] }
        let rules = try RunningProxy.through(parent.port) + interception("h.test")
        let proxy = try RunningProxy(rules, workers: 1)
        let outcome = try speak(proxy, to: "h.test:443", [])
        #expect(outcome.connect == 403)
        #expect(outcome.connectFields["proxy-status"]?.contains("received-status=403") == true)
    }
}
