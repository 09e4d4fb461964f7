import Support
import Testing

/// Clients that log in themselves, at a parent or at an origin.
@Suite struct ClientLoginTests {
    private static let own = "Basic b3duOm93bg=="
    private static let ours = "Basic dXNlcjpyaWdodA=="

    /// A parent that demands Basic and takes whatever value comes.
    private func parent() throws -> ScriptedPeer {
        try Demand(scheme: "Basic", status: 407).takingPeer()
    }

    /// Rules for one parent whose challenges the clients answer themselves.
    private func passing(_ port: UInt16, _ more: String = "") -> String {
        """
        rules: [ { space: { host: 127.0.0.1, port: \(port), proxy: true }, disposition: default } ]
        proxies: { corp: { url: "http://127.0.0.1:\(port)" } }
        routes: [ { host: "*", via: corp } ]
        \(more)
        """
    }

    @Test("A-13 a 407 reaches the client by an explicit disposition, and its own login then goes to that parent alone")
    func explicit() throws {
        let (guarded, other) = (try parent(), try ScriptedPeer { _ in [.response(body: "other")] })
        let direct = try ScriptedPeer { _ in [.response(body: "direct")] }
        let proxy = try RunningProxy(
            """
            rules: [ { space: { host: 127.0.0.1, port: \(guarded.port), proxy: true }, disposition: default } ]
            proxies:
              corp: { url: "http://127.0.0.1:\(guarded.port)" }
              free: { url: "http://127.0.0.1:\(other.port)" }
            routes: [ { host: a.example, via: corp }, { host: b.example, via: free } ]
            """
        )
        let refused = try proxy.get("http://a.example/")
        #expect(refused.status == 407)
        #expect(refused["Proxy-Authenticate"] == "Basic realm=\"Staff\"")
        #expect(refused.text == "who are you?")
        let login = ["Proxy-Authorization: \(Self.own)"]
        #expect(try proxy.get("http://a.example/", login).text == "in")
        #expect(try proxy.get("http://b.example/", login).text == "other")
        #expect(try proxy.get("\(direct.url)/", login).text == "direct")
        #expect(guarded.requests.map { $0["Proxy-Authorization"] } == [nil, Self.own])
        #expect((other.requests + direct.requests).allSatisfy { $0["Proxy-Authorization"] == nil })
    }

