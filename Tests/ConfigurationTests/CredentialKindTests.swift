import Authentication
import Bytes
import Crypto
import Rules
import Testing

@testable import Configuration

/// Every kind of credential as it is read.
@Suite struct CredentialKindTests {
    private func rule(_ credential: String, files: [String: String] = [:], rule: String = "") throws -> Rule {
        let text = withRule("{ space: { host: a.example.com }, use: staff\(rule) }", credential: credential)
        let result = load(text, files: files)
        #expect(!result.hasErrors, "\(result.diagnostics.map(\.message))")
        return try #require(result.configuration?.rules.rules.first)
    }

    private func kind(_ credential: String, files: [String: String] = [:]) throws -> Credential.Kind {
        try #require(try rule(credential, files: files).credential).kind
    }

    private func text(_ secret: Secret) -> String {
        secret.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
    }

    @Test("A-4 a digest's hash is hex in any case") func digestHash() throws {
        let hash = "0123456789ABCDEF0123456789abcdef"
        let kind = try kind("{ username: u, digest_ha1: { value: \(hash) }, realm: R }")
        guard case .digestHash(let username, let realm, let secret) = kind else { return #expect(Bool(false)) }
        #expect(username == [0x75] && realm == [0x52] && text(secret) == hash.lowercased())
    }

    @Test("C-2 an NT hash is 16 bytes and answers ntlm alone") func ntHash() throws {
        let rule = try rule(
            "{ username: u, domain: D, password: { value: 00112233445566778899aabbccddeeff }, password_form: nt-hash }",
            rule: ", cleartext: [ntlm]"
        )
        guard case .ntHash(_, "D", let hash)? = rule.credential?.kind else { return #expect(Bool(false)) }
        #expect(hash.withBytes { span in span.indices.map { span[$0] } } == (0..<16).map { 0x11 * $0 })
        #expect(rule.methods == MethodSet([.ntlm]))
    }

    @Test("C-2 Kerberos takes the default cache, a cache, a keytab or a password") func kerberos() throws {
        func login(_ written: String, _ files: [String: String] = [:]) throws -> KerberosCredential {
            guard case .kerberos(let login) = try kind("{ kerberos: \(written) }", files: files) else {
                throw SystemFailure()
            }
            return login
        }
        #expect(try login("{}") == KerberosCredential(principal: nil, source: .defaultCache, serviceName: .asGiven))
        #expect(try login("{ ccache: 'KEYRING:x:y', spn: canonical }").source == .cache("KEYRING:x:y"))
        #expect(try login("{ ccache: cc }").source == .cache("/etc/cc"))
        let keytab = "\u{5}\u{2}abc\n"
        let byKeytab = try login("{ principal: u@R, keytab: k, spn: HTTP/x }", ["/etc/k": keytab])
        #expect(byKeytab.source == .keytab("/etc/k", content: Secret(keytab)))
        #expect(byKeytab.principal == "u@R" && byKeytab.serviceName == .literal("HTTP/x"))
        #expect(try login("{ principal: u, password: { value: p } }").source == .password(Secret("p")))
    }

    @Test("a keytab's change is a reason to read the file again") func watched() {
        let text = withRule("{ space: { host: a.example.com }, use: staff }", credential: "{ kerberos: { keytab: k } }")
        #expect(load(text, files: ["/etc/k": "\u{5}\u{2}abc"]).watchedFiles.contains("/etc/k"))
    }

    @Test("A-10 a token knows its file, goes ahead unless a realm is named, and is no password") func token() throws {
        let rule = try rule("{ token: { file: t } }", files: ["/etc/t": "a|b.c==\n"])
        guard case .token(let token, "/etc/t")? = rule.credential?.kind else { return #expect(Bool(false)) }
        #expect(text(token) == "a|b.c==")
        #expect(rule.preempt == .always && rule.methodWithoutChallenge == .bearer)
        let text = withRule(
            "{ space: { host: a.example.com, realm: R }, use: staff }",
            credential: "{ token: { value: x } }"
        )
        #expect(load(text).configuration?.rules.rules.first?.preempt == .learned)
    }

    @Test("A-16 a header's fields are in their order, with a prefix, and replace the client's") func header() throws {
        let rule = try rule("{ header: { X-Key: { value: k, prefix: 'Key ' }, X-User: { value: u } } }")
        guard case .header(let fields)? = rule.credential?.kind else { return #expect(Bool(false)) }
        #expect(fields.map(\.name) == ["X-Key", "X-User"] && fields.map { text($0.value) } == ["Key k", "u"])
        #expect(rule.clientCredential == .replace && rule.fieldNames == ["x-key", "x-user"])
        #expect(
            try self.rule("{ header: { X: { value: k } } }", rule: ", client_credential: keep").clientCredential
                == .keep
        )
    }

    @Test("A-24 an OAuth2 client has its secrets, scopes, parameters and certificate") func oauth2() throws {
        let kind = try kind(
            "{ oauth2: { token_endpoint: 'https://t.example.com/', client_id: me, client_secret: { value: s }, "
                + "scopes: 'a b', auth: post, parameters: { audience: x, y: { value: z } } } }"
        )
        guard case .deferred(.oauth2(let client)) = kind else { return #expect(Bool(false)) }
        #expect(client.tokenEndpoint == "https://t.example.com/" && text(client.clientID) == "me")
        #expect(client.clientSecret.map(text) == "s" && client.scopes == ["a", "b"] && client.authentication == .post)
        #expect(client.parameters.map { "\($0.name)=\(text($0.value))" } == ["audience=x", "y=z"])
    }

    @Test("A-17 netrc and helpers are named and not run") func deferred() throws {
        guard case .deferred(.netrc("/home/test/.netrc")) = try kind("{ netrc: ~/.netrc }") else {
            return #expect(Bool(false))
        }
        guard case .deferred(.helper(["git", "credential-store"])) = try kind("{ helper: [git, credential-store] }"),
            case .deferred(.helper(["/etc/bin/x"])) = try kind("{ helper: [bin/x] }")
        else { return #expect(Bool(false)) }
    }

    @Test("A-17 a program may print any part of a credential, which is made of what fits") func programs() throws {
        let written = "{ username: { exec: [name] }, password: { exec: [word, x], refresh: 5m, timeout: 1s } }"
        guard case .deferred(.programs(let programs)) = try kind(written) else { return #expect(Bool(false)) }
        #expect(programs.programs.map(\.arguments) == [["name"], ["word", "x"]])
        #expect(programs.programs.map(\.refresh) == [nil, 300_000_000_000])
        #expect(programs.programs.map(\.timeout) == [10_000_000_000, 1_000_000_000])
        #expect(programs.answers == [.basic, .digest, .ntlm, .negotiate])
        guard case .password([0x75], nil, let word)? = programs.make([Secret("u"), Secret("p")]) else {
            return #expect(Bool(false))
        }
        #expect(text(word) == "p")
        for wrong in [["u", ""], ["u", "a\nb"], ["", "p"], ["u\u{A0}", "p"], ["u"], ["u", "p", "q"]] {
            #expect(programs.make(wrong.map { Secret($0) }) == nil, "\(wrong)")
        }
    }

    @Test("a program is the same one only where all else is, too") func sameProgram() throws {
        func credential(_ written: String) throws -> Credential { try #require(try rule(written).credential) }
        let first = try credential("{ username: u, password: { exec: [x] } }")
        #expect(first.hasSameSecret(as: try credential("{ username: u, password: { exec: [x] } }")))
        for other in ["{ username: v, password: { exec: [x] } }", "{ username: u, password: { exec: [y] } }"] {
            #expect(!first.hasSameSecret(as: try credential(other)))
        }
        let header = try credential("{ header: { A: { exec: [x] } } }")
        #expect(header.isHeader && header.fieldNames == ["a"])
        #expect(!header.hasSameSecret(as: try credential("{ header: { B: { exec: [x] } } }")))
    }

    @Test("a proxy's credentials of several kinds each go ahead as is usual for them") func proxyKinds() throws {
        let text = """
            version: 1
            credentials: { t: { token: { value: x } }, k: { kerberos: {} } }
            proxies: { p: { url: "https://p.example.com:1", use: [k, t] } }
            routes: [{ via: p }]
            """
        let rules = try #require(load(text).configuration?.rules.rules)
        #expect(rules.map(\.preempt) == [.learned, .always])
    }

    @Test("without secrets every kind is read all the same") func withoutSecrets() {
        let text = """
            version: 1
            credentials:
              a: { username: u, digest_ha1: { file: x }, realm: R }
              b: { token: { file: x } }
              c: { header: { X: { file: x } } }
              d: { kerberos: { keytab: x } }
              e: { oauth2: { token_endpoint: "https://a.example.com/", client_id: { file: x }, client_secret: { env: X } } }
              f: { username: u, password: { file: x }, password_form: nt-hash }
            rules:
            \("abcdef".map { "  - { space: { host: \($0).example.com, protocol: https }, use: \($0) }" }.joined(separator: "\n"))
            routes: [{ upgrade: https }]
            """
        let result = load(text, readsSecrets: false)
        #expect(result.diagnostics.map(\.message) == [])
        #expect(result.configuration?.credentials.count == 6)
    }
}

private struct SystemFailure: Error {}
