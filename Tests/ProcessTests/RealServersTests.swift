import Support
import Testing

/// The whole proxy between real clients, which know nothing of authentication, and real servers that demand it.
///
/// Requests are counted with one worker, since each has nonces of its own (A-4b).
@Suite struct RealServersTests {
    private static let files = ["password": Login.password]

    /// Rules that answer every origin on this machine; more may follow.
    private static let origins = """
        credentials:
          staff: { username: \(Login.username), password: { file: password } }
        rules:
          - { space: { host: 127.0.0.1, port: any }, use: staff }

        """

    /// The same, with all requests going through a parent that the credential answers too.
    private static func through(_ parent: Squid) -> String {
        origins + """
            proxies:
              parent: { url: "\(parent.url)", use: staff }
            routes:
              - { host: "*", via: parent }

            """
    }

    @Test("A-12 a client gets what Apache's Basic and Digest guard, and sees no challenge", arguments: Client.allCases)
    func apache(_ client: Client) throws {
        let apache = try Apache()
        let proxy = try RunningProxy(RealServersTests.origins, workers: 1, files: RealServersTests.files)
        for path in ["basic", "digest"] {
            let outcome = try client.get("\(apache.url)/\(path)/", proxy: proxy.port)
            #expect(outcome.status == 200, "\(outcome) \(proxy.log)")
            #expect(outcome.body == "apache \(path)\n")
            #expect(!outcome.words.contains(" 401 "))
        }
        // A challenge and its answer for each space; what follows is sent ahead.
        #expect(try apache.log.wait(for: 4).map(\.status) == [401, 200, 401, 200])
        for path in ["basic", "digest"] {
            #expect(try client.get("\(apache.url)/\(path)/index.html", proxy: proxy.port).status == 200)
        }
        let entries = try apache.log.wait(for: 6)
        #expect(entries.map(\.status) == [401, 200, 401, 200, 200, 200], "\(entries)")
        #expect(entries.map { $0.authorization.isEmpty } == [true, false, true, false, false, false])
    }

    @Test("A-5 a nonce that Apache calls stale costs one more request and no failure")
    func apacheStale() throws {
        let apache = try Apache(nonceLifetime: 1)
        let proxy = try RunningProxy(RealServersTests.origins, workers: 1, files: RealServersTests.files)
        #expect(try proxy.get("\(apache.url)/digest/").status == 200)
        pause(.milliseconds(2500))
        #expect(try proxy.get("\(apache.url)/digest/").status == 200)
        let entries = try apache.log.wait(for: 4)
        #expect(entries.map(\.status) == [401, 200, 401, 200])
        #expect(entries.map { $0.authorization.isEmpty } == [true, false, false, false])
    }

    @Test("A-4 lighttpd's Digest by SHA-256 with userhash is answered", arguments: Client.allCases)
    func lighttpd(_ client: Client) throws {
        let lighttpd = try Lighttpd()
        let proxy = try RunningProxy(RealServersTests.origins, workers: 1, files: RealServersTests.files)
        for _ in 0..<2 {
            let outcome = try client.get("\(lighttpd.url)/digest/", proxy: proxy.port)
            #expect(outcome.status == 200, "\(outcome) \(proxy.log)")
            #expect(outcome.body == "lighttpd digest\n")
        }
        let entries = try lighttpd.log.wait(for: 3)
        #expect(entries.map(\.status) == [401, 200, 200])
        #expect(entries.dropFirst().allSatisfy { $0.authorization.contains("userhash=true") })
        #expect(entries.allSatisfy { !$0.authorization.contains(Login.username) })
    }

