import Support
import Testing

/// An origin's 401 and a parent's 407 in one exchange: each pair of schemes, in each form that a request takes.
@Suite struct ConnectionBoundMatrixTests {
    private static let schemes = ["Basic", "Digest", "NTLM", "Negotiate"]

    /// Four origins in the clear, four over TLS and four parents. The host that is asked for names the parent's scheme, the
    /// port the origin's.
    private struct Bed {
        let realm: KerberosRealm
        let plain: [Acceptor]
        let secure: [Acceptor]
        let parents: [Acceptor]
        let proxy: RunningProxy
        let authority: TestAuthority

        init() throws {
            let hosts = schemes.map { "\($0.lowercased()).hop.test" }
            let services = (hosts + ["127.0.0.1"]).map { "HTTP/\($0)" }
            realm = try KerberosRealm(services: services, users: Acceptor.users)
            let keytab = try realm.keytab(services.joined(separator: " "))
            authority = try TestAuthority()
            let leaf = try authority.leaf("origins", names: hosts.map { "DNS:\($0)" }.joined(separator: ","))
            let (realm, own) = (realm, authority)
            plain = try schemes.map { try Acceptor([$0], realm: realm, keytab: keytab) }
            secure = try schemes.map { try Acceptor([$0], leaf: leaf, realm: realm, keytab: keytab) }
            parents = try schemes.map { try Acceptor([$0], realm: realm, keytab: keytab) { $0.proxy = true } }
            let (all, ups) = (zip(schemes + schemes, plain + secure), zip(schemes, parents))
            let rules = all.map { scheme, origin in
                let method = scheme.lowercased()
                let cleartext = ["basic", "ntlm"].contains(method) ? ", cleartext: [\(method)]" : ""
                return
                    "  - { space: { host: .hop.test, port: \(origin.port), method: \(method) }, use: alice\(cleartext) }\n"
            }
            proxy = try RunningProxy(
                Bound.credentials + """
                    rules:
                    \(rules.joined())
                    proxies:
                    \(ups.map { scheme, parent in
                        "  \(scheme): { url: \"\(parent.url)\", use: bob, method: [\(scheme.lowercased())] }\n"
                    }.joined())
                    routes:
                    \(schemes.map { "  - { host: \($0.lowercased()).hop.test, via: \($0) }\n" }.joined())
                    trust: [{ host: .hop.test, anchors: { file: \(own.certificate) } }]
                    interception:
                      authority: { certificate: \(own.certificate), private_key: { file: \(own.key) } }
                      hosts: [.hop.test]
                    """,
                workers: 1,
                environment: realm.environment
            )
        }

        func expect(
            _ origin: Int,
            _ parent: Int,
            _ text: String,
            _ path: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let client = try proxy.connect()
            let response = try client.exchange(text)
            let comment: Comment = """
                \(path): \(schemes[origin]) behind \(schemes[parent]): \(response.status) \(response["Proxy-Status"] ?? "")
                """
            #expect(response.status == 200, comment, sourceLocation: sourceLocation)
            let identity = response["X-Identity"] ?? ""
            #expect(identity.hasPrefix("alice"), comment, sourceLocation: sourceLocation)
            if !path.hasPrefix("https") {
                let other = response["X-Parent-Identity"] ?? ""
                #expect(other.hasPrefix("bob"), comment, sourceLocation: sourceLocation)
            }
            #expect(response["WWW-Authenticate"] == nil && response["Proxy-Authenticate"] == nil, comment)
        }
    }

    private static func host(_ parent: Int, _ acceptor: Acceptor) -> String {
        "\(schemes[parent].lowercased()).hop.test:\(acceptor.port)"
    }

    @Test("A-1 each scheme of an origin is answered behind each scheme of a parent: GET, POST and CONNECT")
    func pairs() throws {
        let bed = try Bed()
        for origin in 0..<4 {
            for parent in 0..<4 {
                let (plain, secure) = (Self.host(parent, bed.plain[origin]), Self.host(parent, bed.secure[origin]))
                // From nothing, again, and with a body; the second time nobody is asked.
                for path in ["get", "again"] {
                    try bed.expect(origin, parent, request("GET http://\(plain)/\(path) HTTP/1.1", ["Host: h"]), path)
                }
                try bed.expect(origin, parent, Bound.post("http://\(plain)/post/\(parent)", 5000), "post")
                // The connections are authenticated, or the values sent ahead: the body goes at once.
                let posted = { bed.plain[origin].legs.filter { $0.target == "/post/\(parent)" } }
                try eventually("the body to be told") { posted().last?.status == 200 }
                #expect(posted().map(\.body) == [5000])
                try bed.expect(origin, parent, request("GET https://\(secure)/get HTTP/1.1", ["Host: h"]), "https get")
                try bed.expect(origin, parent, Bound.post("https://\(secure)/post", 5000), "https post")
                let lines = [Bound.post("/opened", 700), "GET /opened HTTP/1.1\r\nHost: \(secure)\r\n\r\n"]
                let inside = lines.map { $0.split(separator: "Host: h\r\n").joined(separator: "Host: \(secure)\r\n") }
                let outcome = try TunnelClient.speak(
                    bed.proxy.port,
                    to: secure,
                    trusting: bed.authority.certificate,
                    inside
                )
                let pair: Comment = "\(Self.schemes[origin]) behind \(Self.schemes[parent]), opened"
                #expect(outcome.connect == 200, pair)
                #expect(outcome.replies.map(\.status) == [200, 200], pair)
                #expect(outcome.replies.allSatisfy { $0.fields["x-identity"]?.hasPrefix("alice") == true }, pair)
            }
        }
        // No handshake was begun twice with one token.
        for acceptor in bed.plain + bed.secure + bed.parents {
            #expect(acceptor.legs.haveTokensOfTheirOwn)
        }
    }

    @Test(
        "C-2 a ticket opens httpd behind squid, by keytab, password and cache, whether httpd binds its connections or not"
    )
    func realServers() throws {
        let realm = try KerberosRealm(users: Acceptor.users)
        let keytab = try realm.keytab("HTTP/localhost")
        let own = try realm.keytab("alice")
        let cache = try realm.login("alice", password: "open sesame", cache: "given")
        let squid = try Squid(demanding: .negotiate(keytab: keytab), realm: realm)
        let apaches = try [true, false].map { try Apache(realm: realm, keytab: keytab, isBound: $0) }
        let sources = [
            "principal: alice, keytab: \(own)", "principal: alice, password: { value: open sesame }",
            "ccache: \"\(cache)\"",
        ]
        for source in sources {
            let proxy = try RunningProxy(
                """
                credentials: { ticket: { kerberos: { \(source) } } }
                rules: [{ space: { host: localhost, port: any }, use: ticket }]
                proxies: { up: { url: "http://localhost:\(squid.port)", use: ticket } }
                routes: [{ host: localhost, port: \(apaches[0].port), via: direct }, { host: "*", via: up }]
                """,
                workers: 1,
                environment: realm.environment
            )
            for apache in apaches {
                for _ in 0..<3 {
                    let response = try proxy.get("http://localhost:\(apache.port)/negotiate/")
                    #expect(response.status == 200 && response.text == "apache negotiate\n", "\(source)")
                }
                try eventually("the user in httpd's log") {
                    apache.log.entries.contains { $0.authorization.hasPrefix(realm.principal("alice")) }
                }
            }
        }
    }
}
