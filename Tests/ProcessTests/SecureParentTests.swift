import Support
import Testing

/// Parents that are spoken to over TLS, and origins over TLS inside that.
@Suite struct SecureParentTests {
    static let authority = Result { try TestAuthority() }

    private func leaf(_ names: String = "DNS:localhost") throws -> TestAuthority.Leaf {
        try Self.authority.get().leaf("parent-\(try FreePort.reserve())", names: names)
    }

    private func rules(_ parent: UInt16, trust: String = "") throws -> String {
        """
        trust: [{ host: localhost, anchors: { file: \(try Self.authority.get().certificate) }\(trust) }]
        credentials: { staff: { username: \(Login.username), password: { file: secret } } }
        rules: [{ space: { host: [localhost, 127.0.0.1], port: any }, use: staff, cleartext: [basic] }]
        proxies: { corp: { url: "https://localhost:\(parent)", use: staff } }
        routes: [{ host: "*", via: corp }]

        """
    }

    private let secrets = ["secret": Login.password]

    @Test(
        "H-1 an http target goes to an https parent in absolute-form, and its 407 is answered over TLS",
        arguments: [Squid.Demand.basic, .digest]
    )
    func absolute(_ demand: Squid.Demand) throws {
        let nginx = try Nginx()
        let squid = try Squid(demanding: demand, leaf: leaf())
        let proxy = try RunningProxy(rules(squid.port), workers: 1, files: secrets)
        for _ in 0..<2 {
            #expect(try proxy.get("http://127.0.0.1:\(nginx.port)/basic/").text == "nginx basic\n")
        }
        #expect(squid.log.entries.allSatisfy { $0.method == "GET" })
    }

    @Test("H-1 an https target behind an https parent goes by CONNECT, with TLS inside TLS")
    func inside() throws {
        let server = try Nginx(leaf())
        let squid = try Squid(demanding: .digest, leaf: leaf())
        let proxy = try RunningProxy(rules(squid.port), workers: 1, files: secrets)
        #expect(try proxy.get("https://\(server.authority)/basic/").text == "nginx basic\n")
        // More than the pair between both sessions holds.
        let large = try proxy.get("https://\(server.authority)/open/large")
        #expect(large.body.count == 1 << 22 && large.text.hasSuffix("0123456789abcdef"))
        #expect(squid.log.entries.allSatisfy { $0.method == "CONNECT" })
    }

    @Test("B-1 a large body goes up through TLS inside TLS whole")
    func upload() throws {
        let port = try FreePort.reserve()
        let certificate = try leaf()
        let program = """
            import hashlib, http.server, ssl, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_PUT(self):
                    body = self.rfile.read(int(self.headers["Content-Length"]))
                    self.send_response(200)
                    self.send_header("Content-Length", "32")
                    self.end_headers()
                    self.wfile.write(hashlib.md5(body).hexdigest().encode())
                def log_message(self, *words): pass
            server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[2], sys.argv[3])
            server.socket = context.wrap_socket(server.socket, server_side=True)
            print("listening", flush=True)
            server.serve_forever()
            """
        let origin = try TestProcess("python3", ["-c", program, "\(port)", certificate.certificate, certificate.key])
        try eventually("the origin") { origin.output.contains("listening") }
        let squid = try Squid(demanding: .basic, leaf: leaf())
        let proxy = try RunningProxy(rules(squid.port), workers: 1, files: secrets)
        let body = String(repeating: "0123456789abcdef", count: 1 << 17)
        let client = try proxy.connect()
        try client.send(
            "PUT https://localhost:\(port)/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        )
        try client.send(body)
        #expect(try client.receive(to: "PUT").text == Digest.md5(body))
    }

    @Test("T-7 the trust policy of its host guards an https parent, and its failure is the parent's")
    func untrusted() throws {
        let nginx = try Nginx()
        let squid = try Squid(demanding: .basic, leaf: leaf())
        let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let proxy = try RunningProxy(rules(squid.port, trust: ", pins: [\"\(other)\"]"), workers: 1, files: secrets)
        let response = try proxy.get("http://127.0.0.1:\(nginx.port)/open/")
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("pin.mismatch") == true)
        #expect(squid.log.entries.isEmpty)
    }

