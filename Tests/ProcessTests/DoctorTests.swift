import Support
import Testing

/// `countersign doctor` against real servers: what each step sees of them, and how it would go.
@Suite struct DoctorTests {
    private static func rules(_ port: UInt16, _ more: String = "") -> String {
        """
        credentials: { alice: { username: alice, domain: CORP, password: { value: canary-secret } } }
        rules: [{ space: { host: localhost, port: \(port) }, use: alice\(more) }]

        """
    }

    @Test("O-8 a Digest challenge is told with what would answer it, and nothing is answered")
    func digest() throws {
        let apache = try Apache()
        let doctor = try Doctor("http://localhost:\(apache.port)/digest/", Self.rules(apache.port))
        #expect(doctor.verdicts == ["rules", "route", "resolve", "connect", "challenge"])
        #expect(doctor.status == 0 && doctor.errors.isEmpty)
        #expect(doctor.saw("connect", "127.0.0.1:\(apache.port): connected"))
        #expect(doctor.saw("challenge", "status 401"))
        #expect(doctor.saw("challenge", "no clock skew"))
        #expect(doctor.saw("challenge", "offers Digest realm=\"Digest staff\", nonce=\""))
        #expect(doctor.saw("challenge", "digest of realm \"Digest staff\" by rules[0]"))
        #expect(try apache.log.wait(for: 1).allSatisfy { !$0.authorization.contains("Digest") })
    }

    @Test("O-8 a challenge that nothing answers fails, and the cure says what is missing")
    func unanswered() throws {
        let apache = try Apache()
        let none = try Doctor("http://localhost:\(apache.port)/basic/", "")
        #expect(none.verdicts.last == "challenge fail")
        #expect(none.status == 1)
        #expect(none.saw("challenge", "the client gets the 401"))
        #expect(none.cure("challenge")?.contains("a rule whose space is this host") == true)
        #expect(try Doctor("http://localhost:\(apache.port)/open/", "").status == 0)
    }

    @Test("O-8 no value with a secret in it is sent, whatever is offered")
    func secrets() throws {
        let peer = try ScriptedPeer { _ in
            [
                .unauthorized(
                    "NTLM",
                    "Negotiate",
                    "Basic realm=\"r\"",
                    "Digest realm=\"r\", nonce=\"n\"",
                    "Bearer realm=\"r\"",
                    body: ""
                )
            ]
        }
        let rules = """
            credentials:
              alice: { username: alice, domain: CORP, password: { value: canary-secret } }
              token: { token: { value: canary-token } }
              key: { header: { X-Api-Key: { value: canary-key } } }
            rules:
              - { space: { host: 127.0.0.1, port: \(peer.port) }, use: key }
              - { space: { host: 127.0.0.1, port: \(peer.port) }, use: token }
              - { space: { host: 127.0.0.1, port: \(peer.port) }, use: alice }

            """
        let doctor = try Doctor("http://127.0.0.1:\(peer.port)/", rules)
        #expect(doctor.steps.contains { $0.step == "challenge" && $0.verdict == "ok" }, "\(doctor)")
        let heads = peer.requests.map(\.head)
        #expect(heads.count == 2)
        #expect(peer.requests.map { $0["X-Api-Key"] } == [nil, nil])
        // [MS-NLMP 2.2.1.1] with no domain and no workstation.
        #expect(
            peer.requests.map { $0["Authorization"] }
                == [nil, "NTLM TlRMTVNTUAABAAAAB4IIAAAAAAAAAAAAAAAAAAAAAAA="]
        )
        let all = doctor.steps.flatMap(\.saw).joined()
        #expect(!all.contains("canary"))
    }

    @Test("O-8 a name without an address, a dead port and a silent one fail within the time, each by its reason code")
    func unreachable() throws {
        let dead = try FreePort.reserve()
        let silent = try BlackHole()
        let mute = try ScriptedPeer { _ in [.hang] }
        let cases = [
            ("http://name.invalid/", "resolve", "dns.failed"),
            ("http://127.0.0.1:\(dead)/", "connect", "route.unreachable"),
            ("http://127.0.0.1:\(silent.port)/", "connect", "route.timeout"),
            ("http://127.0.0.1:\(mute.port)/", "challenge", "response.timeout"),
        ]
        for (url, step, code) in cases {
            let doctor = try Doctor(url, "", timeout: 1)
            #expect(doctor.status == 1)
            #expect(doctor.verdicts.last == "\(step) fail", "\(doctor.steps)")
            #expect(doctor.saw(step, code), "\(doctor.steps)")
        }
    }

    @Test("O-8 what access refuses is told and not dialled")
    func refused() throws {
        let peer = try ScriptedPeer { _ in [.response()] }
        let denied = try Doctor(
            "http://127.0.0.1:\(peer.port)/",
            "access: { destinations: { deny: [127.0.0.0/8] } }\n"
        )
        #expect(denied.verdicts == ["rules", "route fail"])
        let named = try Doctor(
            "http://localhost:\(peer.port)/",
            "access: { destinations: { deny: [127.0.0.0/8, \"::1\"] } }\n"
        )
        #expect(named.verdicts.last == "connect fail")
        #expect(named.saw("connect", "access.destinations refuses it"))
        #expect(peer.connectionCount == 0)
    }

    @Test("O-8 a withheld credential fails, and the cure releases it")
    func withheld() throws {
        let apache = try Apache()
        let proxy = try RunningProxy(Self.rules(apache.port))
        #expect(try proxy.get("http://localhost:\(apache.port)/digest/").status == 401)
        let doctor = try Doctor(
            "http://localhost:\(apache.port)/digest/",
            Self.rules(apache.port),
            folder: proxy.folder
        )
        #expect(doctor.verdicts.last == "challenge fail", "\(doctor.steps)")
        #expect(doctor.saw("challenge", "credential.withheld: 'alice' was rejected by origin http://localhost"))
        #expect(doctor.cure("challenge")?.contains("countersign release alice") == true)
    }

    @Test("O-8 the text has a block a step, with the cure last")
    func text() throws {
        let folder = try ScratchFolder("doctor")
        let file = try folder.write("version: 1\n", to: "a.yaml", mode: 0o600)
        let outcome = try Binary.run(["doctor", "http://name.invalid/", "-c", file])
        #expect(outcome.status == 1)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "ok    rules")
        #expect(lines.contains("fail  resolve"))
        #expect(lines.contains { $0.hasPrefix("      cure: look at the spelling") })
        #expect(lines.last == "this would fail: resolve")
    }
}
