import Support
import Testing

/// Whole exchanges through the running proxy: who is challenged, what is answered, what the client sees.
@Suite struct AnsweredExchangeTests {
    private static let login = "credentials: { login: { username: user, password: { value: passwd } } }\n"
    private static let rule = "rules: [{ space: { host: 127.0.0.1, port: any }, use: login }]"
    private static let basic = "Basic dXNlcjpwYXNzd2Q="

    private func origin(_ challenge: String = "Basic realm=\"r\"", _ fields: [String] = []) throws -> ScriptedPeer {
        try ScriptedPeer { request in
            request["authorization"] == nil ? [.unauthorized(challenge)] : [.response(200, fields, body: "in")]
        }
    }

    @Test("A-1 an origin's 407 is never answered and never passed on")
    func proxyChallengeOfAnOrigin() throws {
        let origin = try ScriptedPeer { _ in [.proxyAuthenticationRequired("Basic realm=\"r\"")] }
        let proxy = try RunningProxy(Self.login + Self.rule)
        let response = try proxy.get("http://127.0.0.1:\(origin.port)/")
        #expect(response.status == 502)
        #expect(response["proxy-authenticate"] == nil)
        #expect(response["proxy-status"]?.contains("http_protocol_error") == true)
        #expect(origin.requests.count == 1)
    }

    @Test("A-1 a 401 without a challenge is told as it came")
    func noChallenge() throws {
        let origin = try ScriptedPeer { _ in [.response(401, [], body: "no")] }
        let proxy = try RunningProxy(Self.login + Self.rule)
        #expect(try proxy.get("http://127.0.0.1:\(origin.port)/").status == 401)
        #expect(origin.requests.count == 1)
    }

    @Test("A-1 a parent's challenge and the origin's are answered in one exchange, and then sent together")
    func both() throws {
        let parent = try ScriptedPeer { request in
            guard request["proxy-authorization"] != nil else {
                return [.proxyAuthenticationRequired("Digest realm=\"p\", nonce=\"n1\", qop=\"auth\"")]
            }
            guard request["authorization"] != nil else {
                return [.unauthorized("Digest realm=\"o\", nonce=\"n2\", qop=\"auth\"")]
            }
            return [.response(200, [], body: "in")]
        }
        let proxy = try RunningProxy(
            """
            credentials:
              a: { username: user, password: { value: passwd } }
              b: { username: other, password: { value: secret } }
            proxies: { up: { url: "http://127.0.0.1:\(parent.port)", use: b } }
            routes: [{ host: "*", via: up }]
            rules: [{ space: { host: o.test }, use: a }]
            """,
            // A nonce is its loop's own: a second worker would be challenged once more.
            workers: 1
        )
        #expect(try proxy.get("http://o.test/x").status == 200)
        #expect(parent.requests.count == 3)
        #expect(try proxy.get("http://o.test/y").status == 200)
        #expect(parent.requests.count == 4)
        let last = try #require(parent.requests.last)
        #expect(last["authorization"]?.contains("username=\"user\"") == true)
        #expect(last["proxy-authorization"]?.contains("username=\"other\"") == true)
    }

    @Test("A-6 a refused value sent ahead is not sent again in the exchange, nor ahead from then on")
    func refusedAhead() throws {
        let refuses = Locked(false)
        let origin = try ScriptedPeer { request in
            let isIn = request["authorization"] != nil && !refuses.withLock { $0 }
            return isIn ? [.response()] : [.unauthorized("Basic realm=\"r\"")]
        }
        // What one loop learned comes to another a moment later.
        let proxy = try RunningProxy(Self.login + Self.rule, workers: 1)
        let url = "http://127.0.0.1:\(origin.port)/"
        #expect(try proxy.get(url).status == 200)
        refuses.withLock { $0 = true }
        #expect(try proxy.get(url).status == 401)
        #expect(try proxy.get(url).status == 401)
        #expect(origin.requests.map { $0["authorization"] != nil } == [false, true, true, false])
    }

    @Test("A-12 the client sees neither the challenge nor what came of the answer, and no cache shares it")
    func unaware() throws {
        let origin = try origin(
            "Basic realm=\"r\"",
            ["WWW-Authenticate: Basic realm=\"r\"", "Authentication-Info: nextnonce=\"x\""]
        )
        let proxy = try RunningProxy(Self.login + Self.rule)
        let response = try proxy.get("http://127.0.0.1:\(origin.port)/")
        #expect(response.status == 200)
        #expect(response["www-authenticate"] == nil)
        #expect(response["authentication-info"] == nil)
        #expect(response["cache-control"] == "private")
        #expect(response["proxy-status"] == nil)
    }