    @Test("A-13 a 407 to CONNECT brings the client the challenge, and its login opens the tunnel on that connection")
    func tunnel() throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let parent = try ScriptedPeer { [port = origin.port] request in
            // As a connection-bound login has it: each leg goes on where the one before was.
            guard let value = request["Proxy-Authorization"] else { return [.proxyAuthenticationRequired("NTLM")] }
            if value == "NTLM AAAA" { return [.proxyAuthenticationRequired("NTLM \(request.connection)")] }
            guard value == "NTLM \(request.connection)" else { return [.response(403)] }
            return [.send("HTTP/1.1 200 OK\r\n\r\n"), .tunnel(to: port)]
        }
        let proxy = try RunningProxy(passing(parent.port), workers: 1)
        let client = try proxy.connect()
        func connect(_ fields: [String]) throws -> HTTPResponse {
            try client.exchange(request("CONNECT a.example:443 HTTP/1.1", ["Host: a.example:443"] + fields))
        }
        let first = try connect([])
        #expect(first.status == 407)
        #expect(first["Proxy-Authenticate"] == "NTLM")
        // The page is the parent's, not the target's (H-15).
        #expect(!first.text.contains("who are you?"))
        let second = try connect(["Proxy-Authorization: NTLM AAAA"])
        #expect(second.status == 407)
        let answer = try #require(second["Proxy-Authenticate"])
        #expect(try connect(["Proxy-Authorization: \(answer)"]).status == 200)
        #expect(try client.exchange(request("GET /in HTTP/1.1", ["Host: h"])).text == "/in")
    }

    @Test("A-13 C-8 a client's own login binds the parent's connection to that client connection")
    func bound() throws {
        let parent = try parent()
        let proxy = try RunningProxy(passing(parent.port), workers: 1)
        let (mine, another) = (try proxy.connect(), try proxy.connect())
        func ask(_ client: HTTPClient, _ path: String, _ fields: [String] = []) throws -> Int {
            try client.exchange(request("GET http://a.example\(path) HTTP/1.1", ["Host: a.example"] + fields)).status
        }
        #expect(try ask(mine, "/1", ["Proxy-Authorization: \(Self.own)"]) == 200)
        #expect(try ask(another, "/2") == 407)
        // It goes on there, also without a value, as a connection-bound login has it.
        #expect(try ask(mine, "/3") == 407)
        #expect(try ask(mine, "/4", ["Proxy-Authorization: \(Self.own)"]) == 200)
        #expect(try ask(another, "/5") == 407)
        let places = Dictionary(grouping: parent.requests, by: \.connection).values.map { Set($0.map(\.target)) }
        #expect(places.contains(["http://a.example/1", "http://a.example/3", "http://a.example/4"]))
        #expect(places.contains(["http://a.example/2", "http://a.example/5"]))
        mine.close()
        try eventually("the bound connection to end with the client's") { parent.openConnectionCount == 1 }
        #expect(try ask(another, "/6") == 407)
    }

    @Test("A-13 where a rule answers an offer of the parent's, the client's own login is not sent beside it")
    func oneValue() throws {
        let parent = try ScriptedPeer { request in
            let isDigest = request["Proxy-Authorization"]?.hasPrefix("Digest ") == true
            return [
                isDigest ? .response() : .proxyAuthenticationRequired("Digest realm=\"p\", nonce=\"n\", qop=\"auth\"")
            ]
        }
        let proxy = try RunningProxy(
            """
            credentials: { staff: { username: user, password: { value: right } } }
            rules:
              - { space: { host: 127.0.0.1, port: \(parent.port), proxy: true, method: [digest] }, use: staff }
              - { space: { host: 127.0.0.1, port: \(parent.port), proxy: true }, disposition: default }
            proxies: { corp: { url: "http://127.0.0.1:\(parent.port)" } }
            routes: [ { host: "*", via: corp } ]
            """,
            workers: 1
        )
        for path in ["/1", "/2"] {
            _ = try proxy.get("http://a.example\(path)")
            _ = try proxy.get("http://a.example\(path)", ["Proxy-Authorization: \(Self.own)"])
        }
        #expect(parent.requests.allSatisfy { $0.head.values("Proxy-Authorization").count <= 1 })
    }

    @Test(
        "A-13 every other 407 that isn't answered is 502",
        arguments: ["rule.none", "credential.rejected", "body.not-kept"]
    )
    func others(_ expected: String) throws {
        let parent = try ScriptedPeer { _ in [.proxyAuthenticationRequired("Basic realm=\"Staff\"")] }
        let use = expected == "rule.none" ? "" : ", use: staff"
        let proxy = try RunningProxy(
            """
            credentials: { staff: { username: user, password: { value: wrong } } }
            proxies: { corp: { url: "http://127.0.0.1:\(parent.port)"\(use) } }
            routes: [ { host: "*", via: corp } ]
            limits: { replay_memory: 1KiB, replay_disk: 1KiB }
            """
        )
        let body = String(repeating: "a", count: expected == "body.not-kept" ? 60_000 : 10)
        let lines = ["Host: a.example", "Content-Length: \(body.utf8.count)", "Proxy-Authorization: \(Self.own)"]
        let client = try proxy.connect()
        let response = try client.exchange(request("POST http://a.example/ HTTP/1.1", lines, body: body))
        #expect(response.status == 502)
        #expect(response["Proxy-Authenticate"] == nil)
        #expect(reason(of: response) == expected)
        #expect(parent.requests.allSatisfy { $0["Proxy-Authorization"] != Self.own })
    }

    @Test("A-13 who brings Authorization gets none of ours and isn't learned from, but its 407s are answered")
    func ownAuthorization() throws {
        let parent = try ScriptedPeer { request in
            if request["Proxy-Authorization"] == nil { return [.proxyAuthenticationRequired("Basic realm=\"p\"")] }
            let isIn = ["Basic b3duOm93bg==", "Basic dXNlcjpyaWdodA=="].contains(request["Authorization"])
            return [isIn ? .response(body: request["Authorization"] ?? "") : .unauthorized("Basic realm=\"o\"")]
        }
        let proxy = try RunningProxy(
            """
            credentials: { staff: { username: user, password: { value: right } } }
            rules: [ { space: { host: a.example }, use: staff, cleartext: [basic] } ]
            proxies: { corp: { url: "http://127.0.0.1:\(parent.port)", use: staff } }
            routes: [ { host: "*", via: corp } ]
            """,
            workers: 1
        )
        let url = "http://a.example/x"
        // A value of its own that is wrong: the origin's 401 is its to see, after the parent's was answered for it.
        let refused = try proxy.get(url, ["Authorization: Basic d3Jvbmc="])
        #expect(refused.status == 401)
        #expect(refused["WWW-Authenticate"] == "Basic realm=\"o\"")
        // One that is right teaches nothing.
        #expect(try proxy.get(url, ["Authorization: \(Self.own)"]).text == Self.own)
        #expect(parent.requests.map { $0["Authorization"] } == ["Basic d3Jvbmc=", "Basic d3Jvbmc=", Self.own])
        #expect(try proxy.get(url).text == Self.ours)
        #expect(parent.requests.suffix(2).map { $0["Authorization"] } == [nil, Self.ours])
        // Nor does what was learned since take the place of the client's own.
        #expect(try proxy.get(url, ["Authorization: \(Self.own)"]).text == Self.own)
        #expect(parent.requests.last?.head.values("Authorization") == [Self.own])
        #expect(parent.requests.dropFirst().allSatisfy { $0["Proxy-Authorization"] == Self.ours })
    }
}
