import Support
import Testing

/// The forms that handshakes, servers and clients take.
@Suite struct ConnectionBoundFormTests {
    private func get(_ acceptor: Acceptor, _ proxy: RunningProxy, _ path: String = "/") throws -> HTTPResponse {
        try proxy.get(acceptor.url + path)
    }

    @Test(
        "C-11 the user is named with a domain, as a principal, or alone",
        arguments: [
            (#"username: 'CORP\alice'"#, #"CORP\alice"#), ("username: alice, domain: CORP", #"CORP\alice"#),
            ("username: alice@corp.test", "alice@corp.test"), ("username: alice", "alice"),
        ]
    )
    func userNames(_ name: String, _ identity: String) throws {
        let acceptor = try Acceptor(["NTLM"])
        let proxy = try RunningProxy(
            """
            credentials: { it: { \(name), password: { value: open sesame } } }
            rules: [{ space: { host: 127.0.0.1, port: any, method: [ntlm] }, use: it }]
            """
        )
        let response = try get(acceptor, proxy)
        #expect(response.status == 200)
        #expect(response["X-Identity"] == identity)
    }

    @Test("C-11 a challenge without target information is answered")
    func noTargetInfo() throws {
        let acceptor = try Acceptor(["NTLM"]) { $0.targetInfo = false }
        let proxy = try RunningProxy(Bound.rules())
        #expect(try get(acceptor, proxy).status == 200)
    }

    @Test("C-2 NTLM inside Negotiate is used where the rule's methods include both")
    func insideNegotiate() throws {
        let acceptor = try Acceptor(["Negotiate"])
        let both = try RunningProxy(Bound.rules("negotiate, ntlm"))
        #expect(try get(acceptor, both).status == 200)
        #expect(acceptor.legs.last?.scheme == "Negotiate")
        let one = try RunningProxy(Bound.rules("negotiate"))
        #expect(try get(acceptor, one).status == 401)
        // Nothing of NTLM went: what is not in the rule's methods is not offered inside either.
        #expect(acceptor.legs.handshakes == 1)
    }

    @Test(
        "C-11 a parent on HTTP/1.0 is asked for persistence by both fields",
        arguments: [["connection"], ["proxy-connection"]],
        ["GET", "CONNECT"]
    )
    func oldParent(_ asked: [String], _ method: String) throws {
        let origin = try Acceptor([])
        let parent = try Acceptor(["NTLM"]) {
            $0.proxy = true
            $0.version = "HTTP/1.0"
            $0.keepAliveBy = asked
        }
        let proxy = try RunningProxy(Bound.credentials + Bound.through(parent), workers: 1)
        let client = try proxy.connect()
        if method == "CONNECT" {
            let line = "CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n"
            #expect(try client.exchange(line).status == 200)
            #expect(try client.exchange("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status == 200)
        } else {
            #expect(try client.exchange("GET \(origin.url)/ HTTP/1.1\r\nHost: h\r\n\r\n").status == 200)
            #expect(try client.exchange("GET \(origin.url)/ HTTP/1.1\r\nHost: h\r\n\r\n").status == 200)
        }
        client.close()
        try eventually("a handshake to be told") { parent.legs.handshakes == 1 }
        let handshake = parent.legs.filter { $0.scheme == "NTLM" }
        #expect(handshake.connections == 1)
        #expect(
            handshake.allSatisfy {
                $0.fields["connection"]?.lowercased() == "keep-alive"
                    && $0.fields["proxy-connection"]?.lowercased() == "keep-alive"
            }
        )
    }

    @Test("C-6 the handshake is done on the connection that becomes the tunnel, and the client gets one 200")
    func tunnel() throws {
        let origin = try ScriptedPeer { _ in [.response(body: "in")] }
        let parent = try Acceptor(["NTLM"]) { $0.proxy = true }
        let proxy = try RunningProxy(Bound.credentials + Bound.through(parent), workers: 1)
        for _ in 0..<3 {
            let client = try proxy.connect()
            let line = "CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n"
            let response = try client.exchange(line)
            #expect(response.status == 200 && response.interim.isEmpty)
            #expect(response["Proxy-Authenticate"] == nil)
            #expect(try client.exchange("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status == 200)
            client.close()
        }
        try eventually("three tunnels to be told") { parent.legs.count { $0.status == 200 } == 3 }
        for leg in parent.legs where leg.status == 200 {
            #expect(parent.legs.contains { $0.connection == leg.connection && $0.leg == "first" })
        }
        // The first learns of it from a 407; the others begin at once.
        #expect(parent.legs.count { $0.scheme.isEmpty } == 1)
    }

