import Support
import Testing

/// What becomes of a credential that a request brings itself, as Authorization or in its target.
@Suite struct BroughtCredentialTests {
    private static let ours = "Basic dXNlcjpyaWdodA=="
    private static let own = "Basic b3duOm93bg=="

    private static func rules(_ more: String, userinfo: Bool = false) -> String {
        """
        credentials: { staff: { username: user, password: { value: right } } }
        rules: [ { space: { host: 127.0.0.1, port: any }, use: staff\(more) } ]
        http: { userinfo: \(userinfo) }
        """
    }

    /// Takes any Basic value and tells which.
    private func origin() throws -> ScriptedPeer {
        try ScriptedPeer { request in
            guard let value = request["Authorization"], value.hasPrefix("Basic ") else {
                return [.unauthorized("Basic realm=\"Staff\"")]
            }
            return [.response(body: value)]
        }
    }

    @Test(
        "A-23 keep leaves the client's own, replace puts the rule's, refuse is 403",
        arguments: ["keep", "replace", "refuse"]
    )
    func policies(_ policy: String) throws {
        let origin = try origin()
        let proxy = try RunningProxy(Self.rules(", client_credential: \(policy)"), workers: 1)
        let response = try proxy.get("\(origin.url)/", ["Authorization: \(Self.own)"])
        switch policy {
        case "keep": #expect(response.text == Self.own)
        case "replace":
            #expect(response.text == Self.ours)
            #expect(origin.requests.allSatisfy { $0["Authorization"] != Self.own })
        default:
            #expect(response.status == 403)
            #expect(reason(of: response) == "credential.client-refused")
            #expect(origin.requests.isEmpty)
        }
        // Who brings nothing is answered as ever.
        #expect(try proxy.get("\(origin.url)/").text == Self.ours)
    }

    @Test("A-23 replace answers Digest, too, and the client's own never goes")
    func replacedByDigest() throws {
        let origin = try Demand(scheme: "Digest", status: 401).takingPeer()
        let proxy = try RunningProxy(Self.rules(", client_credential: replace"), workers: 1)
        for path in ["/a", "/b"] {
            #expect(try proxy.get("\(origin.url)\(path)", ["Authorization: Bearer own"]).status == 200)
        }
        #expect(origin.requests.compactMap { $0["Authorization"] }.allSatisfy { $0.hasPrefix("Digest ") })
    }

    @Test(
        "A-23 a placeholder is replaced wherever the secret would stand, and nothing else is",
        arguments: [
            // dummy:x, x:dummy, x:y, dummyx:y
            ("Basic ZHVtbXk6eA==", true), ("Basic eDpkdW1teQ==", true), ("Bearer dummy", true), ("dummy", true),
            ("Basic eDp5", false), ("Basic ZHVtbXl4Onk=", false), ("Bearer dummyx", false), ("Bearer x dummy", false),
        ]
    )
    func placeholder(_ value: String, _ isReplaced: Bool) throws {
        let origin = try ScriptedPeer { request in
            let isIn = request["Authorization"] == Self.ours
            return [isIn ? .response() : .unauthorized("Basic realm=\"Staff\"")]
        }
        let proxy = try RunningProxy(Self.rules(", placeholder: dummy"), workers: 1)
        let response = try proxy.get("\(origin.url)/", ["Authorization: \(value)"])
        #expect(response.status == (isReplaced ? 200 : 401))
        #expect(origin.requests.contains { $0["Authorization"] == value } != isReplaced)
    }

