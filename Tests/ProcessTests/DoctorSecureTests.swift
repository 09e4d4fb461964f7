import Support
import Testing

/// `countersign doctor` towards TLS, parents, NTLM and Kerberos.
@Suite struct DoctorSecureTests {
    private static let authority = Result { try TestAuthority() }

    private static func upgraded(_ port: UInt16, anchors: String, pins: String = "") -> String {
        """
        trust: [{ host: localhost, anchors: { file: \(anchors) }\(pins) }]
        routes: [{ host: localhost, upgrade: "https:\(port)" }]

        """
    }

    @Test("O-8 TLS is told with version, cipher and chain, and judged by the host's policy and its pins")
    func accepted() throws {
        let authority = try Self.authority.get()
        let leaf = try authority.leaf("doctored", names: "DNS:localhost")
        let server = try Nginx(leaf)
        let pin = try authority.pin(of: leaf.certificate)
        let rules = Self.upgraded(server.port, anchors: authority.certificate, pins: ", pins: [\"\(pin)\"]")
        let doctor = try Doctor("http://localhost/", rules)
        #expect(
            doctor.verdicts.starts(with: ["rules", "route", "resolve", "connect", "tls", "trust"]),
            "\(doctor.steps)"
        )
        #expect(doctor.saw("tls", "TLS 1.3, TLS_AES_"))
        #expect(doctor.saw("trust", "\(pin)  # CN=doctored"))
        #expect(doctor.saw("trust", "and pinned"))
    }

    @Test("O-8 a refused server ends the walk before anything is asked of it, with the reason code and the pins seen")
    func refused() throws {
        let authority = try Self.authority.get()
        let other = try TestAuthority("Other authority")
        let good = try authority.leaf("doctor-good", names: "DNS:localhost")
        let wrongPin = ", pins: [\"\(try authority.pin(of: other.certificate))\"]"
        let cases: [(TestAuthority.Leaf, String, String, String)] = [
            (try authority.leaf("doctor-name", names: "DNS:other.test"), authority.certificate, "", "host.mismatch"),
            (
                try authority.leaf("doctor-old", names: "DNS:localhost", days: -1), authority.certificate, "",
                "chain.expired"
            ),
            (good, authority.certificate, wrongPin, "pin.mismatch"), (good, other.certificate, "", "chain."),
        ]
        for (leaf, anchors, pins, code) in cases {
            let server = try Nginx(leaf)
            let doctor = try Doctor("http://localhost/", Self.upgraded(server.port, anchors: anchors, pins: pins))
            #expect(doctor.status == 1)
            #expect(doctor.verdicts.last == "trust fail", "\(doctor.steps)")
            #expect(doctor.saw("trust", code), "\(doctor.steps)")
            #expect(doctor.saw("trust", try authority.pin(of: leaf.certificate)))
            #expect(server.log.entries.isEmpty)
        }
    }

    @Test("O-8 no TLS where TLS is meant is told as such, and a tunnel that nobody opens is told, too")
    func tunnelled() throws {
        let peer = try ScriptedPeer { _ in [.response()] }
        let plain = try Doctor("https://127.0.0.1:\(peer.port)/", "", timeout: 1)
        #expect(plain.verdicts.last == "tls fail" && plain.saw("tls", "tls."), "\(plain.steps)")
        let authority = try Self.authority.get()
        let server = try Apache(try authority.leaf("doctor-apache", names: "DNS:localhost"), clients: authority)
        let trust = "trust: [{ host: localhost, anchors: { file: \(authority.certificate) } }]\n"
        let doctor = try Doctor("https://localhost:\(server.port)/basic/", trust)
        #expect(doctor.verdicts.last == "challenge warn", "\(doctor.steps)")
        #expect(doctor.cure("challenge")?.contains("interception.hosts") == true)
    }

    @Test("O-8 a parent's 407 is told and not answered, for a request and for a tunnel", arguments: ["http", "https"])
    func parent(_ scheme: String) throws {
        let squid = try Squid(demanding: .digest)
        let rules = """
            credentials: { alice: { username: alice, password: { value: canary-secret } } }
            proxies: { corp: { url: "http://127.0.0.1:\(squid.port)", use: alice } }
            routes: [{ via: corp }]

            """
        let doctor = try Doctor("\(scheme)://origin.test/", rules)
        #expect(doctor.status == 0, "\(doctor.steps)")
        #expect(doctor.verdicts == ["rules", "route", "connect", "parent corp: challenge"])
        #expect(doctor.saw("parent corp: challenge", "offers Digest realm=\"Squid digest\""))
        #expect(doctor.saw("parent corp: challenge", "by proxies.corp.use"))
        let unused = rules.split(separator: "\n").map { $0.replacing(", use: alice", with: "") }.joined(separator: "\n")
        let none = try Doctor("\(scheme)://origin.test/", unused + "\n")
        #expect(none.verdicts.last == "parent corp: challenge fail")
        #expect(none.cure("parent corp: challenge") == "give the parent a credential under 'use'")
    }

    @Test("O-8 behind a dead way the next one is gone, and through a parent's tunnel the origin is seen")
    func ways() throws {
        let authority = try Self.authority.get()
        let server = try Nginx(try authority.leaf("doctor-ways", names: "DNS:localhost"))
        let squid = try Squid(demanding: .nothing)
        let rules = """
            trust: [{ host: localhost, anchors: { file: \(authority.certificate) } }]
            proxies:
              dead: { url: "http://127.0.0.1:\(try FreePort.reserve())" }
              corp: { url: "http://127.0.0.1:\(squid.port)" }
            routes: [{ host: localhost, via: [dead, corp], upgrade: "https:\(server.port)" }]

            """
        let doctor = try Doctor("http://localhost/", rules)
        let expected = ["rules", "route", "connect", "connect", "parent corp: challenge", "tls", "trust"]
        #expect(doctor.steps.map(\.step).starts(with: expected), "\(doctor.steps)")
        #expect(doctor.steps.filter { $0.step == "connect" }.map(\.verdict) == ["warn", "ok"])
        #expect(doctor.saw("parent corp: challenge", "a tunnel to localhost:\(server.port), without a login"))
    }

    @Test("O-8 a PAC file is asked, and one that can't be had is told")
    func pac() throws {
        let folder = try ScratchFolder("doctor")
        let squid = try Squid(demanding: .basic)
        let script = "function FindProxyForURL(url, host) { return 'PROXY 127.0.0.1:\(squid.port)'; }\n"
        try folder.write(script, to: "wpad.dat")
        let rules = "routes: [{ pac: { file: wpad.dat }, via: direct }]\n"
        let doctor = try Doctor("http://origin.test/", rules, folder: folder)
        #expect(doctor.saw("route", "the PAC file says: PROXY 127.0.0.1:\(squid.port)"), "\(doctor.steps)")
        #expect(doctor.verdicts.last?.hasSuffix("challenge fail") == true)
        try folder.write("function FindProxy() {}\n", to: "wpad.dat")
        let broken = try Doctor("http://name.invalid/", rules, folder: folder)
        #expect(broken.verdicts.contains("route warn") && broken.saw("route", "pac.unavailable"), "\(broken.steps)")
    }

    @Test("O-8 NTLM's target is told by the names and the clock of its challenge")
    func ntlm() throws {
        let acceptor = try Acceptor(["NTLM"])
        let rules = """
            credentials: { alice: { username: alice, domain: CORP, password: { value: canary-secret } } }
            rules: [{ space: { host: 127.0.0.1, port: \(acceptor.port) }, use: alice }]

            """
        let doctor = try Doctor("http://127.0.0.1:\(acceptor.port)/", rules)
        #expect(doctor.status == 0, "\(doctor.steps)")
        #expect(doctor.verdicts == ["rules", "route", "connect", "challenge", "binding", "ntlm"])
        #expect(doctor.saw("ntlm", "target: "), "\(doctor.steps)")
        #expect(doctor.saw("ntlm", "by its NTLM challenge"), "\(doctor.steps)")
        #expect(doctor.saw("binding", "none goes with it"))
        #expect(acceptor.legs.allSatisfy { $0.status == 401 })
    }

    @Test("O-8 Kerberos is told by cache, principal and end, and whether there is a ticket for the service")
    func kerberos() throws {
        let realm = try KerberosRealm()
        let keytab = try realm.keytab("HTTP/localhost")
        let apache = try Apache(realm: realm, keytab: keytab, isBound: true)
        let url = "http://localhost:\(apache.port)/negotiate/"
        func rules(_ kerberos: String) -> String {
            """
            credentials: { ticket: { kerberos: { \(kerberos) } } }
            rules: [{ space: { host: localhost, port: \(apache.port) }, use: ticket }]

            """
        }
        let empty = try Doctor(url, rules("ccache: \"\(realm.cache("none"))\""), environment: realm.environment)
        #expect(empty.steps.first { $0.step == "ticket" }?.verdict == "fail", "\(empty.steps)")
        #expect(empty.saw("ticket", "kerberos.no-ticket"))
        try realm.login()
        let good = try Doctor(url, rules(""), environment: realm.environment)
        #expect(good.status == 0, "\(good.steps)")
        #expect(good.saw("ticket", "\(realm.principal("alice")), until 20"))
        #expect(good.saw("ticket", "there is a ticket for HTTP/localhost"))
        #expect(try apache.log.wait(for: 1).allSatisfy { $0.status == 401 })
        let unknown = try Doctor(url, rules("spn: HTTP/other.test"), environment: realm.environment)
        #expect(unknown.saw("ticket", "kerberos.unknown-service"), "\(unknown.steps)")
        let own = rules("principal: HTTP/localhost, keytab: \"\(keytab)\"")
        let service = try Doctor(url, own, environment: realm.environment)
        #expect(service.saw("ticket", "keys of \(realm.principal("HTTP/localhost"))"), "\(service.steps)")
        #expect(service.saw("ticket", "there is a ticket for HTTP/localhost"))
    }
}