    @Test("T-7 an https parent whose certificate is for another host gets no CONNECT and no login")
    func otherName() throws {
        let server = try Nginx(leaf())
        let squid = try Squid(demanding: .basic, leaf: leaf("DNS:other.test"))
        let proxy = try RunningProxy(rules(squid.port), workers: 1, files: secrets)
        let response = try proxy.get("https://\(server.authority)/open/")
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("host.mismatch") == true)
        #expect(squid.log.entries.isEmpty && server.log.entries.isEmpty)
    }

    @Test("H-15 a client's own CONNECT goes through an https parent")
    func connect() throws {
        let nginx = try Nginx()
        let squid = try Squid(demanding: .digest, leaf: leaf())
        let proxy = try RunningProxy(rules(squid.port), workers: 1, files: secrets)
        let client = try proxy.connect()
        let authority = "127.0.0.1:\(nginx.port)"
        #expect(try client.exchange(request("CONNECT \(authority) HTTP/1.1", ["Host: \(authority)"])).status == 200)
        #expect(try client.exchange(request("GET /open/ HTTP/1.1", ["Host: \(authority)"])).text == "nginx open\n")
    }

    @Test("T-8 the parent's session and the origin's are resumed each for itself")
    func resumed() throws {
        let server = try Nginx(leaf())
        let squid = try Squid(demanding: .basic, leaf: leaf())
        let proxy = try RunningProxy(rules(squid.port), workers: 1, files: secrets)
        for _ in 0..<3 { #expect(try proxy.get("https://\(server.authority)/close/index.html").status == 200) }
        let reused = try server.log.wait(for: 3).map { $0.authorization.first }
        #expect(reused == [".", "r", "r"])
    }

    @Test("I-5 an opened host behind an https parent is opened all the same")
    func opened() throws {
        let own = try TestAuthority()
        let server = try Nginx(leaf())
        let squid = try Squid(demanding: .basic, leaf: leaf())
        let interception = """
            interception: { authority: { certificate: \(own.certificate), private_key: { file: \(own.key) } }, \
            hosts: [localhost] }

            """
        let proxy = try RunningProxy(rules(squid.port) + interception, workers: 1, files: secrets)
        let get = "GET /basic/ HTTP/1.1\r\nHost: \(server.authority)\r\n\r\n"
        let outcome = try TunnelClient.speak(
            proxy.port,
            to: server.authority,
            trusting: own.certificate,
            [get, get]
        )
        #expect(outcome.replies.map(\.body) == ["nginx basic\n", "nginx basic\n"])
        #expect(squid.log.entries.allSatisfy { $0.method == "CONNECT" })
    }

    @Test("S-4 a tunnel that a parent opened for one client's rule carries no other client's requests")
    func tunnelsOfClients() throws {
        let server = try Nginx(leaf())
        let squid = try Squid(demanding: .basic)
        let trust = "trust: [{ host: localhost, anchors: { file: \(try Self.authority.get().certificate) } }]"
        let first = try FreePort.reserve()
        let second = try FreePort.reserve()
        let rules = """
            version: 1
            listeners:
              - { address: "127.0.0.1:$PORT" }
              - { address: "127.0.0.1:\(first)", name: known }
              - { address: "127.0.0.1:\(second)", name: unknown }
            state: state
            \(trust)
            credentials: { staff: { username: \(Login.username), password: { file: secret } } }
            rules:
              - { space: { host: 127.0.0.1, port: \(squid.port), proxy: true }, clients: [listener:known], use: staff }
            proxies: { corp: { url: "http://127.0.0.1:\(squid.port)" } }
            routes: [{ host: "*", via: corp }]

            """
        let proxy = try RunningProxy(rules, workers: 1, files: secrets)
        let get = "GET https://\(server.authority)/open/ HTTP/1.1\r\nHost: \(server.authority)\r\n\r\n"
        #expect(try HTTPClient(port: first).exchange(get).status == 200)
        let other = try HTTPClient(port: second).exchange(get)
        #expect(other.status == 502 || other.status == 407)
        #expect(try HTTPClient(port: first).exchange(get).status == 200)
        #expect(try server.log.wait(for: 2).map(\.status) == [200, 200])
        withExtendedLifetime(proxy) {}
    }

    @Test(
        "T-1 bytes of a parent's behind its 200 are nobody's response, whatever its tunnel leads to",
        arguments: ["absolute", "upgraded", "opened", "clear"]
    )
    func injected(_ way: String) throws {
        let server = try way == "clear" ? Nginx() : Nginx(leaf())
        let parent = try ScriptedPeer { [port = server.port] _ in
            [
                .send("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 EVIL\r\nContent-Length: 4\r\n\r\nevil"),
                .tunnel(to: port),
            ]
        }
        let own = try TestAuthority()
        let rules = """
            trust: [{ host: localhost, anchors: { file: \(try Self.authority.get().certificate) } }]
            proxies: { corp: { url: "http://127.0.0.1:\(parent.port)" } }
            routes: [{ host: "*", via: corp\(way == "upgraded" ? ", upgrade: \"https:\(server.port)\"" : "") }]
            interception: { authority: { certificate: \(own.certificate), private_key: { file: \(own.key) } }, \
            hosts: [localhost] }

            """
        let proxy = try RunningProxy(rules, workers: 1)
        let inside = "GET /open/ HTTP/1.1\r\nHost: \(server.authority)\r\n\r\n"
        switch way {
        case "absolute", "upgraded":
            let url = way == "absolute" ? "https://\(server.authority)/open/" : "http://localhost/open/"
            let response = try proxy.get(url)
            #expect(response.status == 502 && !response.text.contains("evil"))
            #expect(response["Proxy-Status"]?.contains("tls.unexpected") == true)
        default:
            let outcome = try TunnelClient.speak(
                proxy.port,
                to: server.authority,
                trusting: way == "clear" ? nil : own.certificate,
                [inside]
            )
            #expect(!outcome.replies.contains { $0.body.contains("evil") || $0.status == 200 })
        }
        #expect(server.log.entries.isEmpty)
    }
}
