import Authentication
import Bytes
import HTTP
import Testing

@testable import Rules

@Suite("Explanations")
struct ExplanationTests {
    private func challenges(_ fields: [String]) -> [AuthenticationChallenge] {
        var parser = ChallengeParser()
        for field in fields { parser.parse(Array(field.utf8).span) }
        return parser.finish()
    }

    private func corp(_ credentials: [Credential] = [], at origin: Origin = .parent) -> ParentProxy {
        ParentProxy(
            name: "corp",
            place: SourcePlace(file: "countersign.yaml", line: 3),
            origin: origin,
            credentials: credentials
        )
    }

    private func route(via hops: [NextHop], hosts: [String]? = nil, index: Int = 0) throws -> RoutePattern {
        RoutePattern(
            hosts: try hosts?.map { try HostPattern($0) },
            port: .any,
            scheme: nil,
            route: Route(
                via: hops,
                to: nil,
                index: index,
                place: SourcePlace(file: "countersign.yaml", line: 20 + index)
            )
        )
    }

    private func lines(_ explanation: Explanation, _ topic: String) -> [String] {
        explanation.lines.filter { $0.topic == topic }.map(\.text)
    }

    @Test("O-5 explain says listener, route, what applies, why the rest doesn't, and what never acts")
    func everything() throws {
        let rules = try table([
            RuleDraft(use: "staff").with { $0.cleartext = [] },
            RuleDraft(use: "other").with { $0.hosts = ["b.example"] },
            RuleDraft(use: "late").with { $0.methods = [.digest] },
            RuleDraft(use: "far").with { $0.path = "/private/" },
            RuleDraft(use: "inner").with { $0.clients = ["10.0.0.0/8"] },
            RuleDraft(use: "shop").with { $0.scheme = .https },
            RuleDraft(use: "alt").with { $0.port = .number(8080) },
            RuleDraft(.rejectProtectionSpace).with { $0.isProxy = true },
        ])
        let configuration = ServerConfiguration.of(rules: rules)
        let explanation = Explanation(.init(origin: .a, path: Array("/public".utf8)), in: configuration)
        #expect(lines(explanation, "listener") == ["127.0.0.1:3128"])
        #expect(lines(explanation, "route") == ["default: direct"])
        #expect(
            lines(explanation, "rule") == [
                "rules[0] (countersign.yaml:10): answers basic, digest, ntlm and negotiate with 'staff' (basic is held back, cleartext.refused; ntlm is held back, cleartext.refused)",
                "rules[2] (countersign.yaml:12): never decides here, the rules before it do",
            ]
        )
        #expect(
            lines(explanation, "not") == [
                "rules[1] (countersign.yaml:11): another host", "rules[3] (countersign.yaml:13): another path",
                "rules[4] (countersign.yaml:14): another client", "rules[5] (countersign.yaml:15): another protocol",
                "rules[6] (countersign.yaml:16): another port; without 'port' it is the protocol's own",
                "rules[7] (countersign.yaml:17): is about parent proxies",
            ]
        )
        #expect(lines(explanation, "ahead") == ["nothing, until a space has been learned"])
        let never = lines(explanation, "never")
        #expect(never.contains { $0.hasPrefix("rules[2] (countersign.yaml:12): this rule never acts") })
        #expect(never.contains { $0.hasPrefix("rules[5] (countersign.yaml:15): this rule never acts: an https host") })
        #expect(lines(explanation, "answer").isEmpty)
    }

    @Test("O-5 with a challenge explain shows the answer that would be given, the secret masked")
    func answers() throws {
        let rules = try table([RuleDraft(use: "staff").with { $0.cleartext = .all }])
        let fields = [
            #"Digest realm="R", nonce="n", qop="auth", algorithm=SHA-256, Basic realm="R", Negotiate, Bearer"#,
            #"Digest realm="R", nonce="n", algorithm=FOO, Frobnicate x="y""#,
        ]
        let explanation = Explanation(
            .init(origin: .a, path: [0x2F], challenges: challenges(fields)),
            in: ServerConfiguration.of(rules: rules)
        )
        #expect(
            lines(explanation, "answer") == [
                #"negotiate by rules[0]: Authorization: Negotiate *** (username "staff")"#
            ]
        )
        #expect(
            lines(explanation, "then") == [
                #"digest of realm "R" by rules[0]: Authorization: Digest username="staff", realm="R", algorithm=SHA-256, qop=auth, response="***""#,
                #"basic of realm "R" by rules[0]: Authorization: Basic *** (username "staff")"#,
                "the 401 goes to the client as it came",
            ]
        )
        #expect(
            lines(explanation, "challenge") == [
                #"digest of realm "R": passed over, digest.algorithm-unknown"#,
                "Frobnicate: passed over, method.unknown",
                "bearer: passed over, rule.none",
            ]
        )
    }

    @Test("S-5 no line of an explanation shows a secret, in whatever form")
    func noSecret() throws {
        let rules = try table([RuleDraft(use: "staff").with { ($0.cleartext, $0.placeholder) = (.all, "dummy") }])
        let explanation = Explanation(
            .init(origin: .a, path: [0x2F], challenges: challenges([#"Basic realm="R", Digest realm="R", nonce="n""#])),
            in: ServerConfiguration.of(rules: rules, credentials: [credential("staff")])
        )
        let text = explanation.lines.map(\.text).joined(separator: "\n")
        let encoded = String(Base64.encode(Array("staff:secret of staff".utf8).span).span)
        #expect(!text.contains("secret of staff") && !text.contains(encoded))
        #expect(!text.contains("dummy"))
    }

    @Test("O-5 A-13 a parent's side is explained by its own rules, and a 407 that nothing answers is 502")
    func parentSide() throws {
        let parent = corp([credential("login")])
        let configuration = ServerConfiguration.of(
            rules: try table([RuleDraft(use: "staff")], parents: [parent]),
            routes: RouteTable([try route(via: [.parent(parent), .direct])]),
            parents: [parent]
        )
        let question = Explanation.Question(
            origin: .a,
            path: [0x2F],
            challenges: challenges([#"Basic realm="R""#]),
            proxyChallenges: challenges([#"Basic realm="P""#])
        )
        let explanation = Explanation(question, in: configuration)
        #expect(
            lines(explanation, "route") == ["routes[0] (countersign.yaml:20): corp (proxy.example:3128), then direct"]
        )
        #expect(
            lines(explanation, "rule") == [
                "rules[0] (countersign.yaml:10): answers basic, digest, ntlm and negotiate with 'staff' (basic is held back, cleartext.refused; ntlm is held back, cleartext.refused)",
                "proxies.corp.use (countersign.yaml:3): answers basic, digest, ntlm and negotiate with 'login' (basic is held back, cleartext.refused; ntlm is held back, cleartext.refused)",
            ]
        )
        #expect(
            lines(explanation, "answer") == ["the 401 goes to the client as it came", "the exchange ends with 502"]
        )
    }

    @Test("O-5 an https URL is tunnelled: no rule for its host acts, the parent's do, and its path is nobody's")
    func tunnels() throws {
        let parent = corp([credential("login")])
        let configuration = ServerConfiguration.of(
            rules: try table([RuleDraft(use: "staff").with { $0.scheme = .https }], parents: [parent]),
            routes: RouteTable([try route(via: [.parent(parent)])]),
            parents: [parent]
        )
        let origin = Origin(scheme: .https, host: "a.example")
        let explanation = Explanation(
            .init(
                origin: origin,
                path: Array("/x".utf8),
                proxyChallenges: challenges([#"Digest realm="P", nonce="n""#])
            ),
            in: configuration
        )
        #expect(explanation.origin == nil)
        #expect(lines(explanation, "origin").first?.hasPrefix("a.example:443 is tunnelled") == true)
        #expect(lines(explanation, "rule").count == 1)
        #expect(lines(explanation, "answer").first?.contains("Proxy-Authorization: Digest username=\"login\"") == true)
        #expect(explanation.parent?.facts.method == .connect)
        #expect(lines(explanation, "never").count == 1)
    }

    @Test("A-14 a loopback literal that is dialled directly counts as secure, behind a parent or by name it doesn't")
    func security() throws {
        let parent = corp(at: Origin(scheme: .http, host: "127.0.0.1", port: 3129))
        let routes = RouteTable([try route(via: [.parent(parent)], hosts: ["127.0.0.2"])])
        let configuration = ServerConfiguration.of(routes: routes, parents: [parent])
        func explain(_ host: String) -> Explanation {
            Explanation(.init(origin: Origin(scheme: .http, host: host), path: [0x2F]), in: configuration)
        }
        #expect(explain("127.0.0.1").origin?.facts.isSecure == true)
        #expect(explain("::1").origin?.facts.isSecure == true)
        #expect(explain("127.0.0.2").origin?.facts.isSecure == false)
        #expect(explain("127.0.0.2").parent?.facts.isSecure == true)
        #expect(explain("192.0.2.1").origin?.facts.isSecure == false)
    }

    @Test("a listener that the client may not use is not shown, and of many rules only some are listed")
    func bounds() throws {
        let inner = ListenerConfiguration(
            address: .tcp(.loopbackV6, 3128),
            name: "inner",
            clients: [try ClientPattern("10.0.0.0/8")]
        )
        let rules = try table((0..<50).map { number in RuleDraft(use: "u").with { $0.hosts = ["h\(number).example"] } })
        let configuration = ServerConfiguration.of(rules: rules, listeners: [inner])
        let outside = Explanation(.init(origin: .a, path: [0x2F]), in: configuration)
        #expect(lines(outside, "listener") == ["none that this client may use"])
        let inside = Explanation(
            .init(origin: .a, path: [0x2F], client: Client(address: IPAddress("10.0.0.1"))),
            in: configuration
        )
        #expect(lines(inside, "listener") == ["[::1]:3128 (inner)"])
        #expect(inside.origin?.facts.client.listener == "inner")
        #expect(lines(inside, "not").count == Explanation.listed + 1)
        #expect(lines(inside, "not").last == "30 more rules are about other requests")
    }

    @Test("a control character of a realm never reaches a terminal")
    func quoting() {
        #expect(Explanation.quoted(Array("x\u{202E}y".utf8)) == #""x\u{202E}y""#)
        #expect(Explanation.quoted(Array("a\u{1B}[31m\"\\ü".utf8)) == #""a\u{1B}[31m\"\\ü""#)
    }
}
