import Authentication
import Bytes
import HTTP
import Rules
import Testing

@Suite("Credentials that a client brings")
struct ClientCredentialTests {
    private static let basic = "Basic YWxpY2U6c2VjcmV0"  // alice:secret
    private static let dummyPassword = "Basic YWxpY2U6ZHVtbXk="  // alice:dummy
    private static let dummyUser = "basic ZHVtbXk6"  // dummy: and an empty password
    private static let dummyInside = "Basic YWxpY2U6ZHVtbXkx"  // alice:dummy1

    private func judge(
        _ drafts: [RuleDraft],
        _ value: String,
        request: RequestFacts = .get { $0.bringsAuthorization = true },
        path: String = "/"
    ) throws -> String {
        let candidates = try table(drafts).candidates(for: .a, isProxy: false)
        let verdict = candidates.clientCredential(Array(value.utf8).span, request: request, path: Array(path.utf8).span)
        switch verdict {
        case .keep: return "keep"
        case .replace(let rule, let sendsAhead): return "replace \(rule.index)\(sendsAhead ? " ahead" : "")"
        case .refuse(let rule): return "refuse \(rule.index)"
        }
    }

    private static func policy(_ policy: ClientCredentialPolicy) -> RuleDraft {
        RuleDraft(use: "u").with { $0.clientCredential = policy }
    }

    private static func placeholder(_ text: String) -> RuleDraft {
        RuleDraft(use: "u").with { $0.placeholder = text }
    }

    @Test(
        "A-23 the first rule about the request says what becomes of its Authorization",
        arguments: [
            ([], "Bearer t", "keep"),
            ([policy(.keep)], "Bearer t", "keep"),
            ([policy(.replace)], "Bearer t", "replace 0"),
            ([policy(.replace)], basic, "replace 0 ahead"),
            ([policy(.refuse)], "Bearer t", "refuse 0"),
            ([policy(.keep), policy(.refuse)], "Bearer t", "keep"),
            ([policy(.refuse).with { $0.clients = ["10.0.0.1"] }, policy(.replace)], "Bearer t", "replace 1"),
            ([policy(.refuse).with { $0.hosts = ["b.example"] }, policy(.keep)], "Bearer t", "keep"),
            ([policy(.refuse).with { $0.path = "/private" }], "Bearer t", "keep"),
            ([policy(.refuse).with { $0.path = "/" }], "Bearer t", "refuse 0"),
            ([RuleDraft(.performDefaultHandling).with { $0.clientCredential = .refuse }], "Bearer t", "refuse 0"),
            ([RuleDraft(.rejectProtectionSpace), policy(.refuse)], "Bearer t", "refuse 1"),
        ] as [([RuleDraft], String, String)]
    )
    func policies(drafts: [RuleDraft], value: String, expected: String) throws {
        #expect(try judge(drafts, value) == expected)
    }

    @Test("A-23 S-4 a rule for a realm replaces nothing before that realm asks, but refuses")
    func realms() throws {
        let realm: (inout RuleDraft) -> Void = { $0.realm = .oneOf([Array("R".utf8)]) }
        #expect(try judge([Self.policy(.replace).with(realm)], Self.basic) == "keep")
        #expect(try judge([Self.policy(.refuse).with(realm)], Self.basic) == "refuse 0")
        #expect(try judge([Self.policy(.keep).with(realm), Self.policy(.replace)], Self.basic) == "replace 1")
        #expect(try judge([Self.placeholder("dummy").with(realm)], Self.dummyPassword) == "replace 0")
    }

