import Support
import Testing

/// Which offer of a response is answered, by which rule.
@Suite struct OfferChoiceTests {
    private static let login = "credentials: { staff: { username: user, password: { value: right } } }\n"
    private static let rule =
        login + "rules: [ { space: { host: 127.0.0.1, port: any, method: [digest, basic] }, use: staff } ]"

    /// Challenges as fields of one response, and what the answer begins with; nil where there is none.
    private static let choices: [(fields: [String], answer: String?)] = [
        (
            [
                #"Digest realm="a", nonce="1", algorithm=SHA-512, qop="auth""#,
                #"Digest realm="b", nonce="2", qop="auth""#,
            ], "2"
        ),
        ([#"Digest realm="a", nonce="1", qop="auth-conf""#, #"Digest realm="b", nonce="2", algorithm=SHA-256"#], "2"),
        ([#"Digest realm="a", nonce="1", algorithm=SHA-512, Basic realm="b""#], "Basic"),
        (
            [#"Digest realm="a", nonce="1", algorithm=X, Digest realm="b", nonce="2", qop="x", Basic realm="c""#],
            "Basic"
        ),
        (["Negotiate", #"Hawk id="x""#, #"Basic realm="b""#, #"Digest realm="d", nonce="1""#], "1"),
        (
            [#"Basic realm="b""#, #"Digest realm="d", nonce="1""#, #"Digest realm="d", nonce="2", algorithm=SHA-256"#],
            "2"
        ),
        ([#"Digest realm="d", nonce="2", algorithm=SHA-256, Digest realm="d", nonce="1", algorithm=MD5"#], "2"),
        ([#"Digest realm="a", nonce="1", algorithm=SHA-512"#, #"Digest realm="b", nonce="2", qop="auth-conf""#], nil),
    ]

    @Test(
        "A-21 all challenges of a response are collected before one is chosen, unknown algorithms and qops passed over",
        arguments: choices.indices
    )
    func choice(_ index: Int) throws {
        let (fields, answer) = Self.choices[index]
        let origin = try ScriptedPeer { request in
            let refusal = ScriptedPeer.Step.response(401, fields.map { "WWW-Authenticate: \($0)" }, body: "no")
            return [request["Authorization"] == nil ? refusal : .response()]
        }
        let proxy = try RunningProxy(Self.rule)
        #expect(try proxy.get("\(origin.url)/").status == (answer == nil ? 401 : 200))
        let value = origin.requests.last?["Authorization"]
        #expect(value.map { $0.hasPrefix("Basic ") ? "Basic" : parameter("nonce", of: $0) } == answer)
    }

    @Test("A-22 the target alone says where a request goes and whose credential it gets, whatever its Host says")
    func target() throws {
        let mine = try Demand(scheme: "Basic", status: 401).takingPeer()
        let other = try Demand(scheme: "Basic", status: 401).takingPeer()
        let proxy = try RunningProxy(
            Self.login + "rules: [ { space: { host: 127.0.0.1, port: \(mine.port) }, use: staff } ]"
        )
        func ask(_ peer: ScriptedPeer, host: String) throws -> Int {
            try proxy.connect().exchange(request("GET \(peer.url)/ HTTP/1.1", ["Host: \(host)"])).status
        }
        #expect(try ask(other, host: mine.authority) == 401)
        #expect(try ask(mine, host: other.authority) == 200)
        #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
        for peer in [mine, other] { #expect(peer.requests.allSatisfy { $0.head.values("Host") == [peer.authority] }) }
    }

    @Test("A-25 values of nearly 64 KiB are built and sent", arguments: ["Basic", "Digest"])
    func long(_ scheme: String) throws {
        // 49,100 bytes are 65,467 in base64, 69 short of the limit with the scheme's name.
        let password = String(repeating: "p", count: 49_095)
        let opaque = String(repeating: "o", count: 60_000)
        let challenge =
            scheme == "Basic" ? "Basic realm=\"r\"" : "Digest realm=\"r\", nonce=\"n\", opaque=\"\(opaque)\""
        let origin = try ScriptedPeer { request in
            [request["Authorization"] == nil ? .unauthorized(challenge) : .response()]
        }
        let proxy = try RunningProxy(Demand.anyPort, workers: 1, files: ["secret": password])
        for _ in 0..<2 { #expect(try proxy.get("\(origin.url)/").status == 200) }
        #expect(origin.requests.count == 3)
        for value in origin.requests.compactMap({ $0["Authorization"] }) {
            if scheme == "Basic" {
                // "user:" is three quarters of a group short of a whole one, so the rest is one group over and over.
                #expect(value.utf8.count == 6 + 65_468 && value.hasPrefix("Basic dXNlcjpwcHBw"))
                #expect(value.dropFirst(18).dropLast(4).allSatisfy { "cHBw".contains($0) })
            } else {
                #expect(parameter("opaque", of: value) == opaque)
                let response = "\(Digest.md5("user:r:\(password)")):n:\(Digest.md5("GET:/"))"
                #expect(parameter("response", of: value) == Digest.md5(response))
            }
        }
    }

    @Test("A-25 a longer value is not begun", arguments: ["Basic", "Digest"])
    func tooLong(_ scheme: String) throws {
        let origin = try Demand(scheme: scheme, status: 401).refusingPeer()
        let proxy = try RunningProxy(
            """
            credentials: { staff: { username: { file: name }, password: { value: right } } }
            rules: [ { space: { host: 127.0.0.1, port: any }, use: staff } ]
            """,
            // Each byte is two in quotes, and four thirds of one in base64.
            files: ["name": String(repeating: "\"", count: 50_000)]
        )
        let response = try proxy.get("\(origin.url)/")
        #expect(response.status == 401)
        #expect(reason(of: response) == "credential.unusable")
        #expect(origin.requests.count == 1)
    }
}

/// Rules for a path, and how a target's path is compared with theirs.
@Suite struct PathRuleTests {
    private static let rules = """
        credentials: { staff: { username: user, password: { value: right } } }
        rules: [ { space: { host: 127.0.0.1, port: any, path: /private/ }, use: staff MORE } ]
        """

    /// Paths, and whether the rule for /private/ answers there.
    private static let paths: [(path: String, isAnswered: Bool)] = [
        ("/private/x", true), ("/private/", true), ("/private/x?q=../..", true), ("/private/x/y%20z", true),
        ("/%70rivate/x", true), ("/pr%69vate/%7Eme", true), ("/private/.../x", true), ("/private/..x", true),
        ("/privateer/x", false), ("/Private/x", false), ("/", false), ("/public/x", false),
    ]

    /// Paths that servers read in different ways.
    private static let ambiguous = [
        "/private/../x", "/private/./x", "/x/../private/y", "/private/%2e%2E/x", "/private/.%2e/x", "/private/..",
        "/private//x", "//private/x", "/private/a%2Fb", "/private/a%2fb", "/private/a%5Cb", "/private/%00x",
        "/private/%0d%0ax",
    ]

    private func proxy(_ more: String = "") throws -> RunningProxy {
        let rules = Self.rules.split(separator: "MORE", omittingEmptySubsequences: false).joined(separator: more)
        return try RunningProxy(rules, workers: 1)
    }

    @Test("A-27 path is compared with the path that is sent, unreserved escapes decoded, with case")
    func compared() throws {
        let origin = try Demand(scheme: "Digest", status: 401).takingPeer()
        let proxy = try proxy(", preempt: never")
        for (path, isAnswered) in Self.paths {
            origin.forget()
            #expect(try proxy.get("\(origin.url)\(path)").status == (isAnswered ? 200 : 401), "\(path)")
            // What is sent stays as the client wrote it, and so is what Digest covers.
            #expect(origin.requests.allSatisfy { $0.target == path })
            #expect(origin.requests.compactMap { $0["Authorization"] }.allSatisfy { parameter("uri", of: $0) == path })
        }
    }

    @Test(
        "A-27 an ambiguous path gets no credential of a rule for a path, neither in answer nor ahead, and stays as it is"
    )
    func ambiguous() throws {
        let origin = try Demand(scheme: "Basic", status: 401).takingPeer()
        let proxy = try proxy()
        #expect(try proxy.get("\(origin.url)/private/x").status == 200)
        origin.forget()
        for path in Self.ambiguous {
            let response = try proxy.get("\(origin.url)\(path)")
            #expect(response.status == 401, "\(path)")
            #expect(reason(of: response) == "path.ambiguous", "\(path)")
        }
        #expect(origin.requests.map(\.target) == Self.ambiguous)
        #expect(origin.requests.allSatisfy { $0["Authorization"] == nil })
    }

    @Test(
        "A-27 nor does one with a backslash or a control byte, which no target may have at all",
        arguments: ["/private/a\\b", "/private/\u{1}"]
    )
    func malformed(_ path: String) throws {
        let origin = try Demand(scheme: "Basic", status: 401).takingPeer()
        let response = try proxy().get("\(origin.url)\(path)")
        #expect([400, 401].contains(response.status))
        #expect(origin.requests.allSatisfy { $0["Authorization"] == nil })
    }

    @Test("A-27 where client_credential: refuse holds an ambiguous path is 403")
    func refused() throws {
        let origin = try Demand(scheme: "Basic", status: 401).takingPeer()
        let proxy = try proxy(", client_credential: refuse")
        for path in Self.ambiguous {
            let response = try proxy.get("\(origin.url)\(path)")
            #expect(response.status == 403, "\(path)")
            #expect(reason(of: response) == "path.ambiguous", "\(path)")
        }
        #expect(origin.requests.isEmpty)
        #expect(try proxy.get("\(origin.url)/private/x").status == 200)
    }
}