    @Test(
        "A-23 a login in the target is kept, replaced or refused as a Basic value would be",
        arguments: ["keep", "replace", "refuse"]
    )
    func userinfo(_ policy: String) throws {
        let origin = try origin()
        let proxy = try RunningProxy(Self.rules(", client_credential: \(policy)", userinfo: true), workers: 1)
        let response = try proxy.get("http://own:own@\(origin.authority)/")
        switch policy {
        case "keep": #expect(response.text == Self.own)
        case "replace": #expect(response.text == Self.ours)
        default:
            #expect(response.status == 403)
            #expect(reason(of: response) == "credential.client-refused")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test("A-23 a placeholder in the target's login is replaced", arguments: ["dummy:x", "x:dummy", "x:%64ummy"])
    func placeholderInTarget(_ login: String) throws {
        let origin = try origin()
        let proxy = try RunningProxy(Self.rules(", placeholder: dummy", userinfo: true), workers: 1)
        #expect(try proxy.get("http://\(login)@\(origin.authority)/").text == Self.ours)
    }
}

/// Logins in targets where the rule file allows them.
@Suite struct TargetLoginTests {
    private static let allowed = "http: { userinfo: true }\n"

    @Test(
        "H-1b userinfo answers a challenge, percent-decoded, and goes neither in the target nor ahead",
        arguments: ["Basic", "Digest"]
    )
    func answers(_ scheme: String) throws {
        let demand = Demand(scheme: scheme, status: 401)
        let origin = try demand.takingPeer()
        let proxy = try RunningProxy(Self.allowed, workers: 1)
        let client = try proxy.connect()
        for path in ["/a", "/b"] {
            // Another origin in the Host field makes no difference (A-22).
            let line = "GET http://us%65r:p%40ss%3Aw@\(origin.authority)\(path) HTTP/1.1"
            #expect(try client.exchange(request(line, ["Host: h"])).status == 200)
        }
        #expect(origin.requests.map(\.target) == ["/a", "/a", "/b", "/b"])
        #expect(origin.requests.map { $0["Authorization"] != nil } == [false, true, false, true])
        #expect(origin.requests.allSatisfy { $0["Host"] == origin.authority })
        for value in origin.requests.compactMap({ $0["Authorization"] }) {
            if scheme == "Basic" {
                #expect(value == "Basic dXNlcjpwQHNzOnc=")
                continue
            }
            let parts = [
                Digest.sha256("user:Staff:p@ss:w"), parameter("nonce", of: value), parameter("nc", of: value),
                parameter("cnonce", of: value),
                "auth", Digest.sha256("GET:\(parameter("uri", of: value))"),
            ]
            #expect(parameter("response", of: value) == Digest.sha256(parts.joined(separator: ":")))
        }
        for word in ["p%40ss", "p@ss", "us%65r"] { #expect(!proxy.log.contains(word)) }
    }

    @Test("H-1b userinfo answers no Basic where A-14 forbids it, but Digest")
    func cleartext() throws {
        for (scheme, status) in [("Basic", 401), ("Digest", 200)] {
            let origin = try Demand(scheme: scheme, status: 401).takingPeer()
            let proxy = try RunningProxy(Self.allowed + "routes: [ { host: localhost, via: direct } ]")
            let response = try proxy.get("http://user:pass@localhost:\(origin.port)/")
            #expect(response.status == status)
            #expect(reason(of: response) == (status == 401 ? "cleartext.refused" : nil))
        }
    }

    @Test(
        "H-1b userinfo is never in the ledger: wrong, it is tried each time, and what rules give isn't withheld for it"
    )
    func ledger() throws {
        let origin = try ScriptedPeer { request in
            let isIn = request["Authorization"] == "Basic dXNlcjpyaWdodA=="
            return [isIn ? .response() : .unauthorized("Basic realm=\"Staff\"")]
        }
        let proxy = try RunningProxy(Self.allowed + Demand.anyPort, workers: 1, files: ["secret": "right"])
        for _ in 0..<3 { #expect(try proxy.get("http://user:wrong@\(origin.authority)/").status == 401) }
        #expect(origin.requests.count { $0["Authorization"] != nil } == 3)
        let outcome = try Binary.run(["credentials", "--config", proxy.folder("countersign.yaml")])
        #expect(!outcome.output.contains("userinfo"))
        #expect(try proxy.get("\(origin.url)/").status == 200)
        // Nor is it learned, where it is right.
        origin.forget()
        #expect(try proxy.get("http://user:right@\(origin.authority)/other/").status == 200)
        #expect(try proxy.get("http://user:right@\(origin.authority)/other/").status == 200)
        #expect(origin.requests.count { $0["Authorization"] == nil } == 2)
    }

    @Test("H-1b userinfo goes to a parent neither in the target nor as its login")
    func parent() throws {
        let parent = try ScriptedPeer { request in
            if request["Proxy-Authorization"] == nil {
                return [.proxyAuthenticationRequired("Digest realm=\"p\", nonce=\"n\"")]
            }
            let challenge = "Digest realm=\"o\", nonce=\"n\", qop=\"auth\""
            return [request["Authorization"] == nil ? .unauthorized(challenge) : .response()]
        }
        let proxy = try RunningProxy(
            Self.allowed + """
                credentials: { staff: { username: user, password: { value: right } } }
                proxies: { corp: { url: "http://127.0.0.1:\(parent.port)", use: staff } }
                routes: [ { host: "*", via: corp } ]
                """
        )
        #expect(try proxy.get("http://own:secret@a.example/x").status == 200)
        #expect(parent.requests.allSatisfy { $0.target == "http://a.example/x" })
        #expect(parameter("username", of: parent.requests.last?["Authorization"] ?? "") == "own")
        #expect(parameter("username", of: parent.requests.last?["Proxy-Authorization"] ?? "") == "user")
        #expect(parameter("uri", of: parent.requests.last?["Authorization"] ?? "") == "/x")
    }

    @Test("H-1b userinfo is no answer for what another site asked for", arguments: ["Basic", "Digest"])
    func crossSite(_ scheme: String) throws {
        let origin = try Demand(scheme: scheme, status: 401).takingPeer()
        let proxy = try RunningProxy(Self.allowed)
        let response = try proxy.get("http://user:pass@\(origin.authority)/", ["Sec-Fetch-Site: cross-site"])
        #expect(response.status == 401)
        #expect(origin.requests.count == 1)
    }
}