    @Test(
        "A-23 a placeholder is replaced wherever the secret would stand, and nothing else is",
        arguments: [
            (dummyPassword, "replace 0 ahead"), (dummyUser, "replace 0 ahead"), ("Bearer dummy", "replace 0"),
            ("Bearer  dummy ", "replace 0"), ("dummy", "replace 0"), (dummyInside, "keep"), ("Bearer dummy1", "keep"),
            ("Bearer xdummy", "keep"), ("Basic dummy", "replace 0 ahead"), ("Basic !!!", "keep"), ("Basic ", "keep"),
            ("", "keep"), ("Bearer", "keep"), (basic, "keep"), ("Basic ZHVtbXk=", "keep"),
        ]
    )
    func placeholders(value: String, expected: String) throws {
        #expect(try judge([Self.placeholder("dummy")], value) == expected)
    }

    @Test("A-23 a placeholder counts whatever client_credential says of others, and for the rule that knows it")
    func placeholderAndPolicy() throws {
        let strict = Self.placeholder("dummy").with { $0.clientCredential = .refuse }
        #expect(try judge([strict], Self.dummyPassword) == "replace 0 ahead")
        #expect(try judge([strict], Self.basic) == "refuse 0")
        #expect(
            try judge(
                [Self.policy(.refuse).with { $0.methods = [.digest] }, Self.placeholder("dummy")],
                Self.dummyPassword
            ) == "replace 1 ahead"
        )
        // Rule 0 decides a Basic challenge, so rule 1's value doesn't go before one.
        #expect(try judge([RuleDraft(use: "t"), Self.placeholder("dummy")], Self.dummyPassword) == "replace 1")
    }

    @Test("A-14 A-15 A-26 what is kept from a challenge's answer doesn't take a placeholder's place either")
    func bounds() throws {
        func judged(_ change: @escaping (inout RequestFacts) -> Void) throws -> String {
            try judge([Self.placeholder("dummy")], Self.dummyPassword, request: .get(change))
        }
        #expect(try judged { $0.isSecure = false } == "replace 0")
        #expect(try judged { $0.isCrossSite = true } == "replace 0")
        #expect(try judged { $0.method = .trace } == "replace 0")
        #expect(try judge([Self.placeholder("dummy").with { $0.preempt = .never }], Self.dummyPassword) == "replace 0")
        #expect(
            try judge([Self.placeholder("dummy").with { $0.methods = [.digest] }], Self.dummyPassword) == "replace 0"
        )
    }

    @Test("A-27 an ambiguous path is refused where a rule for a path refuses, whatever the request brings")
    func refusedPaths() throws {
        func refuses(_ drafts: [RuleDraft], _ path: String) throws -> Bool {
            let candidates = try table(drafts).candidates(for: .a, isProxy: false)
            return candidates.refusesAmbiguous(Array(path.utf8).span, of: Client(address: .loopbackV4))
        }
        let strict = Self.policy(.refuse).with { $0.path = "/private" }
        #expect(try refuses([strict], "/a/..;/private"))
        #expect(try refuses([RuleDraft(use: "v"), strict], "/a//b"))
        #expect(try !refuses([strict], "/private/x"))
        #expect(try !refuses([strict], ""))
        #expect(try !refuses([strict.with { $0.clients = ["10.0.0.1"] }], "/a//b"))
        #expect(try !refuses([strict.with { $0.clientCredential = .replace }], "/a//b"))
        #expect(try !refuses([strict.with { $0.path = nil }], "/a//b"))
        #expect(try !refuses([strict.with { $0.hosts = ["b.example"] }], "/a//b"))
    }

    @Test("A-27 for an ambiguous path no rule for a path takes the place of a client's credential")
    func ambiguousPaths() throws {
        let path: (inout RuleDraft) -> Void = { $0.path = "/private" }
        #expect(try judge([Self.policy(.replace).with(path)], Self.basic, path: "/a/../private") == "keep")
        #expect(try judge([Self.placeholder("dummy").with(path)], Self.dummyPassword, path: "/a/../private") == "keep")
        #expect(
            try judge([Self.policy(.replace).with(path), Self.policy(.replace)], Self.basic, path: "/a/../b")
                == "replace 1 ahead"
        )
    }
}
