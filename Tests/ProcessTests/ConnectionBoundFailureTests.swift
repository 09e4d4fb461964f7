import Support
import Testing

/// Handshakes that fail: by the server, by the password, by Kerberos.
@Suite struct ConnectionBoundFailureTests {
    @Test(
        "C-5 a server that closes in the handshake ends in one clear 502",
        arguments: [Acceptor.Closing.each, .more],
        [true, false]
    )
    func closing(_ closing: Acceptor.Closing, _ isSilent: Bool) throws {
        let acceptor = try Acceptor(["NTLM"]) {
            $0.closes = closing
            $0.silent = isSilent
        }
        let proxy = try RunningProxy(Bound.rules(), workers: 1)
        let response = try proxy.get("\(acceptor.url)/")
        #expect(response.status == 502)
        #expect(response["WWW-Authenticate"] == nil)
        #expect(reason(of: response)?.isEmpty == false)
        #expect(acceptor.legs.count <= 6)
        #expect(acceptor.legs.allSatisfy { $0.leg != "last" })
    }

    @Test(
        "C-5 a server that closes behind its first challenge is answered on another connection",
        arguments: [true, false]
    )
    func closingFirst(_ isSilent: Bool) throws {
        let acceptor = try Acceptor(["NTLM"]) {
            $0.closes = .first
            $0.silent = isSilent
        }
        let proxy = try RunningProxy(Bound.rules(), workers: 1)
        #expect(try proxy.get("\(acceptor.url)/").status == 200)
        #expect(try acceptor.wait(for: 3).map(\.connection) == [0, 1, 1])
    }

    @Test("A-7 a wrong password over NTLM costs one attempt, however many ask", arguments: [401, 407])
    func wrongPassword(_ status: Int) throws {
        let origin = try Acceptor([])
        let guarded = try Acceptor(["NTLM"]) { $0.proxy = status == 407 }
        let login = "credentials: { bob: { username: bob, password: { value: wrong } } }\n"
        let rules =
            status == 407
            ? Bound.through(guarded) : "rules: [{ space: { host: 127.0.0.1, port: any, method: [ntlm] }, use: bob }]"
        let proxy = try RunningProxy(login + rules, workers: 2)
        let url = status == 407 ? origin.url : guarded.url
        let statuses = try concurrently(12) { index in
            try (0..<4).map { try proxy.get("\(url)/\(index)/\($0)").status }
        }
        #expect(statuses.allSatisfy { $0.allSatisfy { $0 == (status == 407 ? 502 : 401) } })
        #expect(guarded.legs.count { $0.leg == "last" } == 1)
        let last = try proxy.get("\(url)/")
        #expect(reason(of: last) == "credential.withheld")
    }

