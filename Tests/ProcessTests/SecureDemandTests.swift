import Support
import Testing

/// Servers that ask for a certificate of ours, in the handshake or behind it.
@Suite struct SecureDemandTests {
    static let authority = Result { try TestAuthority() }

    private static func trust() throws -> String {
        "trust: [{ host: localhost, anchors: { file: \(try authority.get().certificate) } }]\n"
    }

    /// A proxy that shows `leaf` to localhost, whatever the port.
    private static func proxy(showing leaf: TestAuthority.Leaf?) throws -> RunningProxy {
        let rule = leaf.map {
            """
            credentials: { me: { certificate: \($0.certificate), private_key: { file: \($0.key) } } }
            rules: [{ space: { host: localhost, port: any, protocol: https }, use: me }]

            """
        }
        return try RunningProxy(trust() + (rule ?? ""), workers: 1)
    }

    private static func mine(_ name: String = "me", days: Int = 20) throws -> TestAuthority.Leaf {
        try authority.get().leaf(name, names: "DNS:me.test", purpose: .client, days: days)
    }

    private static func server() throws -> TestAuthority.Leaf {
        try authority.get().leaf("localhost", names: "DNS:localhost")
    }

    @Test(
        "T-9 a server that asks for a certificate behind the handshake is shown the rule's, in the midst of a connection",
        arguments: ["TLSv1.2", "TLSv1.3"]
    )
    func behindHandshake(_ version: String) throws {
        let apache = try Apache(Self.server(), clients: Self.authority.get(), protocols: "+\(version)")
        let proxy = try Self.proxy(showing: Self.mine())
        let client = try proxy.connect()
        let host = "Host: \(apache.authority)"
        for name in ["open", "certificate", "open", "certificate"] {
            let target = "GET https://\(apache.authority)/\(name)/ HTTP/1.1"
            #expect(try client.exchange(request(target, [host])).text == "apache \(name)\n")
        }
        // On a connection of its own, and with a body that Apache puts by meanwhile.
        let body = String(repeating: "x", count: 100_000)
        let posted = request(
            "POST https://\(apache.authority)/certificate/ HTTP/1.1",
            [host, "Content-Length: \(body.utf8.count)", "Connection: close"],
            body: body
        )
        let fresh = try Self.proxy(showing: Self.mine())
        #expect(try fresh.connect().exchange(posted).text == "apache certificate\n")
        let entries = try apache.log.wait(for: 5)
        #expect(entries.map(\.authorization) == ["", "CN=me", "CN=me", "CN=me", "CN=me"])
    }

    @Test(
        "T-9 a server that asks behind the handshake where no rule gives a certificate fails at once, with the reason",
        arguments: ["TLSv1.2", "TLSv1.3"]
    )
    func behindHandshakeUnanswered(_ version: String) throws {
        let apache = try Apache(Self.server(), clients: Self.authority.get(), protocols: "+\(version)")
        let proxy = try Self.proxy(showing: nil)
        #expect(try proxy.get("https://\(apache.authority)/open/").text == "apache open\n")
        let begin = ContinuousClock.now
        let response = try proxy.get("https://\(apache.authority)/certificate/")
        #expect(ContinuousClock.now - begin < .seconds(3) * Deadline.patience)
        if version == "TLSv1.2" {
            #expect(response.status == 502)
            #expect(response["Proxy-Status"]?.contains("tls.renegotiation-refused") == true)
            try proxy.waitForLog("tls.renegotiation-refused")
        } else {
            // Asking one who hasn't said that it may be asked is forbidden [RFC 8446 s.4.6.2]: Apache says 403.
            #expect(response.status == 403)
        }
        #expect(try proxy.get("https://\(apache.authority)/open/").text == "apache open\n")
    }

    @Test(
        "T-6 a certificate that none of the server's issuers has made isn't shown",
        arguments: ["TLSv1.2", "TLSv1.3"]
    )
    func otherIssuer(_ version: String) throws {
        let nginx = try Nginx(Self.server(), clients: Self.authority.get(), protocols: version)
        let stranger = try TestAuthority("Stranger").leaf("stranger", names: "DNS:me.test", purpose: .client)
        let proxy = try Self.proxy(showing: stranger)
        // The words of nginx for none; one that it can't verify is another page.
        let response = try proxy.get("https://\(nginx.authority)/open/")
        #expect(response.status == 400 && response.text.contains("No required SSL certificate was sent"))
        let entry = try #require(try nginx.log.wait(for: 1).first)
        #expect(!entry.authorization.contains("CN="))
    }

    @Test(
        "T-6 a certificate that the server refuses by a page is the server's answer",
        arguments: ["TLSv1.2", "TLSv1.3"]
    )
    func refusedByPage(_ version: String) throws {
        let nginx = try Nginx(Self.server(), clients: Self.authority.get(), protocols: version)
        let proxy = try Self.proxy(showing: Self.mine("old", days: -1))
        let response = try proxy.get("https://\(nginx.authority)/open/")
        #expect(response.status == 400 && response.text.contains("The SSL certificate error"))
    }

    @Test(
        "T-6 an alert about our certificate is told as such, in the handshake and behind it",
        arguments: ["tls1_2", "tls1_3"],
        [true, false]
    )
    func refusedByAlert(_ version: String, isShown: Bool) throws {
        let demand = ["-\(version)", "-CAfile", try Self.authority.get().certificate, "-Verify", "1"]
        let server = try OpenSSLServer(Self.server(), demand + ["-verify_return_error"])
        let proxy = try Self.proxy(showing: isShown ? Self.mine("old", days: -1) : nil)
        for _ in 0..<2 {
            let response = try proxy.get("https://localhost:\(server.port)/")
            #expect(response.status == 502)
            let status = try #require(response["Proxy-Status"])
            #expect(status.contains("error=tls_alert_received"))
            let code =
                isShown ? "tls.certificate-refused" : version == "tls1_3" ? "tls.certificate-required" : "tls.handshake"
            #expect(status.contains("details=\"\(code)"), "\(status)")
            try proxy.waitForLog(code)
        }
    }
}
