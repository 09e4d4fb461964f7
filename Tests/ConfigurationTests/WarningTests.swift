import Testing

@testable import Configuration

/// What is legal but unsafe or useless, and what is neither.
@Suite struct WarningTests {
    private func warnings(_ rules: String, more: String = "") -> [String] {
        let text = """
            version: 1
            credentials:
              staff: { username: alice, password: { file: /run/pw } }
              other: { username: bob, password: { file: /run/pw } }
            rules:
              - { space: { host: only.example.org }, use: other }
              - { space: { host: only.example.net }, use: staff }
            \(rules)
            """ + more
        return said(text, files: ["/run/pw": "x"])
    }

    @Test(
        "a rule is hidden only by one that matches all that it does",
        arguments: [
            ("{ host: .example.com }", "{ host: '*.example.com' }", true),
            ("{ host: .example.com }", "{ host: [a.example.com, b.example.com] }", true),
            ("{ host: '*.example.com' }", "{ host: .example.com }", false),
            ("{ host: [a.example.com, b.example.com] }", "{ host: [b.example.com, a.example.com] }", true),
            ("{ host: a.example.com }", "{ host: [a.example.com, b.example.com] }", false),
            ("{ host: 10.0.0.0/8 }", "{ host: 10.1.0.0/16 }", true),
            ("{ host: 10.0.0.0/8 }", "{ host: 10.1.2.3 }", true),
            ("{ host: a.example.com, realm: X }", "{ host: a.example.com }", false),
            ("{ host: a.example.com, realm: [X, Y] }", "{ host: a.example.com, realm: Y }", true),
            ("{ host: a.example.com, realm: { prefix: X } }", "{ host: a.example.com, realm: XY }", true),
            ("{ host: a.example.com, port: any }", "{ host: a.example.com, port: 8080 }", true),
            ("{ host: a.example.com }", "{ host: a.example.com, port: 8080 }", false),
            ("{ host: a.example.com, protocol: http }", "{ host: a.example.com }", false),
            ("{ host: a.example.com, path: /a/ }", "{ host: a.example.com, path: /a/b }", true),
            ("{ host: a.example.com, path: /a/ }", "{ host: a.example.com }", false),
            ("{ host: a.example.com, method: [digest] }", "{ host: a.example.com }", false),
            ("{ host: a.example.com }", "{ host: a.example.com, method: [digest] }", true),
        ]
    )
    func hiding(first: String, second: String, hides: Bool) {
        let warnings = warnings("  - { space: \(first), use: staff }\n  - { space: \(second), use: other }")
        #expect(
            warnings == (hides ? ["9:5 warning: this rule never acts: the one in line 8 matches all that it does"] : [])
        )
    }

    @Test("clients count in hiding") func hidingByClients() {
        func warnings(_ first: String, _ second: String) -> [String] {
            self.warnings(
                """
                  - { space: { host: a.example.com }, use: staff\(first) }
                  - { space: { host: a.example.com }, use: other\(second) }
                """
            )
        }
        #expect(warnings(", clients: [10.0.0.0/8]", "").isEmpty)
        #expect(warnings(", clients: [10.0.0.0/8]", ", clients: [10.1.2.3]").count == 1)
        #expect(warnings("", ", clients: [10.1.2.3]").count == 1)
    }

    @Test("a rule for a parent and one for an origin don't hide each other") func proxyAndOrigin() {
        let warnings = warnings(
            "  - { space: { host: .corp.example }, use: staff }\n  - { space: { host: p.corp.example, proxy: true }, use: other }",
            more: "\nproxies: { p: { url: 'http://p.corp.example:8080' } }\nroutes: [{ via: p }]\n"
        )
        #expect(warnings == [])
    }

    @Test(
        "basic that nothing holds back is no warning",
        arguments: [
            "{ host: localhost, method: basic }", "{ host: 127.0.0.1, method: basic }",
            "{ host: '::1', method: basic }",
            "{ host: a.example.com, method: [basic, digest] }", "{ host: a.localhost, method: basic }",
        ]
    )
    func basicAllowed(space: String) { #expect(warnings("  - { space: \(space), use: staff }") == []) }

    @Test("a name that a route connects to this machine may be loopback") func routeToLoopback() {
        let more = "\nroutes: [{ host: a.example.com, to: { address: 127.0.0.1 } }]\n"
        #expect(warnings("  - { space: { host: a.example.com, method: basic }, use: staff }", more: more) == [])
    }

    @Test("a parent on this machine needs no cleartext") func loopbackParent() {
        let more =
            "\nproxies: { p: { url: 'http://127.0.0.1:8080', use: staff, method: basic } }\nroutes: [{ via: p }]\n"
        #expect(warnings("", more: more) == [])
    }

    @Test(
        "cleartext or a method, once written, is taken for meant",
        arguments: ["method: [digest]", "cleartext: false", "cleartext: []"]
    )
    func meantForParent(term: String) {
        let more =
            "\nproxies: { p: { url: 'http://p.corp.example:8080', use: staff, \(term) } }\nroutes: [{ via: p }]\n"
        #expect(warnings("", more: more) == [])
    }

    @Test("basic in cleartext to a parent is a warning, too") func cleartextForParent() {
        let more =
            "\nproxies: { p: { url: 'http://p.corp.example:8080', use: staff, cleartext: [basic] } }\nroutes: [{ via: p }]\n"
        #expect(
            warnings("", more: more) == [
                "9:75 warning: basic in cleartext: whoever is on the way can read the password"
            ]
        )
    }

    @Test("a listener beyond loopback is fine once it is said who may use it") func reachableListener() {
        let listener = "version: 1\nlisteners: [{ address: '0.0.0.0:3128'"
        #expect(said(listener + " }]\n").count == 1)
        #expect(said(listener + ", clients: [10.0.0.0/8] }]\n") == [])
        #expect(said(listener + " }]\naccess: { clients: [10.0.0.0/8] }\n") == [])
    }

    @Test("a ledger in memory is a warning where a password is used") func stateInMemory() {
        let text = withRule("{ space: { host: a.example.com }, use: staff }")
        let environment = EnvironmentSecrets(look: { _ in nil }, take: { _ in nil })
        let files = MemoryFiles(texts: ["/run/pw": "x", "/etc/x.yaml": text, "/etc/y.yaml": "version: 1\n"])
        let with = RuleFile.load(path: "/etc/x.yaml", environment: environment, files: files)
        #expect(
            with.diagnostics.map(\.message) == [
                "there is no folder for what is known of wrong passwords, so a restart forgets it: write 'state: PATH'"
            ]
        )
        #expect(RuleFile.load(path: "/etc/y.yaml", environment: environment, files: files).diagnostics == [])
    }

    @Test("a spool in memory is a warning") func spoolInMemory() {
        let text = withRule("{ space: { host: a.example.com }, use: staff }") + "\nspool: /dev/shm\n"
        let said = said(text, files: ["/run/pw": "x"]) { $0.inMemory = ["/dev/shm"] }
        #expect(
            said == [
                "6:8 warning: 'spool' ('/dev/shm') is kept in memory (tmpfs), so large uploads take it: name a folder on a disk"
            ]
        )
    }

    @Test("warnings leave the configuration usable") func usable() {
        #expect(load("version: 1\nstate: /x\n").configuration != nil)
    }
}
