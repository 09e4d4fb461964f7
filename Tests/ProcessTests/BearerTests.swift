import Support
import Testing

/// Bearer tokens, as an API and a token endpoint see them.
@Suite struct BearerTests {
    /// An API that wants one of these tokens; what it refuses it challenges for with `challenge`.
    private func api(_ good: String..., challenge: String = #"Bearer error="invalid_token""#) throws -> ScriptedPeer {
        try ScriptedPeer { request in
            let isGood = good.contains { request["Authorization"] == "Bearer \($0)" }
            return [isGood ? .response(body: "in") : .unauthorized(challenge)]
        }
    }

    /// An endpoint whose tokens are `t0`, `t1`, …
    private func endpoint(
        _ more: String = #","expires_in":3600"#,
        after steps: [ScriptedPeer.Step] = []
    ) throws
        -> ScriptedPeer
    {
        try ScriptedPeer { request in
            let token = #"{"access_token":"t\#(request.connection)","token_type":"Bearer"\#(more)}"#
            return steps + [.response(body: token)]
        }
    }

    private func rules(_ endpoint: ScriptedPeer, _ api: ScriptedPeer) -> String {
        """
        credentials:
          crm: { oauth2: { token_endpoint: "\(endpoint.url)/token", client_id: orders, client_secret: { file: secret } } }
        rules: [ { space: { host: 127.0.0.1, port: \(api.port) }, use: crm } ]

        """
    }

    private let secrets = ["secret": "s3cret"]

