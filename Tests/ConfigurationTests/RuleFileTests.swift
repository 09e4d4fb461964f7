import Authentication
import Bytes
import Crypto
import HTTP
import Rules
import Support
import Testing

@testable import Configuration

/// What good files mean.
@Suite struct RuleFileTests {
    @Test("the file of one line listens at 127.0.0.1:3128 and does nothing else") func smallest() throws {
        let configuration = try #require(load("version: 1\n").configuration)
        #expect(configuration.listeners.map(\.address) == [.tcp(.loopbackV4, 3128)])
        #expect(configuration.rules.rules.isEmpty)
    }

    @Test("a rule says what is written") func rule() throws {
        let text = withRule(
            """
            space:
                  host: [intranet.example.com, 10.0.0.0/8]
                  port: 8443
                  protocol: http
                  realm: { prefix: "AXIS_" }
                  method: [digest, basic]
                  path: /private/
                use: staff
                clients: [127.0.0.1, 10.1.0.0/16]
                preempt: never
                max_failures: 3
                cleartext: [basic]
                cross_site: true
                client_credential: replace
                placeholder: dummy
                charset: latin-1
                verify_server: true
            """
        )
        let rule = try #require(load(text, files: ["/run/pw": "hunter2\n"]).configuration?.rules.rules.first)
        #expect(rule.name == "rules[0]")
        #expect(rule.line == 5)
        #expect(
            rule.space.hosts.map(\.form) == [
                .exact("intranet.example.com"), .network(try #require(IPNetwork("10.0.0.0/8"))),
            ]
        )
        #expect(rule.space.port == .number(8443))
        #expect(rule.space.scheme == .http)
        #expect(rule.space.realm == .prefix(Array("AXIS_".utf8)))
        #expect(rule.space.methods == [.digest, .basic])
        #expect(rule.space.path?.bytes == Array("/private/".utf8))
        #expect(rule.clients?.count == 2)
        #expect(rule.preempt == .never)
        #expect(rule.maxFailures == 3)
        #expect(rule.withholdFor == nil)
        #expect(rule.cleartext == MethodSet([.basic]))
        #expect(rule.allowsCrossSite)
        #expect(rule.clientCredential == .replace)
        #expect(rule.placeholder == Array("dummy".utf8))
        #expect(rule.charset == .latin1)
        #expect(rule.verifiesServer)
        #expect(rule.credential?.name == "staff")
    }

    @Test("what isn't written has its default") func defaults() throws {
        let text = withRule("{ space: { host: a.example.com }, use: staff }")
        let rule = try #require(load(text, files: ["/run/pw": "x"]).configuration?.rules.rules.first)
        #expect(rule.space.port == .protocolDefault)
        #expect(rule.space.scheme == nil)
        #expect(rule.space.realm == .any)
        #expect(rule.space.methods == nil)
        #expect(!rule.space.isProxy)
        #expect(rule.clients == nil)
        #expect(rule.preempt == .learned)
        #expect(rule.maxFailures == 1)
        #expect(rule.cleartext.isEmpty)
        #expect(!rule.allowsCrossSite)
        #expect(rule.clientCredential == .keep)
        #expect(rule.charset == .utf8)
    }

    @Test("the empty realm is a realm, a list of realms is a list") func realms() throws {
        let text = withRule("{ space: { host: a.example.com, realm: [\"\", 0123] }, use: staff }")
        let rule = try #require(load(text, files: ["/run/pw": "x"]).configuration?.rules.rules.first)
        #expect(rule.space.realm == .oneOf([[], Array("0123".utf8)]))
    }

    @Test("'cleartext: true' means all that the rule answers") func cleartextTrue() throws {
        let text = withRule("{ space: { host: a.example.com }, use: staff, cleartext: true }")
        let rule = try #require(load(text, files: ["/run/pw": "x"]).configuration?.rules.rules.first)
        #expect(rule.cleartext == MethodSet([.basic, .ntlm]))
    }

    @Test("a proxy's use follows all rules, as a rule for its host and port") func proxies() throws {
        let text = """
            version: 1
            credentials: { corp: { username: alice, domain: CORP, password: { value: x } } }
            proxies:
              corp: { url: "http://proxy.corp.example:8080", use: [corp], method: digest, max_failures: 2 }
            routes: [{ host: "*", via: corp }]
            rules:
              - { space: { host: proxy.corp.example, proxy: true, realm: other }, disposition: cancel }
            """
        let result = load(text)
        let configuration = try #require(result.configuration)
        #expect(configuration.rules.rules.map(\.name) == ["rules[0]", "proxies.corp.use"])
        let rule = configuration.rules.rules[1]
        #expect(rule.space.isProxy && rule.space.port == .number(8080))
        #expect(rule.maxFailures == 2)
        #expect(configuration.parents.map(\.name) == ["corp"])
    }

