import Crypto
import Support
import Testing
import Trust

@testable import TLS

struct CertificateTests {
    private let root = TestCertificate.root()

    @Test("the facts of a certificate are what it says")
    func facts() throws {
        let leaf = TestCertificate.server(
            "DNS:a.example.test,DNS:*.B.example.test,IP:192.0.2.7,IP:2001:db8::1,email:x@example.test,URI:http://u.test/",
            issuer: root
        )
        let facts = try #require(try Certificate.all(leaf.pem).first).facts
        #expect(facts.subject == "CN=origin.example.test")
        #expect(facts.issuer == "CN=Test Root")
        #expect(facts.notBefore == noon - day)
        #expect(facts.notAfter == noon + 30 * day)
        #expect(facts.dnsNames == ["a.example.test", "*.B.example.test"].map { Array($0.utf8) })
        #expect(
            facts.addresses == [[192, 0, 2, 7], [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]]
        )
        #expect(!facts.isSelfSigned)
        #expect(!facts.isAuthority)
        #expect(root.facts.isSelfSigned)
        #expect(root.facts.isAuthority)
    }

    @Test("the pin of a certificate is what the openssl command makes of it")
    func pin() throws {
        let folder = try ScratchFolder("certificate")
        let file = try folder.write(String(decoding: root.pem, as: UTF8.self), to: "root.pem")
        let command =
            "openssl x509 -in \(file) -pubkey -noout | openssl pkey -pubin -outform der"
            + " | openssl dgst -sha256 -binary | base64"
        let shell = try TestProcess("sh", ["-c", command])
        #expect(try shell.waitForExit() == .status(0))
        let printed = shell.output.split(separator: "\n").first.map(String.init) ?? ""
        #expect(root.facts.publicKeyPin.description == "sha256/\(printed)")
    }

    @Test("PEM with other text around it and DER are both read, in order")
    func forms() throws {
        let other = TestCertificate.root("Other Root")
        let text = Array("a comment\n".utf8) + root.pem + Array("\n# between\n".utf8) + other.keyPEM + other.pem
        #expect(try Certificate.all(text).map(\.facts.subject) == ["CN=Test Root", "CN=Other Root"])
        #expect(try Certificate.all(root.facts.der).map(\.facts) == [root.facts])
        #expect(try Certificate.all(Certificate.all(root.pem)[0].pem).map(\.facts) == [root.facts])
    }

    @Test(
        "what is no certificate, or a broken one, is an error",
        arguments: ["", "text", "-----BEGIN CERTIFICATE-----\nAAAA\n"]
    )
    func broken(text: String) {
        let error = #expect(throws: TLSError.self) { try Certificate.all(Array(text.utf8)) }
        #expect(error?.kind == .material)
        let behind = root.pem + Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
        #expect(throws: TLSError.self) { try Certificate.all(behind) }
        let cut = root.facts.der.dropLast()
        #expect(throws: TLSError.self) { try Certificate.all(Array(cut)) }
    }

    @Test("a control character in a name is escaped before anyone prints it")
    func controlCharacters() {
        let odd = TestCertificate.root("a\nb\u{7f}\u{e9}")
        #expect(odd.facts.subject == "CN=a\\0Ab\\7F\\C3\\A9")
    }
}

struct ClientIdentityTests {
    private let root = TestCertificate.root()

    private func secret(_ bytes: [UInt8]) -> Secret { Secret(bytes.span) }

    @Test("T-6 a client certificate is read from PEM with its chain in order and without its root")
    func pem() throws {
        let middle = TestCertificate.authority("Middle", issuer: root)
        let leaf = TestCertificate.server(nil, issuer: middle, purpose: "clientAuth") { $0.subject = "client" }
        let text = root.pem + middle.pem + leaf.pem
        let identity = try ClientIdentity(text, leaf.keyPEM)
        #expect(identity.certificates.map(\.facts.subject) == ["CN=client", "CN=Middle"])
        #expect(identity.facts == leaf.facts)
    }

    @Test("T-6 an encrypted key needs its own passphrase")
    func encrypted() throws {
        let leaf = TestCertificate.server(nil, issuer: root)
        let key = leaf.keyPEM(passphrase: "open sesame")
        _ = try ClientIdentity(leaf.pem, key, passphrase: "open sesame")
        for passphrase in ["open says me", "", nil] {
            let error = #expect(throws: TLSError.self) { try ClientIdentity(leaf.pem, key, passphrase: passphrase) }
            #expect(error?.kind == .passphrase)
        }
    }

    @Test("T-6 a key that belongs to none of the certificates is an error")
    func foreignKey() {
        let key = TestCertificate.root("Other").keyPEM
        let error = #expect(throws: TLSError.self) { try ClientIdentity(root.pem, key) }
        #expect(error?.kind == .material)
    }

    @Test("T-6 a PKCS#12 file gives certificate, chain and key", arguments: ["open sesame", "", nil])
    func pkcs12(passphrase: String?) throws {
        let middle = TestCertificate.authority("Middle", issuer: root)
        let leaf = TestCertificate.server(nil, issuer: middle) { $0.subject = "client" }
        let file = secret(leaf.pkcs12(passphrase: passphrase, others: [root, middle]))
        let identity = try ClientIdentity(pkcs12: file, passphrase: passphrase.map { Secret($0) })
        #expect(identity.certificates.map(\.facts.subject) == ["CN=client", "CN=Middle"])
    }

    @Test("T-6 a PKCS#12 file needs its own passphrase")
    func wrongPassphrase() {
        let file = secret(root.pkcs12(passphrase: "open sesame", others: []))
        for passphrase in [Secret("open says me"), nil] {
            let error = #expect(throws: TLSError.self) { try ClientIdentity(pkcs12: file, passphrase: passphrase) }
            #expect(error?.kind == .passphrase)
        }
        let error = #expect(throws: TLSError.self) { try ClientIdentity(pkcs12: Secret("nonsense")) }
        #expect(error?.kind == .material)
    }
}
