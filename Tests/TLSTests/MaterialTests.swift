import Bytes
import COpenSSL
import Crypto
import Testing
import Trust

@testable import TLS

/// What is found wrong with certificates, lists and ciphers before any handshake.
struct MaterialTests {
    private func context(_ change: (inout TrustPolicy.Terms) -> Void) throws -> TLSContext {
        var terms = TrustPolicy.Terms()
        change(&terms)
        return try TLSContext(policy: TrustPolicy(name: "trust[0]", terms: terms), systemAnchors: SystemAnchors())
    }

    @Test("T-11 a list of ciphers that leaves none is refused")
    func ciphers() throws {
        #expect(throws: Never.self) { try context { $0.ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256" } }
        #expect(throws: TLSError.self) { try context { $0.ciphers = "FROBNICATE" } }
        // OpenSSL takes the name, but at the security level nothing is left of it.
        let error = #expect(throws: TLSError.self) {
            try context { ($0.ciphers, $0.maximumVersion) = ("AECDH-NULL-SHA", .v12) }
        }
        #expect(error?.kind == .material)
        #expect(throws: TLSError.self) { try context { $0.groups = "FROBNICATE" } }
    }

    @Test("T-11 a revocation list that is cut off is refused, also behind a whole one")
    func lists() throws {
        let root = TestCertificate.root()
        let whole = TestRevocation.list(of: root, revoked: [])
        let cut = Array(whole.prefix(whole.count - 60)) + Array("\n-----END X509 CRL-----\n".utf8)
        #expect(throws: Never.self) { try context { $0.revocation = .crl(name: "a", bytes: whole + whole) } }
        for bytes in [cut, whole + cut] {
            let error = #expect(throws: TLSError.self) { try context { $0.revocation = .crl(name: "a", bytes: bytes) } }
            #expect(error?.message.hasPrefix("a: ") == true)
        }
    }

    @Test("T-6 a client certificate that no handshake could show is found before")
    func weak() throws {
        let root = TestCertificate.root()
        let weak = TestCertificate.server(issuer: root, purpose: "clientAuth") { $0.key = .rsa1024 }
        let strong = TestCertificate.server(issuer: root, purpose: "clientAuth") { $0.key = .rsa2048 }
        #expect(try ClientIdentity(weak.pem, weak.keyPEM).fault != nil)
        #expect(try ClientIdentity(strong.pem, strong.keyPEM).fault == nil)
    }

    @Test("I-4 all that keeps a certificate from being an authority is told")
    func faults() throws {
        let leaf = TestCertificate.server(issuer: .root()) { $0.notAfter = noon - 1 }
        let other = try PrivateKey.read(Secret(TestCertificate.root().keyPEM.span), passphrase: nil)
        let faults = CertificateAuthority.faults(of: leaf.certificate, key: other, now: noon)
        #expect(faults.count == 3)
        #expect(faults.first == "isn't the private key's" && faults.last == "has ended")
        let root = TestCertificate.root()
        let own = try PrivateKey.read(Secret(root.keyPEM.span), passphrase: nil)
        #expect(CertificateAuthority.faults(of: root.certificate, key: own, now: noon).isEmpty)
        #expect(CertificateAuthority.faults(of: root.certificate, key: nil, now: noon).isEmpty)
    }

    @Test("I-4 an authority's key identifier and constraints can be told, and its days chosen")
    func description() throws {
        let free = try CertificateAuthority.make(name: "free", constraints: [], days: 10, now: noon).certificate
        #expect(free.nameConstraints == nil)
        #expect(free.facts.notAfter == noon + 10 * day)
        // SHA-1 of the key [RFC 5280 s.4.2.1.2].
        #expect(free.subjectKeyIdentifier?.count == 20)
        let narrow = try CertificateAuthority.make(name: "narrow", constraints: [.name("example.test")], now: noon)
        let lines = try #require(narrow.certificate.nameConstraints)
        #expect(lines.contains("DNS:example.test") && lines.contains("Excluded:"))
        let plain = TestCertificate.root { $0.extensions.removeLast() }
        #expect(plain.certificate.subjectKeyIdentifier == nil)
    }
}