    @Test("A-10 a token is sent ahead, and one that is refused is fetched once more and the request repeated")
    func refusedOnce() throws {
        let (api, endpoint) = (try api("t1"), try endpoint())
        let proxy = try RunningProxy(rules(endpoint, api), workers: 1, files: secrets)
        for _ in 0..<3 { #expect(try proxy.get("\(api.url)/x").text == "in") }
        #expect(api.requests.map { $0["Authorization"] } == ["Bearer t0"] + Array(repeating: "Bearer t1", count: 3))
        #expect(endpoint.requests.count == 2)
    }

    @Test("A-10 a second refusal is told, and so is the same token again")
    func refusedTwice() throws {
        let (api, rotating) = (try api(), try endpoint())
        let proxy = try RunningProxy(rules(rotating, api), workers: 1, files: secrets)
        #expect(try proxy.get("\(api.url)/x").status == 401)
        #expect(api.requests.count == 2)
        let same = try ScriptedPeer { _ in [.response(body: #"{"access_token":"t","token_type":"Bearer"}"#)] }
        let other = try RunningProxy(rules(same, api), workers: 1, files: secrets)
        api.forget()
        #expect(try other.get("\(api.url)/x").status == 401)
        #expect(api.requests.count == 1)
        #expect(same.requests.count == 2)
    }

    @Test("A-10 insufficient_scope is no refusal of the token: it is told, and nothing is fetched")
    func insufficientScope() throws {
        let (api, endpoint) = (try api(challenge: #"Bearer error="insufficient_scope""#), try endpoint())
        let proxy = try RunningProxy(rules(endpoint, api), workers: 1, files: secrets)
        for _ in 0..<2 { #expect(try proxy.get("\(api.url)/x").status == 401) }
        #expect(api.requests.map { $0["Authorization"] } == ["Bearer t0", "Bearer t0"])
        #expect(endpoint.requests.count == 1)
    }

    @Test("A-10 a token of a file is read again when it is refused, and the request repeated with the new one")
    func file() throws {
        let folder = try ScratchFolder()
        try folder.write("old\n", to: "token")
        let api = try ScriptedPeer { request in
            if request["Authorization"] == "Bearer new" { return [.response(body: "in")] }
            // Whoever rotates tokens writes the file and ends the old one.
            _ = try? folder.write("new\n", to: "token")
            return [.unauthorized(#"Bearer error="invalid_token""#)]
        }
        let proxy = try RunningProxy(
            """
            credentials: { key: { token: { file: \(folder("token")) } } }
            rules: [ { space: { host: 127.0.0.1, port: \(api.port) }, use: key } ]

            """,
            workers: 1
        )
        #expect(try proxy.get("\(api.url)/x").text == "in")
        #expect(api.requests.map { $0["Authorization"] } == ["Bearer old", "Bearer new"])
    }

    @Test("A-24 500 concurrent requests make one token request")
    func concurrent() throws {
        let (api, endpoint) = (try api("t0"), try endpoint(after: [.pause(.milliseconds(500))]))
        let proxy = try RunningProxy(rules(endpoint, api), workers: 2, files: secrets)
        let texts = try concurrently(500) { _ in try proxy.get("\(api.url)/x").text }
        #expect(Set(texts) == ["in"] && texts.count == 500)
        #expect(endpoint.requests.count == 1)
    }

    @Test("A-8 nobody waits for another request to show that a token that was fetched is right")
    func withoutScout() throws {
        let (gate, endpoint) = (Gate(), try endpoint())
        let api = try ScriptedPeer { request in
            let isIn = request["Authorization"] == "Bearer t0"
            return (request.target == "/slow" ? [.wait(gate)] : []) + [isIn ? .response(body: "in") : .response(403)]
        }
        let proxy = try RunningProxy(rules(endpoint, api), workers: 1, files: secrets)
        let began = ContinuousClock.now
        let texts = try concurrently(4) { index in
            if index == 0 { return try proxy.get("\(api.url)/slow").text }
            pause(.milliseconds(300))
            defer { if index == 3 { gate.opens() } }
            return try proxy.get("\(api.url)/x").text
        }
        #expect(texts == ["in", "in", "in", "in"])
        #expect(api.requests.first?.target == "/slow")
        // A second scout would go after 5 s.
        #expect(ContinuousClock.now - began < .seconds(4))
    }

    @Test("A-24 tokens of one second serve a stream of requests")
    func oneSecond() throws {
        let api = try ScriptedPeer { request in
            [request["Authorization"]?.hasPrefix("Bearer t") == true ? .response(body: "in") : .response(403)]
        }
        let endpoint = try endpoint(#","expires_in":1"#)
        let proxy = try RunningProxy(rules(endpoint, api), workers: 1, files: secrets)
        for _ in 0..<30 {
            #expect(try proxy.get("\(api.url)/x").text == "in")
            pause(.milliseconds(100))
        }
        #expect((2...10).contains(endpoint.requests.count))
    }

    @Test(
        "A-24 with the endpoint down an unexpired token goes on being used, without one the request is 502 with its reason"
    )
    func down() throws {
        let (api, endpoint) = (try api("t0"), try endpoint())
        let proxy = try RunningProxy(rules(endpoint, api), workers: 1, files: secrets)
        #expect(try proxy.get("\(api.url)/x").text == "in")
        endpoint.stop()
        #expect(try proxy.get("\(api.url)/x").text == "in")
        let other = try RunningProxy(rules(endpoint, api), workers: 1, files: secrets)
        api.forget()
        let response = try other.get("\(api.url)/x")
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("token.endpoint-unreachable") == true)
        #expect(api.requests.isEmpty)
    }

    @Test("A-24 4xx of the endpoint is told at once, and nothing of its body is")
    func refusedClient() throws {
        let endpoint = try ScriptedPeer { _ in [.response(401, body: #"{"error":"s3cret"}"#)] }
        let api = try api("t0")
        let proxy = try RunningProxy(rules(endpoint, api), workers: 1, files: secrets)
        for _ in 0..<3 {
            let response = try proxy.get("\(api.url)/x")
            #expect(response.status == 502)
            #expect(response["Proxy-Status"]?.contains("token.refused") == true)
            #expect(!response.text.contains("s3cret"))
        }
        #expect(endpoint.requests.count == 1)
        #expect(!proxy.log.contains("s3cret"))
    }
}

/// Token endpoints over TLS.
@Suite struct SecureTokenEndpointTests {
    static let authority = Result { try TestAuthority() }
    private static let absent = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    private let api: ScriptedPeer

    init() throws {
        api = try ScriptedPeer { request in
            [request["Authorization"] == "Bearer nginx-token" ? .response(body: "in") : .response(403)]
        }
    }

    private func server(clients: TestAuthority? = nil) throws -> (Nginx, TestAuthority.Leaf) {
        let leaf = try Self.authority.get().leaf("tokens-\(try FreePort.reserve())", names: "DNS:localhost")
        return (try Nginx(leaf, clients: clients), leaf)
    }

    private func rules(_ server: Nginx, pin: String? = nil, auth: String = "", more: String = "") throws -> String {
        let pins = pin.map { ", pins: [\($0)]" } ?? ""
        return """
            credentials:
              crm:
                oauth2: { token_endpoint: "https://\(server.authority)/token", client_id: orders\(auth) }
            \(more)
            rules: [ { space: { host: 127.0.0.1, port: \(api.port) }, use: crm } ]
            trust: [ { host: localhost, anchors: { file: \(try Self.authority.get().certificate) }\(pins) } ]

            """
    }

    private let byPassword = ", client_secret: { value: s3cret }"

    @Test("T-7 a token endpoint is held to the trust policy of its host")
    func pinned() throws {
        let (server, leaf) = try server()
        let pin = try Self.authority.get().pin(of: leaf.certificate)
        let right = try RunningProxy(rules(server, pin: pin, auth: byPassword), workers: 1)
        #expect(try right.get("\(api.url)/x").text == "in")
        let entry = try server.log.wait(for: 1)[0]
        #expect(entry.status == 200)
        let wrong = try RunningProxy(rules(server, pin: Self.absent, auth: byPassword), workers: 1)
        let response = try wrong.get("\(api.url)/x")
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("token.endpoint-untrusted") == true)
        try wrong.waitForLog("pin.mismatch")
        #expect(api.requests.count == 1)
        #expect(server.log.entries.count == 1)
    }

    @Test("T-7 an endpoint that nobody vouches for gets no request")
    func unknown() throws {
        let (server, _) = try server()
        let rules = try rules(server, auth: byPassword)
        let proxy = try RunningProxy(rules.replacing("anchors: { file:", with: "port: 1, anchors: { file:"), workers: 1)
        let response = try proxy.get("\(api.url)/x")
        #expect(response["Proxy-Status"]?.contains("token.endpoint-untrusted") == true)
        #expect(server.log.entries.isEmpty && api.requests.isEmpty)
    }

    @Test("T-7 with mtls the endpoint is shown the client's certificate")
    func mutual() throws {
        let authority = try Self.authority.get()
        let (server, _) = try server(clients: authority)
        let own = try authority.leaf("orders-\(FreePort.reserve())", names: "DNS:orders.test", purpose: .client)
        let proxy = try RunningProxy(
            rules(
                server,
                auth: ", auth: mtls, client_certificate: me",
                more: "  me: { certificate: \(own.certificate), private_key: { file: \(own.key) } }"
            ),
            workers: 1
        )
        #expect(try proxy.get("\(api.url)/x").text == "in")
        #expect(try server.log.wait(for: 1)[0].authorization.contains("CN=orders-"))
    }
}
