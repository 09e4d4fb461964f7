import Authentication
import Bytes
import Crypto
import Rules
import Testing
import Trust

@testable import Configuration

/// What people get wrong in a rule file, row by row.
@Suite struct SlipTests {
    private let head = "version: 1\ncredentials: { staff: { username: alice, password: { file: /run/pw } } }\n"

    private func messages(_ text: String) -> [String] {
        load(text, files: ["/run/pw": "x"]).diagnostics.map {
            ($0.severity == .warning ? "warning: " : "") + $0.message
        }
    }

    private func rule(_ rule: String) -> [String] { messages(head + "rules: [\(rule)]\n") }

    private func value(_ value: String) -> [String] {
        messages(
            "version: 1\ncredentials:\n  a: { username: u, password: { value: \(value) } }\nrules:\n  - { space: { host: a.example.com }, use: a }\n"
        )
    }

    // MARK: YAML

    @Test("a star that isn't quoted", arguments: ["host: *", "host: *.x", "host: **.x"])
    func star(written: String) {
        #expect(
            messages("version: 1\nroutes:\n  - \(written)\n").first?.contains("must be quoted: \"*.example.com\"")
                == true
        )
    }

    @Test(
        "addresses in brackets that aren't quoted",
        arguments: ["address: [::1]:3128", "address: [::]:3128", "address: [::1]"]
    )
    func brackets(written: String) {
        #expect(
            messages("version: 1\nlisteners:\n  - \(written)\n") == [
                "an address in brackets must be quoted: \"[::1]:3128\"; inside a list write \"::1\""
            ]
        )
    }

    @Test(
        "values that YAML takes for something else are told, and never shown",
        arguments: [
            ("*c4n4ry", "alias"), ("&c4n4ry", "anchor"), ("!c4n4ry", "tag"), ("%c4n4ry", "must be quoted"),
            ("@c4n4ry", "must be quoted"),
            ("`c4n4ry`", "must be quoted"), (">c4n4ry", "must be quoted"), ("c4n4ry: b", "isn't quoted"),
            ("c4n4ry}q", "isn't quoted"),
            ("c4n4ry,word", "must be quoted"), ("", "the secret is empty"), ("${c4n4ry}", "{ env: NAME }"),
            ("{{ .Values.c4n4ry }}", "{ env: NAME }"),
        ]
    )
    func yamlValues(written: String, words: String) {
        let text =
            "version: 1\ncredentials:\n  a: { username: u, password: { value: \(written) } }\nrules:\n  - { space: { host: a.example.com }, use: a }\n"
        let result = load(text)
        #expect(result.hasErrors)
        #expect(result.diagnostics.first?.message.contains(words) == true, "\(result.diagnostics.map(\.message))")
        #expect(!result.diagnostics.contains { $0.rendered.contains("c4n4ry") })
    }

    @Test(
        "texts that stay themselves need nothing",
        arguments: ["0123", "no", "1e3", "1.2", "2027-06-30", "~", "a#b", "a:b"]
    )
    func plain(written: String) { #expect(value(written) == []) }

    @Test("a password cut by a comment is a warning") func cut() {
        let text =
            "version: 1\ncredentials:\n  a:\n    username: u\n    password:\n      value: pass #1\nrules:\n  - { space: { host: a.example.com }, use: a }\n"
        #expect(
            messages(text) == ["warning: the secret ends before ' #', which begins a comment: quote it if it goes on"]
        )
    }

    @Test("a realm with a comma is an error, one cut by a comment stays") func realms() {
        #expect(
            rule("{ space: { host: a.example.com, realm: Zone, A }, use: staff }") == [
                "unknown key 'A' in a space; a text with a comma in it must be quoted"
            ]
        )
        #expect(
            messages(head + "rules:\n  - space:\n      host: a.example.com\n      realm: Gate #4\n    use: staff\n")
                == []
        )
    }

    // MARK: told as errors

    @Test(
        "each of these is an error",
        arguments: [
            ("{ host: a.example.com, use: staff }", "it belongs under 'space'"),
            ("{ space: { host: 'a.example.com,b.example.com' }, use: staff }", "several hosts are a list"),
            ("{ space: { host: 'a.example.com:80' }, use: staff }", "a port is no part of a host pattern"),
            ("{ space: { host: 10.* }, use: staff }", "write a network such as 10.0.0.0/8"),
            ("{ space: { host: a.example.com, method: POST }, use: staff }", "is a method of HTTP"),
            ("{ space: { host: a.example.com }, use: staff, clients: [uid: 1] }", "write uid:1 without a blank"),
            (
                "{ space: { host: a.example.com }, use: staff, clients: ['user:red'] }",
                "write uid:NAME for a user of this machine"
            ),
            ("{ space: { host: '*' }, use: staff }", "any server that asks would get the password"),
        ]
    )
    func errors(written: String, words: String) { #expect(rule(written).first?.contains(words) == true) }

    @Test("a file where a certificate is asked for may be written both ways") func fileForms() {
        for form in ["a.pem", "{ file: a.pem }"] {
            let text = "version: 1\ncredentials: { a: { certificate: \(form), private_key: { file: a.key } } }\n"
            #expect(messages(text).first == "the file of this certificate can't be read: there is no such file")
        }
    }

    @Test("a client_id may be a secret") func clientID() {
        let text =
            "version: 1\ncredentials: { a: { oauth2: { token_endpoint: 'https://a.example.com/', client_id: { value: x }, auth: none } } }\n"
        #expect(messages(text) == ["warning: nothing uses the credential 'a'"])
    }

    @Test(
        "a pin may be written as curl does, and begin with a slash of its own",
        arguments: ["/tpWi65UOWiib6MWOkld7AAHTZUjAY82KkNpkd4/hTcM=", "/1oa4BKvpdTIicUK1Ceq9UXTGk+sBP/BxNA9QDukJQo="]
    )
    func curlPin(_ rest: String) {
        let pin = "sha256/\(rest)"
        let text = "version: 1\ntrust: [{ host: a.example.com, pins: [\(pin)] }]\n"
        #expect(load(text).configuration?.trust.patterns.first?.policy.terms.pins.keys.count == 1)
    }

    @Test("a login in a proxy's URL is an error that names 'use' and shows nothing of it") func loginInURL() {
        let result = load(
            "version: 1\nproxies: { p: { url: 'http://alice:c4n4ry@proxy.example.com:8080' } }\nroutes: [{ via: p }]\n"
        )
        #expect(
            result.diagnostics.map(\.message) == [
                "'url': a login can't stand in a proxy's URL: make it a credential and name it under 'use'"
            ]
        )
        #expect(!result.diagnostics.contains { $0.rendered.contains("c4n4ry") || $0.rendered.contains("alice") })
    }

    @Test(
        "a login whose at-sign is misspelt is taken for one in every URL, and shown in no line",
        arguments: [
            "http://alice:c4n4ry%40p.test:80", "http://c4n4ry%40p.test:80", "http://alice:c4n4ry%2540p.test:80",
            "http://alice:c4n4ry\u{FF20}p.test:80", "http://alice:c4n4ry\u{FE6B}p.test:80",
            "http://alice:c4n4ry:p.test:80",
            "https://alice:c4n4ry\\x40p.test", "http://alice:x%40c4n4ry@p.test", "http://alice:c4n4ry",
        ]
    )
    func misspeltLogin(_ url: String) {
        for (text, advice) in [
            ("proxies: { p: { url: URL } }\nroutes: [{ via: p }]\n", "name it under 'use'"),
            ("routes: [{ pac: { url: URL } }]\n", "can't hold a login"),
            ("trust: [{ host: a.example.com, report: URL }]\n", "can't hold a login"),
            ("listeners: [{ mode: fixed, address: '127.0.0.1:1', origin: URL }]\n", "make it a credential"),
            ("proxies:\n  p:\n\turl: URL\n", "tab"),
        ] {
            let text = "version: 1\n" + text.replacing("URL", with: "\"\(url)\"")
            let said = load(text).diagnostics
            #expect(!said.contains { $0.rendered.contains("c4n4ry") })
            // What has a single colon is told of its port.
            if url.hasSuffix("c4n4ry") { continue }
            #expect(said.contains { $0.message.contains(advice) }, "\(said.map(\.message))")
        }
    }

    // MARK: told as warnings

    @Test("'proxy: true' forgotten") func proxyForgotten() {
        let text =
            head
            + "proxies: { p: { url: 'http://proxy.example.com:8080' } }\nroutes: [{ via: p }]\nrules: [{ space: { host: proxy.example.com, port: 8080 }, use: staff }]\n"
        #expect(
            messages(text) == [
                "warning: this is the host of the proxy 'p': a rule for its 407 needs 'proxy: true' in the space"
            ]
        )
    }

    @Test("'cleartext' forgotten for an http parent") func cleartextForgotten() {
        let text = head + "proxies: { p: { url: 'http://proxy.example.com:8080', use: staff } }\nroutes: [{ via: p }]\n"
        #expect(
            messages(text).first?.hasPrefix(
                "warning: the way to it isn't TLS: a demand for basic or ntlm isn't answered"
            )
                == true
        )
    }

    @Test("a hash pasted as a password") func hash() {
        #expect(
            value("0123456789abcdef0123456789abcdef").first?.hasPrefix("warning: 32 hex digits look like a hash")
                == true
        )
    }

    @Test("'clients' forgotten for 0.0.0.0") func clientsForgotten() {
        let said = messages("version: 1\nlisteners: [{ address: '0.0.0.0:3128' }]\n")
        #expect(
            said.first?.hasPrefix("warning: only this machine may use the proxy unless 'clients' says who else") == true
        )
    }

    @Test("a port in a route is a condition, 'to' is where it goes") func portInRoute() throws {
        let configuration = try #require(
            load("version: 1\nroutes: [{ host: a.example.com, port: 8080, to: { port: 80 } }]\n").configuration
        )
        let route = try #require(configuration.routes.routes.first)
        #expect(route.port == .number(8080))
        #expect(route.route.to?.port == 80)
    }

    // MARK: examples

    @Test("there is nothing to say of the laptop's file") func laptop() {
        let text = """
            version: 1
            credentials:
              ticket: { kerberos: {} }               # what kinit or sssd left in my cache
              login:
                username: alice
                domain: CORP
                password: { exec: [secret-tool, lookup, service, countersign] }
            proxies:
              corp:
                url: http://proxy.corp.example:8080
                use: [ticket, login]                 # these answer its 407
                cleartext: [ntlm]                    # it speaks no TLS; never basic
            routes:
              - host: [localhost, 127.0.0.0/8, 10.0.0.0/8, .corp.example]
                via: direct
              - host: "*"
                via: [corp, direct]                  # direct while corp can't be reached: at home
            """
        #expect(said(text) == [])
    }

    @Test("there is nothing to say of the sidecar's file") func sidecar() {
        let text = """
            version: 1
            credentials:
              payments: { header: { X-Api-Key: { file: /run/secrets/payments/api-key } } }
              crm:
                oauth2:
                  token_endpoint: https://login.example.com/oauth2/token
                  client_id: orders
                  client_secret: { file: /run/secrets/crm/client-secret }
            rules:
              - { space: { host: payments.example.com, protocol: https }, use: payments }
              - { space: { host: crm.example.org, protocol: https }, use: crm }
            routes:
              - { host: [payments.example.com, crm.example.org], upgrade: https }
            access:
              destinations: { allow: [payments.example.com, crm.example.org] }
            """
        #expect(said(text, readsSecrets: false) == [])
    }

    @Test("there is nothing to say of the legacy application's file") func legacy() {
        let text = """
            version: 1
            credentials:
              erp-client: { certificate: erp/client.pem, private_key: { file: erp/client.key } }
            rules:
              - { space: { host: erp.example.com, protocol: https }, use: erp-client }
            trust:
              - host: erp.example.com                # countersign pin erp.example.com prints the pins
                pins:
                  - sha256/tpWi65UOWiib6MWOkld7AAHTZUjAY82KkNpkd4/hTcM=      # in use
                  - sha256/Jw69XwZsk9iWIhFk7Np0FdevzRdYk6dbh5fj0aSWsJE=      # backup, its key kept offline
                expires: 2027-06-30                  # from then on the certificate alone decides
            routes:
              - { host: erp.example.com, upgrade: https }
            """
        #expect(said(text, readsSecrets: false) == [])
    }
}