    @Test("A-18 an origin that calls every nonce stale gets four answers at the most, then the client is told")
    func endlessStale() throws {
        let count = Locked(0)
        let origin = try ScriptedPeer { _ in
            let number = count.withLock { value in
                value += 1
                return value
            }
            return [.unauthorized("Digest realm=\"r\", nonce=\"n\(number)\", qop=\"auth\", stale=true")]
        }
        let proxy = try RunningProxy(Self.login + Self.rule)
        let response = try proxy.get("http://127.0.0.1:\(origin.port)/")
        #expect(response.status == 401)
        #expect(response["proxy-status"]?.contains("digest.stale") == true)
        #expect(origin.requests.count == 5)
    }

    @Test("A-20 Digest covers the very target of its leg, with query, and CONNECT's authority towards a parent")
    func digestTargets() throws {
        let origin = try ScriptedPeer { request in
            request["authorization"] == nil
                ? [.unauthorized("Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")] : [.response()]
        }
        let proxy = try RunningProxy(Self.login + Self.rule)
        #expect(try proxy.get("http://127.0.0.1:\(origin.port)/a?b=c%20d").status == 200)
        let value = try #require(origin.requests.last?["authorization"])
        #expect(value.contains("uri=\"/a?b=c%20d\""))
        let cnonce = try #require(value.split(separator: "cnonce=\"").last?.split(separator: "\"").first)
        let secret = Digest.md5("user:r:passwd")
        let request = Digest.md5("GET:/a?b=c%20d")
        #expect(value.contains("response=\"\(Digest.md5("\(secret):n:00000001:\(cnonce):auth:\(request)"))\""))
    }

    @Test("A-4b sixteen connections over two workers keep each nonce's counts in order")
    func strictCounts() throws {
        let next = Locked([String: Int]())
        let faults = Locked(0)
        let origin = try ScriptedPeer { request in
            let value = request["authorization"] ?? ""
            let nonce = value.split(separator: "nonce=\"").dropFirst().first?.split(separator: "\"").first.map(
                String.init
            )
            let count = value.split(separator: "nc=").last.flatMap { Int($0.prefix(8), radix: 16) }
            guard let nonce, let count, value.hasPrefix("Digest ") else {
                let fresh = next.withLock { counts in
                    let fresh = "n\(counts.count)"
                    counts[fresh] = 0
                    return fresh
                }
                return [.unauthorized("Digest realm=\"r\", nonce=\"\(fresh)\", qop=\"auth\"")]
            }
            let isNext = next.withLock { counts in
                let isNext = counts[nonce] == count - 1
                counts[nonce] = count
                return isNext
            }
            if isNext { return [.response()] }
            faults.withLock { $0 += 1 }
            return [.unauthorized("Digest realm=\"r\", nonce=\"bad\", qop=\"auth\"")]
        }
        let proxy = try RunningProxy(Self.login + Self.rule, workers: 2)
        let statuses = try concurrently(16) { index in
            let client = try proxy.connect()
            return try (0..<20).map { number in
                try client.exchange(
                    "GET http://127.0.0.1:\(origin.port)/\(index)/\(number) HTTP/1.1\r\nHost: h\r\n\r\n"
                ).status
            }
        }
        #expect(statuses.allSatisfy { $0.allSatisfy { $0 == 200 } })
        #expect(faults.withLock { $0 } == 0)
    }

    @Test("S-4 a credential goes to its own origin and to no other")
    func ownOriginOnly() throws {
        let mine = try origin()
        let other = try origin()
        let proxy = try RunningProxy(
            Self.login + "rules: [{ space: { host: 127.0.0.1, port: \(mine.port) }, use: login }]"
        )
        #expect(try proxy.get("http://127.0.0.1:\(mine.port)/").status == 200)
        #expect(try proxy.get("http://127.0.0.1:\(other.port)/").status == 401)
        #expect(mine.requests.last?["authorization"] == Self.basic)
        #expect(other.requests.allSatisfy { $0["authorization"] == nil })
    }
}
