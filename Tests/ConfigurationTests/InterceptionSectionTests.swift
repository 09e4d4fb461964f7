import Authentication
import Bytes
import Crypto
import Rules
import Support
import Testing

@testable import Configuration

private let key = "-----BEGIN PRIVATE KEY-----\nc4n4ry\n-----END PRIVATE KEY-----\n"
private let locked = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nc4n4ry\n-----END ENCRYPTED PRIVATE KEY-----\n"
private let old = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nc4n4ry\n-----END RSA PRIVATE KEY-----\n"
private let pins = """
    [sha256/tpWi65UOWiib6MWOkld7AAHTZUjAY82KkNpkd4/hTcM=, sha256/Jw69XwZsk9iWIhFk7Np0FdevzRdYk6dbh5fj0aSWsJE=]
    """
private let keyFiles = [
    "/etc/ca.pem": ExampleCertificate.pem, "/etc/ca.key": key, "/etc/locked.key": locked, "/etc/old.key": old,
    "/etc/no.key": "c4n4ry", "/run/pw": "x", "/etc/client.p12": "0\u{1}c4n4ry",
]

/// The `interception` part of a rule file.
@Suite struct InterceptionSectionTests {
    private let authority = "authority: { certificate: ca.pem, private_key: { file: ca.key } }"

    private func text(_ interception: String, more: String = "") -> String {
        "version: 1\ninterception: { \(interception) }\n" + more
    }

    private func said(_ interception: String, more: String = "") -> [String] {
        ConfigurationTests.said(text(interception, more: more), files: keyFiles)
    }

    @Test("I-1 what is written becomes what is opened") func written() throws {
        let rules = text("\(authority), hosts: [.example.com], except: bank.example.com, other: refuse")
        let interception = try #require(load(rules, files: keyFiles).configuration?.interception)
        #expect(interception.authority.certificatePath == "ca.pem")
        #expect(interception.authority.certificate == Array((ExampleCertificate.pem + "\n").utf8))
        let bytes = interception.authority.privateKey.withBytes { span in span.indices.map { span[$0] } }
        #expect(String(decoding: bytes, as: UTF8.self) == String(key.dropLast()))
        #expect(interception.opens(host: "a.example.com") && !interception.opens(host: "bank.example.com"))
        #expect(interception.other == .refuse)
        #expect(try #require(load("version: 1").configuration).interception == nil)
    }

    @Test("I-1 the hosts of rules with use and of pins are opened by default, but for http and *") func defaults()
        throws
    {
        let more = """
            credentials:
              staff: { username: alice, password: { file: /run/pw } }
              client: { certificate: ca.pem, private_key: { file: ca.key } }
            rules:
              - { space: { host: a.example.com, protocol: https }, use: staff }
              - { space: { host: b.example.com, protocol: http }, use: staff }
              - { space: { host: c.example.com }, disposition: reject }
              - { space: { host: "*" }, use: client }
              - { space: { host: p.example.com, proxy: true }, use: staff }
            trust:
              - { host: [d.example.com, a.example.com], pins: \(pins) }
              - { host: e.example.com, strict: true }
            """
        let interception = try #require(load(text(authority, more: more), files: keyFiles).configuration?.interception)
        #expect(interception.hosts == [try HostPattern("a.example.com"), try HostPattern("d.example.com")])
    }

    static let errors = [
        ("hosts: [a.example]", "2:17 'hosts' can't be opened without an 'authority': countersign ca init makes one"),
        ("other: refuse", "2:15 warning: nothing is opened without an 'authority': countersign ca init makes one"),
        (
            "authority: { certificate: ca.key, private_key: { file: ca.key } }",
            "2:43 the authority's certificate holds no certificate, but a private key"
        ),
        (
            "authority: { certificate: ca.pem, private_key: { file: no.key } }",
            "2:64 this is no private key as PEM"
        ),
        (
            "authority: { certificate: ca.pem, private_key: { file: locked.key } }",
            "2:64 the private key is encrypted: it must stand there as it is"
        ),
        (
            "authority: { certificate: ca.pem, private_key: { file: ca.key } }, except: '*.example.com'",
            "2:92 warning: '*.example.com' under 'except' is exactly one label deep: write '.example.com' for that name and "
                + "all below it"
        ),
    ]

    @Test("what can't be is told at its place", arguments: errors)
    func error(interception: String, message: String) {
        #expect(said(interception) == [message])
    }

    @Test("a key that others can read is a warning, and no message holds anything of a key") func readable() {
        let result = load(text(authority), files: keyFiles) { $0.readableByOthers = ["/etc/ca.key"] }
        #expect(result.diagnostics.map(\.message) == ["other users can read this private key: chmod o-r"])
        for name in ["no.key", "locked.key"] {
            let other = "authority: { certificate: ca.pem, private_key: { file: \(name) } }"
            for diagnostic in load(text(other), files: keyFiles).diagnostics {
                #expect(!diagnostic.rendered.contains("c4n4ry"))
            }
        }
    }

    @Test("a rule or pins for a host that is opened act") func acts() {
        let more = """
            credentials:
              staff: { username: alice, password: { file: /run/pw } }
            rules:
              - { space: { host: a.example.com, protocol: https }, use: staff }
            trust:
              - { host: d.example.com, pins: \(pins), tunnel: pass }
            state: /var/lib/c
            """
        #expect(said(authority, more: more) == [])
        let elsewhere = said("\(authority), hosts: [b.example.com]", more: more)
        #expect(
            elsewhere == [
                "6:47 warning: this rule never acts: an https host is tunnelled, the proxy sees none of its requests",
                "8:13 warning: these pins hold nobody off: a CONNECT to this host is tunnelled, its certificate isn't seen",
            ]
        )
    }
}

