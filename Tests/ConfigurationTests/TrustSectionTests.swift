import Bytes
import Rules
import Support
import Testing
import Trust

@testable import Configuration

private let pinA = "sha256/tpWi65UOWiib6MWOkld7AAHTZUjAY82KkNpkd4/hTcM="
private let pinB = "sha256/Jw69XwZsk9iWIhFk7Np0FdevzRdYk6dbh5fj0aSWsJE="

/// The files that the rule files of these tests name.
private let certificateFiles = [
    "/etc/a.pem": ExampleCertificate.pem, "/etc/b.pem": ExampleCertificate.rsaPEM,
    "/etc/chain.pem": ExampleCertificate.pem + "\n" + ExampleCertificate.rsaPEM + "\n",
    "/etc/list.pem": "-----BEGIN X509 CRL-----\nMAA=\n-----END X509 CRL-----\n", "/etc/empty.pem": "",
    "/etc/key.pem": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
    "/etc/cut.pem": String(ExampleCertificate.pem.dropLast(40)),
]

/// The `trust` part of a rule file.
@Suite struct TrustSectionTests {
    private func text(_ policy: String, more: String = "") -> String {
        "version: 1\ntrust:\n  - { host: a.example.com, \(policy) }\n" + more
    }

    private func said(_ policy: String, more: String = "") -> [String] {
        ConfigurationTests.said(text(policy, more: more), files: certificateFiles)
    }

    private func terms(_ policy: String) throws -> TrustPolicy.Terms {
        let result = load(text(policy), files: certificateFiles)
        let configuration = try #require(result.configuration, "\(result.diagnostics.map(\.rendered))")
        return configuration.trust.policy(host: "a.example.com", port: 443).terms
    }

    @Test("every key becomes what it says") func everyKey() throws {
        let terms = try terms(
            """
            port: 443, pinning: public-key, pins: [\(pinA), "sha256//\(pinB.dropFirst(7))", { certificate: a.pem }],
                validates_domain_name: false, allow_invalid_certificates: true, strict: false,
                anchors: [system, { file: chain.pem }], enforce: false, expires: 2027-06-30,
                report: "https://report.example/", minimum_tls: 1.3, maximum_tls: 1.3, ciphers: A, groups: B,
                revocation: { crl: list.pem }, tunnel: pass
            """
        )
        #expect(terms.pinning == .publicKey)
        #expect(terms.pins.publicKeys.map(\.description) == [pinA, pinB])
        #expect(terms.pins.certificates.map(\.publicKeyPin.description) == [ExampleCertificate.pin])
        #expect(terms.pins.certificates.map(\.name) == ["a.pem"])
        #expect(!terms.validatesDomainName && terms.allowsInvalidCertificates && !terms.strict && !terms.enforces)
        guard terms.anchors.count == 2, terms.anchors[0] == .system, case .file("chain.pem", let pem) = terms.anchors[1]
        else { return #expect(Bool(false), "\(terms.anchors)") }
        #expect(CertificateFile.certificates(pem)?.count == 2)
        #expect(terms.expires == 1_814_313_600)
        #expect(terms.reportURL == "https://report.example/")
        #expect(terms.minimumVersion == .v13 && terms.maximumVersion == .v13)
        #expect(terms.ciphers == "A" && terms.groups == "B")
        #expect(
            terms.revocation == .crl(name: "list.pem", bytes: Array((certificateFiles["/etc/list.pem"] ?? "").utf8))
        )
        #expect(terms.tunnel == .pass)
    }