    @Test("A-9 nginx's Basic is answered once and then sent ahead", arguments: Client.allCases)
    func nginx(_ client: Client) throws {
        let nginx = try Nginx()
        let proxy = try RunningProxy(RealServersTests.origins, workers: 1, files: RealServersTests.files)
        for _ in 0..<3 {
            let outcome = try client.get("\(nginx.url)/basic/", proxy: proxy.port)
            #expect(outcome.status == 200, "\(outcome) \(proxy.log)")
            #expect(outcome.body == "nginx basic\n")
        }
        #expect(try nginx.log.wait(for: 4).map(\.status) == [401, 200, 200, 200])
        // Where nothing is demanded, nothing is sent.
        #expect(try client.get("\(nginx.url)/open/", proxy: proxy.port).status == 200)
        #expect(try nginx.log.wait(for: 5).last?.authorization == "")
    }

    @Test(
        "A-13 a client of ours never sees squid's 407",
        arguments: [Squid.Demand.basic, .digest],
        Client.allCases
    )
    func parent(_ demand: Squid.Demand, _ client: Client) throws {
        let squid = try Squid(demanding: demand)
        let nginx = try Nginx()
        let proxy = try RunningProxy(RealServersTests.through(squid), workers: 1, files: RealServersTests.files)
        for _ in 0..<3 {
            let outcome = try client.get("\(nginx.url)/open/", proxy: proxy.port)
            #expect(outcome.status == 200, "\(outcome) \(proxy.log)")
            #expect(outcome.body == "nginx open\n")
        }
        #expect(try squid.log.wait(for: 4).map(\.status) == [407, 200, 200, 200])
        #expect(try nginx.log.wait(for: 3).map(\.authorization) == ["", "", ""])
    }

    @Test("A-4b through squid at its defaults with 64 connections and Digest no 407 reaches a client")
    func manyThroughSquid() throws {
        let squid = try Squid(demanding: .digest)
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let proxy = try RunningProxy(RealServersTests.through(squid), workers: 2, files: RealServersTests.files)
        let answers = try concurrently(64, within: .seconds(60)) { connection in
            let client = try proxy.connect(limit: .seconds(60))
            return try (0..<55).map { index in
                let target = "/\(connection)/\(index)"
                let response = try client.exchange(
                    "GET http://127.0.0.1:\(origin.port)\(target) HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\n\r\n"
                )
                return response.text == target ? response.status : -response.status
            }
        }
        #expect(answers.joined().allSatisfy { $0 == 200 }, "\(answers.map { $0.first { $0 != 200 } ?? 200 })")
        #expect(origin.requests.count == 64 * 55)
        // Each connection to squid has a nonce of its own, which squid takes 50 times, and a client may change its
        // connection on the way: a few challenges for each, where every request would bring one if counts were shared.
        let refusals = try squid.log.wait(for: 64 * 55).count { $0.status == 407 }
        #expect((64...64 * 4).contains(refusals), "\(refusals)")
    }

    @Test("H-15 a CONNECT through squid gets past its 407", arguments: [Squid.Demand.basic, .digest])
    func tunnel(_ demand: Squid.Demand) throws {
        let squid = try Squid(demanding: demand)
        let nginx = try Nginx()
        let proxy = try RunningProxy(RealServersTests.through(squid), workers: 1, files: RealServersTests.files)
        for _ in 0..<2 {
            let outcome = try Client.curl.get("\(nginx.url)/open/", proxy: proxy.port, ["--proxytunnel"])
            #expect(outcome.status == 200, "\(outcome) \(proxy.log)")
            #expect(outcome.body == "nginx open\n")
        }
        // squid logs a tunnel when it ends.
        let entries = try squid.log.wait(for: 3)
        #expect(entries.map(\.method) == ["CONNECT", "CONNECT", "CONNECT"])
        #expect(entries.map(\.status) == [407, 200, 200])
        // Inside a tunnel the proxy answers nothing.
        let inside = try Client.curl.get("\(nginx.url)/basic/", proxy: proxy.port, ["--proxytunnel"])
        #expect(inside.status == 401)
    }

