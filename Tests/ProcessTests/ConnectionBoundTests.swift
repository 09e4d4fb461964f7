import Support
import Testing

/// Whose a connection is that NTLM or Negotiate authenticated, and how it is used.
@Suite struct ConnectionBoundTests {
    @Test("C-1 200 clients of one identity that come one after the other share a few handshakes", arguments: [1, 2])
    func sequential(_ workers: Int) throws {
        let acceptor = try Acceptor(["NTLM"])
        let proxy = try RunningProxy(Bound.rules(), workers: workers)
        for number in 0..<200 {
            let response = try proxy.get("\(acceptor.url)/\(number)")
            #expect(response.status == 200 && response["X-Identity"]?.hasSuffix("alice") == true)
        }
        let legs = acceptor.legs
        #expect(legs.handshakes <= workers)
        #expect(legs.count <= 200 + 2 * workers)
    }

    @Test("C-1 200 clients of one identity, ten at a time, share a few handshakes to an origin and at a parent")
    func concurrent() throws {
        let origin = try Acceptor(["NTLM"])
        let parent = try Acceptor(["NTLM"]) { $0.proxy = true }
        let proxy = try RunningProxy(Bound.rules("ntlm", ", cleartext: [ntlm]") + Bound.through(parent), workers: 2)
        #expect(try proxy.get("\(origin.url)/").status == 200)
        let statuses = try concurrently(10) { index in
            try (0..<20).map { try proxy.get("\(origin.url)/\(index)/\($0)").status }
        }
        #expect(statuses.allSatisfy { $0.allSatisfy { $0 == 200 } })
        // One for each that is under way at the same time, on either loop.
        #expect(origin.legs.handshakes <= 20)
        #expect(parent.legs.handshakes <= 20)
    }