/// Credentials that are certificates, and the rules that use them.
@Suite struct CertificateCredentialTests {
    private func text(_ credential: String, rule: String = "{ space: { host: a.example.com }, use: c }") -> String {
        "version: 1\ncredentials:\n  c: { \(credential) }\nrules:\n  - \(rule)\n\(routes)"
    }

    /// Without it no rule with a certificate ever acts.
    private let routes = "routes: [{ host: '*', upgrade: https }]\n"

    @Test("O-5 a rule with a certificate for a host that is neither upgraded nor opened is told") func neverActing() {
        let alone = String(text(pem).dropLast(routes.count))
        #expect(
            ConfigurationTests.said(alone, files: keyFiles) == [
                "5:14 warning: this rule never acts: an https host is tunnelled, the proxy sees none of its requests"
            ]
        )
    }

    private func said(_ credential: String, rule: String = "{ space: { host: a.example.com }, use: c }") -> [String] {
        ConfigurationTests.said(text(credential, rule: rule), files: keyFiles)
    }

    private let pem = "certificate: ca.pem, private_key: { file: ca.key }"

    @Test("T-6 a certificate and its key, or a PKCS#12 file, make a credential") func kinds() throws {
        func kind(_ credential: String) throws -> Credential.Kind? {
            let result = load(text(credential), files: keyFiles)
            return try #require(result.configuration, "\(result.diagnostics.map(\.rendered))").credentials.first?.kind
        }
        guard case .clientCertificate(.pem(let chain, let first, nil)) = try kind(pem) else {
            return #expect(Bool(false))
        }
        #expect(chain == Array((ExampleCertificate.pem + "\n").utf8))
        #expect(first == Secret(String(key.dropLast())))
        guard
            case .clientCertificate(.pem(_, _, let word?)) = try kind(
                "certificate: ca.pem, private_key: { file: locked.key }, passphrase: { file: /run/pw }"
            )
        else { return #expect(Bool(false)) }
        #expect(word == Secret("x"))
        guard case .clientCertificate(.pkcs12(let file, let none)) = try kind("pkcs12: client.p12") else {
            return #expect(Bool(false))
        }
        #expect(file == Secret("0\u{1}c4n4ry") && none == nil)
    }

    @Test("T-6 a rule with one is found for the handshake and meets no challenge") func rules() throws {
        let configuration = try #require(load(text(pem), files: keyFiles).configuration)
        #expect(configuration.rules.rules.map(\.methods) == [MethodSet([AuthenticationMethod.clientCertificate])])
        #expect(said(pem) == [])
        #expect(said(pem, rule: "{ space: { host: '*' }, use: c }") == [])
    }

    static let errors = [
        ("certificate: ca.pem", "3:6 a credential with 'certificate' needs 'private_key'"),
        ("private_key: { file: ca.key }", "3:8 'private_key' belongs to a 'certificate' or 'pkcs12', which is missing"),
        (
            "certificate: ca.pem, private_key: { file: locked.key }",
            "3:42 the private key is encrypted: write 'passphrase'"
        ),
        (
            "certificate: ca.pem, private_key: { file: old.key }",
            "3:42 the private key is encrypted: write 'passphrase'"
        ),
        ("certificate: ca.pem, private_key: { file: no.key }", "3:42 this is no private key as PEM"),
        (
            "certificate: none.pem, private_key: { file: ca.key }",
            "3:21 the file of this certificate can't be read: there is no such file"
        ),
        ("pkcs12: ca.pem", "3:16 this is no PKCS#12 file; a PEM goes under 'certificate' and 'private_key'"),
        (
            "pkcs12: client.p12, private_key: { file: ca.key }",
            "3:28 'private_key' has no place beside 'pkcs12', which holds the key"
        ),
        (
            "pkcs12: client.p12, certificate: ca.pem",
            "3:8 a credential is of one kind: 'certificate' and 'pkcs12' can't stand together"
        ),
        (
            "certificate: ca.pem, private_key: { file: ca.key }, username: u",
            "3:60 'username' has no place beside 'certificate'"
        ),
    ]

    @Test("T-6 what can't be is told at its place", arguments: errors)
    func error(credential: String, message: String) {
        #expect(said(credential) == [message])
    }

    @Test(
        "T-6 what says something of a request can't stand beside a certificate",
        arguments: [
            ("{ space: { host: a.example.com, path: /a/ }, use: c }", "5:37", "path"),
            ("{ space: { host: a.example.com, realm: R }, use: c }", "5:37", "realm"),
            ("{ space: { host: a.example.com }, use: c, cross_site: true }", "5:47", "cross_site"),
            ("{ space: { host: a.example.com }, use: c, preempt: never }", "5:47", "preempt"),
        ]
    )
    func besides(rule: String, place: String, key: String) {
        #expect(
            said(pem, rule: rule) == [
                "\(place) '\(key)' can't stand here: a client certificate is shown before any request"
            ]
        )
    }

    @Test("T-6 nor does http") func http() {
        #expect(
            said(pem, rule: "{ space: { host: a.example.com, protocol: http }, use: c }")
                == ["5:37 a client certificate is shown over https only"]
        )
    }

    @Test("a key that others can read is a warning, whatever form it has") func readable() {
        for credential in [pem, "pkcs12: client.p12"] {
            let result = load(text(credential), files: keyFiles) {
                $0.readableByOthers = ["/etc/ca.key", "/etc/client.p12"]
            }
            #expect(result.diagnostics.map(\.message) == ["other users can read this private key: chmod o-r"])
        }
    }
}
