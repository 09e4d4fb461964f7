import Authentication
import Rules
import Support
import Testing
import Trust

@testable import Configuration

/// Finds what a test says it finds.
private struct ToldMaterials: MaterialChecking {
    var certificate = MaterialFinding.usable(notBefore: 0, notAfter: .max)
    var authority = MaterialFinding.usable(notBefore: 0, notAfter: .max)
    var terms: [MaterialFault] = []

    func finding(on certificate: ClientCertificate) -> MaterialFinding { self.certificate }

    func finding(on authority: InterceptionConfiguration.Authority, now: Int64) -> MaterialFinding { self.authority }

    func faults(of terms: TrustPolicy.Terms) -> [MaterialFault] { self.terms }

    var refused: ReferenceIdentity?
    func believes(
        _ authority: InterceptionConfiguration.Authority,
        for host: ReferenceIdentity,
        now: Int64
    ) -> Bool { host != refused }
}

/// Where the rule file is blamed for what lies in the files that it names.
@Suite struct MaterialTests {
    private static let text = """
        version: 1
        credentials:
          client:
            certificate: a.pem
            private_key: { file: a.key }
            passphrase: { value: x }
        rules:
          - { space: { host: a.example.com, protocol: https }, use: client }
        interception:
          authority:
            certificate: a.pem
            private_key: { file: a.key }
        trust:
          - host: a.example.com
            anchors:
              - system
              - { file: a.pem }
            ciphers: A
            groups: B
            revocation: { crl: a.crl }

        """
    private static let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
    /// 2027-01-01
    private static let now: Int64 = 1_798_761_600
    private static let day: Int64 = 86_400

    @Test("a host that the authority's name constraints leave out is told")
    func constraints() {
        let told = said(ToldMaterials(refused: .name("a.example.com")))
        #expect(told.contains { $0.contains("clients will refuse what is shown for a.example.com") })
        #expect(!said(ToldMaterials(refused: .name("b.example.com"))).contains { $0.contains("clients will refuse") })
    }

    private func said(_ materials: ToldMaterials, readsSecrets: Bool = true) -> [String] {
        let files = [
            "/etc/countersign.yaml": Self.text, "/etc/a.pem": ExampleCertificate.pem, "/etc/a.key": Self.key,
            "/etc/a.crl": "-----BEGIN X509 CRL-----\n",
        ]
        let result = RuleFile.load(
            path: "/etc/countersign.yaml",
            environment: .fixed(),
            readsSecrets: readsSecrets,
            files: MemoryFiles(texts: files),
            materials: materials,
            now: Self.now
        )
        return result.diagnostics.map {
            "\($0.line):\($0.column) \($0.severity == .error ? "" : "warning: ")\($0.message)"
        }
    }

    @Test("T-11 a fault of a client certificate is told where the file names what is to blame")
    func client() {
        for (part, place) in [(MaterialFault.Part.certificate, "4:18"), (.privateKey, "5:18"), (.passphrase, "6:17")] {
            #expect(said(ToldMaterials(certificate: .faulty(MaterialFault(part, "no")))) == ["\(place) no"])
        }
        let ended = ToldMaterials(certificate: .usable(notBefore: 0, notAfter: Self.now - 1))
        #expect(said(ended) == ["4:18 warning: this certificate ended on 2026-12-31: servers will refuse it"])
        let early = ToldMaterials(certificate: .usable(notBefore: Self.now + Self.day, notAfter: .max))
        #expect(said(early) == ["4:18 warning: this certificate isn't valid before 2027-01-02"])
        #expect(said(ToldMaterials(certificate: .usable(notBefore: 0, notAfter: Self.now))).isEmpty)
    }

    @Test("I-4 an authority that can't mint is an error, one that ends within 30 days a warning")
    func authority() {
        #expect(said(ToldMaterials(authority: .faulty(MaterialFault(.certificate, "no")))) == ["11:18 no"])
        #expect(said(ToldMaterials(authority: .faulty(MaterialFault(.privateKey, "no")))) == ["12:18 no"])
        let within = ToldMaterials(authority: .usable(notBefore: 0, notAfter: Self.now + 30 * Self.day))
        let message =
            "this authority ends on 2027-01-31: make another with countersign ca init, and have clients trust it"
        #expect(said(within) == ["11:18 warning: \(message)"])
        #expect(said(ToldMaterials(authority: .usable(notBefore: 0, notAfter: Self.now + 31 * Self.day))).isEmpty)
    }

    @Test("T-11 what a policy names is told at its own place")
    func policy() {
        let faults = [MaterialFault(.anchor(1), "a"), MaterialFault(.ciphers, "c"), MaterialFault(.groups, "g")]
        let all = ToldMaterials(terms: faults + [MaterialFault(.revocation, "r")])
        #expect(said(all) == ["17:9 a", "18:14 c", "19:13 g", "20:24 r"])
    }

    @Test("without the files nothing is asked of them")
    func noSecrets() {
        let faulty = MaterialFinding.faulty(MaterialFault(.certificate, "no"))
        let materials = ToldMaterials(certificate: faulty, authority: faulty, terms: [MaterialFault(.ciphers, "c")])
        #expect(said(materials, readsSecrets: false).isEmpty)
    }
}
