import Support
import Testing

/// A wrong password costs one attempt, however many ask.
@Suite struct LockoutTests {
    private static let wrong = "credentials: { login: { username: user, password: { value: wrong } } }\n"

    /// An origin that refuses whatever login it gets, and counts it.
    private func refusing(_ challenge: String) throws -> ScriptedPeer {
        try ScriptedPeer { _ in [.unauthorized(challenge)] }
    }

    private func attempts(_ peer: ScriptedPeer, _ field: String = "authorization") -> Int {
        peer.requests.count { $0[field] != nil }
    }

    @Test(
        "A-8 of sixty-four clients at once one tries a wrong password",
        arguments: [
            "Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"",
        ]
    )
    func oneScout(challenge: String) throws {
        let origin = try refusing(challenge)
        let proxy = try RunningProxy(
            Self.wrong + "rules: [{ space: { host: 127.0.0.1, port: any }, use: login }]",
            workers: 2
        )
        let statuses = try concurrently(64) { index in
            try proxy.get("http://127.0.0.1:\(origin.port)/\(index)").status
        }
        #expect(statuses.allSatisfy { $0 == 401 })
        #expect(attempts(origin) == 1)
    }

    @Test("A-7 of sixty-four clients at once one tries a wrong password at a parent")
    func oneScoutAtParent() throws {
        let parent = try ScriptedPeer { _ in
            [.proxyAuthenticationRequired("Digest realm=\"p\", nonce=\"n\", qop=\"auth\"")]
        }
        let proxy = try RunningProxy(
            Self.wrong + """
                proxies: { up: { url: "http://127.0.0.1:\(parent.port)", use: login } }
                routes: [{ host: "*", via: up }]
                """,
            workers: 2
        )
        let statuses = try concurrently(64) { index in try proxy.get("http://h\(index).test/").status }
        #expect(statuses.allSatisfy { $0 == 502 })
        #expect(attempts(parent, "proxy-authorization") == 1)
    }

    @Test("A-7 twelve origins under one pattern cost two attempts, asked in turn or at once", arguments: [false, true])
    func twelveOrigins(atOnce: Bool) throws {
        let origins = try (0..<12).map { _ in try refusing("Basic realm=\"r\"") }
        let proxy = try RunningProxy(
            Self.wrong + "rules: [{ space: { host: 127.0.0.1, port: any }, use: login }]",
            workers: 2
        )
        let statuses =
            atOnce
            ? try concurrently(12) { try proxy.get("http://127.0.0.1:\(origins[$0].port)/").status }
            : try origins.map { try proxy.get("http://127.0.0.1:\($0.port)/").status }
        #expect(statuses.allSatisfy { $0 == 401 })
        #expect(origins.reduce(0) { $0 + attempts($1) } == 2)
    }

    @Test("A-7b a refused password is not tried again by the next process; another secret is")
    func restart() throws {
        let origin = try ScriptedPeer { request in
            request["authorization"] == "Basic dXNlcjpyaWdodA==" ? [.response()] : [.unauthorized("Basic realm=\"r\"")]
        }
        let folder = try ScratchFolder("lockout")
        func rules(_ password: String) -> String {
            """
            credentials: { login: { username: user, password: { value: \(password) } } }
            rules: [{ space: { host: 127.0.0.1, port: any }, use: login }]
            """
        }
        let url = "http://127.0.0.1:\(origin.port)/"
        for _ in 0..<2 {
            let proxy = try RunningProxy(rules("wrong"), folder: folder)
            #expect(try proxy.get(url).status == 401)
            _ = proxy.stop()
        }
        #expect(attempts(origin) == 1)
        let proxy = try RunningProxy(rules("right"), folder: folder)
        #expect(try proxy.get(url).status == 200)
        #expect(attempts(origin) == 2)
    }

    @Test("A-7 a reload that leaves the secret alone leaves it withheld; a changed secret file ends that")
    func reload() throws {
        let origin = try ScriptedPeer { request in
            request["authorization"] == "Basic dXNlcjpyaWdodA==" ? [.response()] : [.unauthorized("Basic realm=\"r\"")]
        }
        let secrets = try ScratchFolder()
        let file = try secrets.write("wrong\n", to: "secret", mode: 0o600)
        let rules = """
            credentials: { login: { username: user, password: { file: \(file) } } }
            rules: [{ space: { host: 127.0.0.1, port: any }, use: login }]
            """
        let proxy = try RunningProxy(rules, workers: 2)
        let url = "http://127.0.0.1:\(origin.port)/"
        #expect(try proxy.get(url).status == 401)
        proxy.reload()
        try proxy.waitForLog("read again")
        #expect(try proxy.get(url).status == 401)
        #expect(attempts(origin) == 1)
        _ = try secrets.write("right\n", to: "secret", mode: 0o600)
        try eventually("the new secret answers", within: .seconds(20)) { try proxy.get(url).status == 200 }
        #expect(attempts(origin) == 2)
    }
}