    @Test("what isn't written is the default") func defaults() throws {
        #expect(try terms("port: any") == TrustPolicy.Terms())
        let pinned = try terms("pins: [\(pinA), \(pinB)]")
        #expect(pinned.pinning == .publicKey && pinned.strict && pinned.enforces)
        #expect(try !terms("pins: [\"\(ExampleCertificate.pin)\"], allow_invalid_certificates: true").strict)
        #expect(
            try terms("pinning: certificate, pins: [{ certificate: a.pem }, { certificate: { file: b.pem } }]").strict
        )
        #expect(try !terms("pinning: observe, tunnel: refuse").strict)
        #expect(try terms("anchors: { file: a.pem }").anchors.count == 1)
        #expect(try terms("revocation: must-staple").revocation == .mustStaple)
        #expect(try terms("revocation: off").revocation == .off)
    }

    @Test("the first policy that matches decides, and a port narrows it") func order() throws {
        let rules =
            "version: 1\ntrust:\n  - { host: a.example.com, port: 8443, strict: true }\n  - { host: .example.com }\n"
        let table = try #require(load(rules).configuration).trust
        #expect(table.policy(host: "a.example.com", port: 8443).name == "trust[0]")
        #expect(table.policy(host: "a.example.com", port: 443).name == "trust[1]")
        #expect(table.policy(host: "example.org", port: 443).name == "default")
    }

    static let errors = [
        ("pinning: public-key", "3:37 'pinning: public-key' needs 'pins'"),
        ("pinning: certificate", "3:37 'pinning: certificate' needs 'pins'"),
        (
            "pinning: observe, tunnel: refuse, report: \"http://:80/\"",
            "3:70 'report': 'http://:80/' is no URL: write https://HOST/PATH"
        ),
        ("pins: []", "3:34 'pins' is empty: nothing would be trusted"),
        (
            "pinning: none, pins: [\(pinA), \(pinB)]",
            "3:43 'pins' can't stand beside 'pinning: none', which compares nothing with them"
        ),
        (
            "pinning: observe, tunnel: refuse, pins: [\(pinA), \(pinB)]",
            "3:62 'pins' can't stand beside 'pinning: observe', which compares nothing with them"
        ),
        (
            "pinning: certificate, pins: [\(pinA), { certificate: a.pem }, { certificate: b.pem }]",
            "3:57 'sha256/…' pins a key: under 'pinning: certificate' write { certificate: FILE }"
        ),
        (
            "pins: [\(pinA), sha256/AAAA]",
            "3:88 'pins': a pin is 'sha256/' and 44 characters of base64 (32 bytes)"
        ),
        (
            "pins: [\(pinA), { certificate: none.pem }]",
            "3:103 the file of this pin can't be read: there is no such file"
        ),
        (
            "pins: [\(pinA), { certificate: cut.pem }]",
            "3:103 the file of this pin holds something that is no certificate, or one that is cut off"
        ),
        (
            "pins: [\(pinA), { certificate: key.pem }]",
            "3:103 the file of this pin holds no certificate, but a private key"
        ),
        (
            "pins: [\(pinA), { certificate: chain.pem }]",
            "3:103 the file of this pin holds 2 certificates; each pin is one"
        ),
        (
            "allow_invalid_certificates: true",
            "3:28 a name in a certificate that anyone may have made says nothing: 'allow_invalid_certificates' needs 'pins', "
                + "or name the server's authority in 'anchors'"
        ),
        (
            "pinning: observe, tunnel: refuse, allow_invalid_certificates: true",
            "3:62 a name in a certificate that anyone may have made says nothing: 'allow_invalid_certificates' needs 'pins', "
                + "or name the server's authority in 'anchors'"
        ),
        ("anchors: []", "3:37 'anchors' is empty: nothing would be trusted"),
        ("anchors: { file: empty.pem }", "3:45 the file of anchors is empty"),
        (
            "anchors: [system, { file: list.pem }]",
            "3:46 the file of anchors holds no certificate (PEM or DER)"
        ),
        ("revocation: { crl: a.pem }", "3:47 the file of revocation lists holds none (PEM or DER)"),
        ("revocation: { crl: none.pem }", "3:47 the file of revocation lists can't be read: there is no such file"),
        ("minimum_tls: 1.3, maximum_tls: 1.2", "3:59 'maximum_tls' lies below 'minimum_tls'"),
    ]

    @Test("what can't hold together is an error at its place", arguments: errors)
    func error(policy: String, message: String) {
        #expect(said(policy) == [message])
    }

    static let warnings = [
        (
            "pins: [\(pinA)]",
            "3:34 warning: a pin without a backup: when its key is lost or renewed, nothing reaches the host"
        ),
        (
            "pins: [\(pinA), \(pinA)]",
            "3:34 warning: a pin without a backup: when its key is lost or renewed, nothing reaches the host"
        ),
        (
            "pinning: certificate, pins: [{ certificate: a.pem }]",
            "3:56 warning: a pin without a backup: when its key is lost or renewed, nothing reaches the host"
        ),
        (
            "pins: [\(pinA), \(pinB)], expires: 2027-01-01",
            "3:151 warning: these pins have expired: the validation alone decides"
        ),
        (
            "pins: [\(pinA), \(pinB)], expires: 2027-01-31",
            "3:151 warning: these pins expire within 30 days: from then on the validation alone decides"
        ),
        (
            "pins: [\(pinA), \(pinB)], tunnel: refuse, enforce: false",
            "3:167 warning: 'enforce: false' only reports a server whose pins don't match"
        ),
        (
            "pins: [\(pinA), \(pinB)], tunnel: pass",
            "3:13 warning: these pins hold nobody off: a CONNECT to this host is tunnelled, its certificate isn't seen"
        ),
        (
            "pinning: observe",
            "3:13 warning: nothing is observed: a CONNECT to this host is tunnelled, its certificate isn't seen"
        ),
        ("expires: 2027-06-30", "3:28 warning: 'expires' is about pins, and here are none"),
        ("enforce: false", "3:28 warning: 'enforce' is about pins, and here are none"),
        ("report: \"https://r.example\"", "3:28 warning: 'report' is about pins, and here are none"),
    ]

    @Test("what is unsafe or useless is a warning at its place", arguments: warnings)
    func warning(policy: String, message: String) {
        #expect(said(policy) == [message])
    }

    @Test("what is neither is none of both") func quiet() {
        #expect(said("pins: [\(pinA), \(pinB)], expires: 2027-02-01") == [])
        #expect(said("pins: [\(pinA), { certificate: a.pem }]") == [])
        #expect(said("pinning: observe, tunnel: refuse, report: \"https://r.example\"") == [])
        #expect(said("validates_domain_name: false, allow_invalid_certificates: true") == [])
        #expect(said("pins: [\(pinA), \(pinB)], allow_invalid_certificates: true") == [])
    }

    @Test("a pattern with one star, and a policy that never holds, are warnings") func patterns() {
        let rules = """
            version: 1
            trust:
              - { host: ["*.example.com", a.example.com] }
              - { host: a.example.com, port: 8443 }
            """
        #expect(
            ConfigurationTests.said(rules) == [
                "3:14 warning: '*.example.com' under 'trust' is exactly one label deep: write '.example.com' for that name "
                    + "and all below it",
                "4:5 warning: this policy never holds: the one in line 3 matches all that it does",
            ]
        )
    }

    @Test("without secrets no file is opened, and nothing is missed") func withoutSecrets() {
        let policy =
            "pins: [\(pinA), { certificate: none.pem }], anchors: { file: none.pem }, revocation: { crl: none.pem }"
        let result = load(text(policy), readsSecrets: false)
        #expect(result.diagnostics.map(\.message) == [])
        #expect(result.watchedFiles.filter { $0 == "/etc/none.pem" }.count == 1)
    }

    @Test("T-11 certificates, anchors and lists are watched") func watched() {
        let policy = "pins: [\(pinA), { certificate: a.pem }], anchors: { file: b.pem }, revocation: { crl: list.pem }"
        let watched = load(text(policy), files: certificateFiles).watchedFiles
        #expect(Set(watched).isSuperset(of: ["/etc/a.pem", "/etc/b.pem", "/etc/list.pem"]))
    }
}