    @Test("A-6 a policy that refuses one target costs one attempt there, and nothing elsewhere")
    func policy() throws {
        let acceptor = try Acceptor(["NTLM"]) { $0.refused = ["/b/"] }
        let proxy = try RunningProxy(Bound.rules(), workers: 1)
        #expect(try proxy.get("\(acceptor.url)/a/fine").status == 200)
        for _ in 0..<4 { #expect(try proxy.get("\(acceptor.url)/b/locked").status == 401) }
        for _ in 0..<4 { #expect(try proxy.get("\(acceptor.url)/a/fine").status == 200) }
        #expect(acceptor.legs.count { $0.target == "/b/locked" && $0.leg == "last" } == 1)
    }

    /// An origin that offers Negotiate and Basic; a ticket comes first, a password behind it.
    private func ladder(_ realm: KerberosRealm, _ login: String) throws -> (Acceptor, RunningProxy, RunningProxy) {
        let acceptor = try Acceptor(["Negotiate", "Basic"], realm: realm, keytab: realm.keytab("HTTP/localhost"))
        let credentials = Bound.credentials + "  ticket: { kerberos: { \(login) } }\n"
        let first = "{ space: { host: localhost, port: any, method: [negotiate] }, use: ticket }"
        let second = "{ space: { host: localhost, port: any, method: [basic] }, use: alice, cleartext: [basic] }"
        let both = try RunningProxy(
            credentials + "rules: [\(first), \(second)]\n",
            environment: realm.environment
        )
        let one = try RunningProxy(credentials + "rules: [\(first)]\n", environment: realm.environment)
        return (acceptor, both, one)
    }

    /// A ticket that can't be had for that reason yields to the next offer, and is told where there is none.
    private func yields(_ realm: KerberosRealm, _ login: String, _ code: String) throws {
        let (acceptor, both, one) = try ladder(realm, login)
        let response = try both.get("http://localhost:\(acceptor.port)/")
        #expect(response.status == 200 && response["X-Identity"] == "alice")
        let refused = try one.get("http://localhost:\(acceptor.port)/")
        #expect(refused.status == 401)
        #expect(reason(of: refused) == code)
        #expect(acceptor.legs.allSatisfy { $0.scheme != "Negotiate" })
    }

    private static let password = "password: { value: \"open sesame\" }"

    @Test("A-19 a KDC that is down has its own reason, and yields to the next offer")
    func kdcDown() throws {
        let realm = try KerberosRealm(users: Acceptor.users)
        let keytab = try realm.keytab("alice")
        realm.stop()
        try yields(realm, "principal: alice, \(Self.password)", "kerberos.kdc-unreachable")
        try yields(realm, "principal: alice, keytab: \(keytab)", "kerberos.kdc-unreachable")
    }

    @Test("A-19 an unknown principal has its own reason, and yields to the next offer")
    func unknownPrincipal() throws {
        let realm = try KerberosRealm(users: Acceptor.users)
        try yields(realm, "principal: nobody, \(Self.password)", "kerberos.unknown-principal")
    }

    @Test("A-19 a service that the realm doesn't know has its own reason, and yields to the next offer")
    func unknownService() throws {
        let realm = try KerberosRealm(users: Acceptor.users)
        try yields(
            realm,
            "principal: alice, \(Self.password), spn: HTTP/other.test",
            "kerberos.unknown-service"
        )
    }

    @Test("A-19 a cache without a ticket, and one whose ticket has expired, have their own reasons, and yield")
    func noTicket() throws {
        let realm = try KerberosRealm(users: Acceptor.users)
        try yields(realm, "ccache: \"\(realm.cache("none"))\"", "kerberos.no-ticket")
        let cache = try realm.login("alice", password: "open sesame", cache: "short", options: ["-l", "1s"])
        pause(.seconds(3))
        try yields(realm, "ccache: \"\(cache)\"", "kerberos.ticket-expired")
    }

    @Test("C-10 a ticket that appears later is noticed")
    func laterTicket() throws {
        let realm = try KerberosRealm(users: Acceptor.users)
        let (acceptor, _, one) = try ladder(realm, "")
        #expect(try one.get("http://localhost:\(acceptor.port)/").status == 401)
        try realm.login("alice", password: "open sesame")
        try eventually("the ticket to be noticed") { try one.get("http://localhost:\(acceptor.port)/").status == 200 }
    }

    @Test("C-10 a clock that is off is told as such, and yields to the next offer")
    func clockSkew() throws {
        let realm = try KerberosRealm(users: Acceptor.users)
        let cache = try realm.login("alice", password: "open sesame", cache: "early")
        realm.stop()
        try realm.start(clockOffset: 3600)
        try yields(realm, "ccache: \"\(cache)\"", "kerberos.clock-skew")
    }

    @Test("A-7 a wrong password over Kerberos costs one attempt at the KDC, however many ask")
    func wrongKerberosPassword() throws {
        let realm = try KerberosRealm(users: Acceptor.users)
        let acceptor = try Acceptor(["Negotiate"], realm: realm, keytab: realm.keytab("HTTP/localhost"))
        let proxy = try RunningProxy(
            """
            credentials: { it: { kerberos: { principal: alice, password: { value: wrong } } } }
            rules: [{ space: { host: localhost, port: any }, use: it }]
            """,
            workers: 2,
            environment: realm.environment
        )
        let statuses = try concurrently(8) { index in
            try (0..<3).map { try proxy.get("http://localhost:\(acceptor.port)/\(index)/\($0)").status }
        }
        #expect(statuses.allSatisfy { $0.allSatisfy { $0 == 401 } })
        #expect(realm.count("PREAUTH_FAILED") == 1)
        #expect(reason(of: try proxy.get("http://localhost:\(acceptor.port)/")) == "credential.withheld")
        #expect(acceptor.legs.allSatisfy { $0.scheme.isEmpty })
    }
}