    @Test("C-4 a server that wants the channel bound gets its certificate's hash", arguments: ["sha256", "sha384"])
    func bindings(_ digest: String) throws {
        let authority = try TestAuthority()
        let leaf = try authority.leaf("bound", names: "DNS:localhost") { $0.digest = digest }
        let realm = try KerberosRealm(users: Acceptor.users)
        let keytab = try realm.keytab("HTTP/localhost")
        let trust = "trust: [{ host: localhost, anchors: { file: \(authority.certificate) } }]\n"
        for (offer, method) in [("NTLM", "ntlm"), ("Negotiate", "negotiate"), ("Negotiate", "negotiate, ntlm")] {
            // Without a keytab Negotiate has only NTLM inside.
            let hasTickets = method == "negotiate"
            let acceptor = try Acceptor(
                [offer],
                leaf: leaf,
                realm: hasTickets ? realm : nil,
                keytab: hasTickets ? keytab : nil
            ) { $0.bindings = true }
            let parent = try Acceptor([]) { $0.proxy = true }
            let environment = hasTickets ? realm.environment : [:]
            let direct = try RunningProxy(Bound.rules(method) + trust, environment: environment)
            #expect(try direct.get("https://localhost:\(acceptor.port)/").status == 200, "\(method)")
            let behind = try RunningProxy(
                Bound.rules(method) + trust + RunningProxy.through(parent.port),
                environment: environment
            )
            #expect(try behind.get("https://localhost:\(acceptor.port)/").status == 200, "\(method) behind a parent")
        }
    }

    @Test("C-4 a parent over TLS that wants the channel bound gets its certificate's hash")
    func parentBindings() throws {
        let authority = try TestAuthority()
        let parent = try Acceptor(["NTLM"], leaf: authority.leaf("bound", names: "DNS:localhost")) {
            $0.proxy = true
            $0.bindings = true
        }
        let origin = try Acceptor([])
        let proxy = try RunningProxy(
            Bound.credentials + """
                trust: [{ host: localhost, anchors: { file: \(authority.certificate) } }]
                proxies: { up: { url: "https://localhost:\(parent.port)", use: bob, method: [ntlm] } }
                routes: [{ host: "*", via: up }]
                """
        )
        #expect(try proxy.get("\(origin.url)/").status == 200)
    }

    @Test("C-1 a WebSocket goes up on the connection that the handshake authenticated")
    func webSocket() throws {
        let acceptor = try Acceptor(["NTLM"])
        let proxy = try RunningProxy(Bound.rules(), workers: 1)
        let client = try proxy.connect()
        let fields = [
            "Host: h", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        try client.send(request("GET \(acceptor.url)/ HTTP/1.1", fields))
        let response = try client.receive()
        #expect(response.status == 101)
        #expect(response["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        try client.send("frames")
        #expect(try client.receive(bytes: 6) == Array("frames".utf8))
        client.close()
        try eventually("the upgrade to be told") { acceptor.legs.contains { $0.status == 101 } }
        let legs = acceptor.legs
        #expect(legs.filter { $0.scheme == "NTLM" || $0.status == 101 }.connections == 1)
        #expect(try get(acceptor, proxy).status == 200)
    }

    @Test("C-1 a client that closes its connection, or speaks HTTP/1.0, doesn't end the upstream one in its handshake")
    func closingClient() throws {
        let acceptor = try Acceptor(["NTLM"])
        let proxy = try RunningProxy(Bound.rules(), workers: 1)
        #expect(try get(acceptor, proxy).status == 200)
        let old = try proxy.connect()
        #expect(try old.exchange("GET \(acceptor.url)/ HTTP/1.0\r\nHost: h\r\n\r\n").status == 200)
        #expect(acceptor.legs.connections == 1)
        #expect(acceptor.legs.allSatisfy { $0.fields["connection"]?.lowercased() != "close" })
    }

    @Test(
        "C-1 HEAD is authenticated, whether the server sends a body against the standard or not",
        arguments: [false, true]
    )
    func head(_ hasBody: Bool) throws {
        let acceptor = try Acceptor(["NTLM"]) {
            $0.challengeBody = 100_000
            $0.headBody = hasBody
        }
        let proxy = try RunningProxy(Bound.rules(), workers: 1)
        let response = try proxy.get("\(acceptor.url)/", method: "HEAD")
        // What comes behind the head of a response to HEAD can't be told from the next response.
        #expect(response.status == (hasBody ? 502 : 200))
        #expect(try get(acceptor, proxy).status == 200)
    }

    @Test("B-6 the body of a challenge within a handshake is drained up to 1 MiB", arguments: [512 << 10, 1 << 20])
    func challengeBodies(_ size: Int) throws {
        let acceptor = try Acceptor(["NTLM"]) { $0.challengeBody = size }
        let proxy = try RunningProxy(Bound.rules(), workers: 1)
        #expect(try get(acceptor, proxy).status == 200)
        #expect(acceptor.legs.filter { $0.scheme == "NTLM" }.connections == 1)
    }

    @Test("B-6 a larger body within a handshake ends in one clear 502")
    func hugeChallengeBody() throws {
        let acceptor = try Acceptor(["NTLM"]) { $0.challengeBody = 3 << 20 }
        let proxy = try RunningProxy(Bound.rules(), workers: 1)
        let response = try get(acceptor, proxy)
        #expect(response.status == 502)
        #expect(reason(of: response)?.isEmpty == false)
        #expect(acceptor.legs.count <= 6)
    }
}