    @Test("A-1 a 407 and a 401 are answered in one exchange", arguments: [Squid.Demand.basic, .digest])
    func both(_ demand: Squid.Demand) throws {
        let squid = try Squid(demanding: demand)
        let apache = try Apache()
        let lighttpd = try Lighttpd()
        let proxy = try RunningProxy(RealServersTests.through(squid), workers: 1, files: RealServersTests.files)
        let first = try Client.curl.get("\(apache.url)/digest/", proxy: proxy.port)
        #expect(first.status == 200, "\(first) \(proxy.log)")
        #expect(try squid.log.wait(for: 3).map(\.status) == [407, 401, 200])
        #expect(try apache.log.wait(for: 2).map(\.status) == [401, 200])
        let second = try Client.curl.get("\(lighttpd.url)/digest/", proxy: proxy.port)
        #expect(second.body == "lighttpd digest\n", "\(second) \(proxy.log)")
        #expect(try squid.log.wait(for: 5).map(\.status) == [407, 401, 200, 401, 200])
    }

    @Test("A-21 each Digest of httpbin's is answered", arguments: ["auth", "auth-int"], ["MD5", "SHA-256"])
    func httpbin(_ qop: String, _ algorithm: String) throws {
        let httpbin = try HTTPBin()
        let rules = """
            credentials:
              staff: { username: alice, password: { value: sesame } }
            rules:
              - { space: { host: 127.0.0.1, port: any }, use: staff }

            """
        let proxy = try RunningProxy(rules, workers: 1)
        let url = "\(httpbin.url)/digest-auth/\(qop)/alice/sesame/\(algorithm)"
        for client in Client.allCases {
            let outcome = try client.get(url, proxy: proxy.port)
            #expect(outcome.status == 200, "\(client): \(outcome) \(proxy.log)")
            #expect(outcome.body.contains(#""authenticated": true"#))
        }
        let entries = try httpbin.log.wait(for: 4)
        #expect(entries.map(\.status) == [401, 200, 200, 200])
        #expect(entries.dropFirst().allSatisfy { $0.authorization.contains("qop=\(qop),") }, "\(entries)")
    }

    @Test("A-21 httpbin's SHA-512 is no algorithm of RFC 7616, so its challenge goes to the client")
    func httpbinUnknownAlgorithm() throws {
        let httpbin = try HTTPBin()
        let proxy = try RunningProxy(RealServersTests.origins, workers: 1, files: RealServersTests.files)
        let response = try proxy.get("\(httpbin.url)/digest-auth/auth/\(Login.username)/x/SHA-512")
        #expect(response.status == 401)
        #expect(response["WWW-Authenticate"]?.contains("SHA-512") == true)
        #expect(try httpbin.log.wait(for: 1).map(\.authorization) == [""])
    }

    @Test("A-5 httpbin's stale nonces: one is replaced, one that never ends is told")
    func httpbinStale() throws {
        let httpbin = try HTTPBin()
        let rules = """
            credentials:
              staff: { username: alice, password: { value: sesame } }
            rules:
              - { space: { host: 127.0.0.1, port: any }, use: staff }

            """
        let proxy = try RunningProxy(rules, workers: 1)
        let url = "\(httpbin.url)/digest-auth/auth/alice/sesame/MD5"
        #expect(try proxy.get(url).status == 200)
        let used = try #require(try httpbin.log.wait(for: 2).map(\.authorization).max())
        let nonce = try #require(used.split(separator: "nonce=\"").dropFirst().first?.split(separator: "\"").first)
        // The count of httpbin travels in cookies: the nonce named is called stale.
        #expect(try proxy.get(url, ["Cookie: last_nonce=\(nonce)"]).status == 200)
        #expect(try httpbin.log.wait(for: 4).map(\.status) == [401, 200, 401, 200])
        let endless = try proxy.get(url, ["Cookie: stale_after=0"])
        #expect(endless.status == 401)
        #expect(endless["Proxy-Status"]?.contains("digest.stale") == true, "\(endless.head.text)")
        // One sent ahead, the answer to its refusal (A-6), and three more whose nonces are called stale too.
        let statuses = try httpbin.log.wait(for: 9).map(\.status)
        #expect(statuses == [401, 200, 401, 200, 401, 401, 401, 401, 401])
    }
}