    @Test("C-1 one exchange at a time goes on an authenticated connection, and it stays with its identity")
    func oneAtATime() throws {
        let acceptor = try Acceptor(["NTLM"])
        let proxy = try RunningProxy(Bound.rules(), workers: 1)
        let client = try proxy.connect()
        for number in 0..<5 {
            let response = try client.exchange("GET \(acceptor.url)/\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(response["X-Connection"] == "0")
        }
        #expect(try acceptor.wait(for: 7).map(\.status) == [401, 401, 200, 200, 200, 200, 200])
    }

    @Test("S-4 who has no rule doesn't get the connection of who has")
    func others() throws {
        let acceptor = try Acceptor(["NTLM"])
        let proxy = try RunningProxy(Bound.rules("ntlm", ", clients: [127.0.0.2]"), workers: 1)
        let get = "GET \(acceptor.url)/ HTTP/1.1\r\nHost: h\r\n\r\n"
        #expect(try proxy.connect(from: "127.0.0.2").exchange(get).status == 200)
        for _ in 0..<3 { #expect(try proxy.connect(from: "127.0.0.3").exchange(get).status == 401) }
        #expect(try proxy.connect(from: "127.0.0.2").exchange(get).status == 200)
        #expect(acceptor.legs.filter { $0.status == 200 }.connections == 1)
    }

    @Test("A-15 a cross-site request doesn't go on an authenticated connection")
    func crossSite() throws {
        let acceptor = try Acceptor(["NTLM"])
        let proxy = try RunningProxy(Bound.rules(), workers: 1)
        #expect(try proxy.get("\(acceptor.url)/").status == 200)
        #expect(try proxy.get("\(acceptor.url)/", ["Sec-Fetch-Site: cross-site"]).status == 401)
        #expect(try proxy.get("\(acceptor.url)/", ["Authorization: Basic eDp5"]).status == 401)
        #expect(try proxy.get("\(acceptor.url)/").status == 200)
        #expect(acceptor.legs.handshakes == 1)
    }

    @Test(
        "S-4 of two identities that ask one origin over connections that drop, none gets what is the other's",
        .timeLimit(.minutes(10)),
        arguments: [401, 407]
    )
    func twoIdentities(_ status: Int) throws {
        let drops: (inout Acceptor.Options) -> Void = { options in
            options.drops.before = 0.01
            options.drops.after = 0.03
            options.fields = false
            options.proxy = status == 407
        }
        let guarded = try Acceptor(["NTLM"], drops)
        let open = try Acceptor([])
        let target = status == 407 ? open.url : guarded.url
        let space = "host: 127.0.0.1, port: \(guarded.port), method: [ntlm]\(status == 407 ? ", proxy: true" : "")"
        let route =
            status == 407
            ? "proxies: { up: { url: \"\(guarded.url)\" } }\nroutes: [{ host: \"*\", via: up }]\n" : ""
        let proxy = try RunningProxy(
            Bound.credentials + """
                rules:
                  - { space: { \(space) }, use: alice, clients: [127.0.0.2] }
                  - { space: { \(space) }, use: bob, clients: [127.0.0.3] }
                \(route)
                """,
            workers: 2
        )
        let each = Deadline.isSoaking ? 834 : 84
        let field = status == 407 ? "X-Parent-Identity" : "X-Identity"
        let wrong = try concurrently(12, within: .seconds(540)) { index in
            let (source, name) = index % 2 == 0 ? ("127.0.0.2", "alice") : ("127.0.0.3", "bob")
            var client = try proxy.connect(from: source)
            var wrong: [String] = []
            for number in 0..<each {
                // Some keep their connection, some come anew each time.
                if number % (index % 3 * 5 + 1) == 0 { client = try proxy.connect(from: source) }
                let response = try client.exchange("GET \(target)/\(index)/\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
                let identity = response[field] ?? ""
                if response.status != 200 || !identity.hasSuffix(name) {
                    wrong.append("\(name): \(response.status) \(identity) \(response["Proxy-Status"] ?? "")")
                }
            }
            return wrong
        }
        #expect(wrong.flatMap { $0 } == [])
        #expect(guarded.legs.haveTokensOfTheirOwn)
    }

    @Test("C-7 a connection that ends is authenticated afresh, and no token is sent twice", arguments: [true, false])
    func ended(_ isSilent: Bool) throws {
        let acceptor = try Acceptor(["NTLM"]) {
            $0.closesAfter = 5
            $0.silent = isSilent
        }
        let proxy = try RunningProxy(Bound.rules(), workers: 1)
        for number in 0..<20 { #expect(try proxy.get("\(acceptor.url)/\(number)").status == 200) }
        #expect(acceptor.legs.haveTokensOfTheirOwn)
        #expect(acceptor.legs.handshakes >= 4)
        #expect(acceptor.legs.handshakes <= 8)
    }

    @Test("C-1 a server that authenticates each request anew is answered each time")
    func neverPersists() throws {
        let acceptor = try Acceptor(["NTLM"]) { $0.persists = false }
        let proxy = try RunningProxy(Bound.rules(), workers: 1)
        for number in 0..<6 { #expect(try proxy.get("\(acceptor.url)/\(number)").status == 200) }
        try eventually("six handshakes") { acceptor.legs.handshakes == 6 }
    }

    @Test("C-8 a client's own handshake goes on one upstream connection, which is nobody else's")
    func ownHandshake() throws {
        let acceptor = try Acceptor(["NTLM"])
        let proxy = try RunningProxy("", workers: 1)
        let login = ["--ntlm", "--user", "CORP\\alice:open sesame", "-D", "-"]
        let got = try Client.curl.get(acceptor.url, proxy: proxy.port, login)
        #expect(got.status == 200)
        #expect(got.body.lowercased().contains("proxy-support: session-based-authentication"))
        #expect(acceptor.legs.filter { $0.status == 200 || $0.leg == "first" }.connections == 1)
        // What curl left behind is not there for others, nor does it disturb them.
        for _ in 0..<3 { #expect(try proxy.get(acceptor.url).status == 401) }
        #expect(try Client.curl.get(acceptor.url, proxy: proxy.port, login).status == 200)
    }

    @Test("C-8 a client's own handshake with a parent, by an explicit disposition, goes on one upstream connection")
    func ownHandshakeWithParent() throws {
        let origin = try Acceptor([])
        let parent = try Acceptor(["NTLM"]) { $0.proxy = true }
        let proxy = try RunningProxy(
            """
            rules: [{ space: { host: 127.0.0.1, port: \(parent.port), proxy: true }, disposition: default }]
            proxies: { up: { url: "\(parent.url)" } }
            routes: [{ host: "*", via: up }]
            """,
            workers: 1
        )
        for form in [[], ["--proxytunnel"]] {
            let login = ["--proxy-ntlm", "--proxy-user", "CORP\\bob:let me in"] + form
            #expect(try Client.curl.get(origin.url, proxy: proxy.port, login).status == 200)
            #expect(try Client.curl.get(origin.url, proxy: proxy.port).status == 407)
        }
    }
}
