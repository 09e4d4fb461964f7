import Support
import Testing

/// Which ways are secure enough for a value that gives the password away.
@Suite struct CleartextTests {
    private static let login = "credentials: { staff: { username: user, password: { value: right } } }\n"
    private static let value = "Basic dXNlcjpyaWdodA=="

    private static func origin(_ challenges: String...) throws -> ScriptedPeer {
        try ScriptedPeer { request in
            guard request["Authorization"] == nil else { return [.response(body: "in")] }
            return [.response(401, challenges.map { "WWW-Authenticate: \($0)" })]
        }
    }

    @Test(
        "A-14 Basic goes to a loopback address that is dialled directly, written or by `to`",
        arguments: [false, true]
    )
    func loopback(_ isMapped: Bool) throws {
        let origin = try Self.origin("Basic realm=\"r\"")
        let host = isMapped ? "mapped.example" : "127.0.0.1"
        let proxy = try RunningProxy(
            """
            rules: [ { space: { host: \(host), port: any }, use: staff } ]
            routes: [ { host: mapped.example, to: { address: 127.0.0.1, port: \(origin.port) } } ]
            """ + "\n" + Self.login
        )
        #expect(try proxy.get("http://\(host):\(origin.port)/").text == "in")
    }

    @Test("A-14 Basic doesn't go to a name without TLS, which response, log and explain say; cleartext allows it")
    func name() throws {
        let origin = try Self.origin("Basic realm=\"r\"")
        let rules = "rules: [ { space: { host: localhost, port: any }, use: staff CLEAR } ]\n" + Self.login
        let strict = try RunningProxy(rules.replacing("CLEAR", with: ""))
        let url = "http://localhost:\(origin.port)/"
        let response = try strict.get(url)
        #expect(response.status == 401)
        #expect(reason(of: response) == "cleartext.refused")
        try strict.waitForLog("cleartext.refused")
        let file = strict.folder("countersign.yaml")
        let explained = try Binary.run(["explain", url, "--config", file, "--challenge", "Basic realm=\"r\""])
        #expect(explained.output.contains("cleartext"))
        let open = try RunningProxy(rules.replacing("CLEAR", with: ", cleartext: [basic]"))
        #expect(try open.get(url).text == "in")
        #expect(origin.requests.map { $0["Authorization"] } == [nil, nil, Self.value])
    }

    @Test("A-14 an origin is judged by itself, whatever its parent is: Digest goes, Basic doesn't")
    func behindParent() throws {
        let basic = try Self.origin("Basic realm=\"r\"")
        let both = try Self.origin("Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
        for parent in [basic, both] {
            let proxy = try RunningProxy(
                Self.login + RunningProxy.through(parent.port, "rules: [ { space: { host: a.example }, use: staff } ]")
            )
            let response = try proxy.get("http://a.example/")
            #expect(response.status == (parent === basic ? 401 : 200))
        }
        #expect(basic.requests.map { $0["Authorization"] } == [nil])
        #expect(both.requests.last?["Authorization"]?.hasPrefix("Digest ") == true)
    }

    @Test("A-14 nor is it sent ahead there by preempt: always")
    func ahead() throws {
        let origin = try Self.origin("Basic realm=\"r\"")
        for (host, isSent) in [("localhost", false), ("127.0.0.1", true)] {
            let proxy = try RunningProxy(
                Self.login
                    + "rules: [ { space: { host: \(host), port: any, method: [basic] }, use: staff, preempt: always } ]"
            )
            origin.forget()
            _ = try proxy.get("http://\(host):\(origin.port)/")
            #expect(origin.requests.map { $0["Authorization"] != nil } == [isSent])
        }
    }

    @Test(
        "A-14 a parent is judged by its own address",
        arguments: ["127.0.0.1", "localhost"],
        ["", "cleartext: [basic]"]
    )
    func parent(_ host: String, _ cleartext: String) throws {
        let parent = try Demand(scheme: "Basic", status: 407).takingPeer()
        let more = cleartext.isEmpty ? "" : ", \(cleartext)"
        let proxy = try RunningProxy(
            Self.login + """
                proxies: { corp: { url: "http://\(host):\(parent.port)", use: staff, method: [basic]\(more) } }
                routes: [ { host: "*", via: corp } ]
                """
        )
        let response = try proxy.get("http://a.example/")
        let isIn = host == "127.0.0.1" || !cleartext.isEmpty
        #expect(response.status == (isIn ? 200 : 502))
        #expect(reason(of: response) == (isIn ? nil : "cleartext.refused"))
        #expect(parent.requests.contains { $0["Proxy-Authorization"] != nil } == isIn)
    }
}

extension String {
    /// The text with each `word` put as `other`.
    fileprivate func replacing(_ word: String, with other: String) -> String {
        split(separator: word, omittingEmptySubsequences: false).joined(separator: other)
    }
}