    @Test("limits, time-outs, log and http are read") func settings() throws {
        let text = """
            version: 1
            limits: { connections: 5, head: 1KiB, fields: 6, target: 2KiB, replay_memory: 1, replay_disk: 2, replay_total: 3, upstream_connections_per_host: 7, drain_on_challenge: 4 }
            timeouts: { connect: 1s, tunnel_idle: 1h, drain: 0s }
            log: { format: json, level: debug, access: false, query: true }
            http: { via: office, upgrades: [WebSocket, h2c], userinfo: true, trace: true }
            """
        let configuration = try #require(load(text).configuration)
        let limits = configuration.limits
        #expect(limits.connections == 5)
        #expect(limits.head == 1024)
        #expect(limits.fields == 6)
        #expect(limits.target == 2048)
        #expect(limits.replayMemory == 1)
        #expect(limits.replayDisk == 2)
        #expect(limits.replayTotal == 3)
        #expect(limits.upstreamConnectionsPerHost == 7)
        #expect(limits.drainOnChallenge == 4)
        #expect(configuration.timeouts.connect == 1_000_000_000)
        #expect(configuration.timeouts.tunnelIdle == 3_600_000_000_000)
        #expect(configuration.timeouts.drain == 0)
        #expect(configuration.log.format == .json && configuration.log.level == .debug)
        #expect(!configuration.log.access && configuration.log.query)
        #expect(configuration.http.via == "office" && configuration.http.userinfo && configuration.http.trace)
        #expect(configuration.http.upgrades == ["websocket", "h2c"])
    }

    @Test("state and spool are paths, with the environment's folders as defaults") func folders() throws {
        let written = try #require(load("version: 1\nstate: ~/x\nspool: y/z\n").configuration)
        #expect(written.state.folder == "/home/test/x")
        #expect(written.spool == "/etc/y/z")
        let environment = ["STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "TMPDIR": "/big"]
        let unwritten = try #require(load("version: 1\n", environment: environment).configuration)
        #expect(unwritten.state.folder == "/var/lib/a")
        #expect(unwritten.spool == "/big")
    }

    @Test("the example and the demo's file are good")
    func examples() throws {
        let example = String(decoding: try Fixture.bytes("conf/countersign.yaml"), as: UTF8.self)
        let secrets = ["/etc/secrets/staff": "hunter2\n"]
        #expect(said(example, files: secrets, environment: ["CORP_PASSWORD": "hunter2"]) == [])
        let demo = String(decoding: try Fixture.bytes("conf/demo.yaml"), as: UTF8.self)
        let configuration = try #require(load(demo).configuration)
        #expect(said(demo) == [])
        #expect(configuration.listeners.map(\.address) == [.tcp(.loopbackV4, 3128)])
    }

    @Test("what the example shows as a comment is good, too") func commentedExample() throws {
        let written = String(decoding: try Fixture.bytes("conf/countersign.yaml"), as: UTF8.self)
        let uncommented = written.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            let body = line.drop { $0 == " " }
            guard body.hasPrefix("# "), let colon = body.firstIndex(of: ":") else { return String(line) }
            let key = body[..<colon].dropFirst(2).drop { "- ".contains($0) }
            guard Masking.knownKeys.contains(String(key)) else { return String(line) }
            return String(line.prefix { $0 == " " }) + String(body.dropFirst(2))
        }
        let text = uncommented.joined(separator: "\n")
        var files = ["/etc/secrets/staff": "hunter2\n", "/etc/rules.d/a.yaml": "version: 1\n"]
        files["/etc/logins"] = RuleFileFixture.files["/run/htpasswd"]
        for name in ["company-ca", "spare", "interception"] { files["/etc/\(name).pem"] = ExampleCertificate.pem }
        files["/etc/interception.key"] = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
        let result = load(text, files: files, environment: ["CORP_PASSWORD": "hunter2"])
        let errors: [String] = result.diagnostics.filter { $0.severity == .error }.map(\.rendered)
        #expect(errors == [])
        #expect(text.contains("\ntrust:") && text.contains("\ninterception:"))
        #expect(text.contains("\nlimits:") && text.contains("\nstate:") && text.contains("\ninclude:"))
    }

    @Test("ten thousand rules are read, and none is compared with all others", .timeLimit(.minutes(1)))
    func manyRules() {
        let rules = (0..<10_000).map { "  - { space: { host: h\($0).example.com }, use: staff }\n" }.joined()
        let result = load(withRule("{ space: { host: x.example.org }, use: staff }\n" + rules), files: ["/run/pw": "x"])
        #expect(result.configuration?.rules.rules.count == 10_001)
        #expect(result.diagnostics.isEmpty)
    }
}
