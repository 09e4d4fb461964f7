import Bytes
import Crypto
import Glibc
import Support
import Testing
import Trust

@testable import TLS

struct CertificateAuthorityTests {
    private static let now = Int64(time(nil))
    private let authority: CertificateAuthority

    init() throws {
        authority = try CertificateAuthority.make(name: "countersign test", constraints: [], now: Self.now)
    }

    private static let identities: [ReferenceIdentity] = [
        .name("origin.example.test"), .address(IPAddress(v4: 0xc000_0207)), .address(.loopbackV6),
        // Longer than a common name may be.
        .name(String(repeating: "long.", count: 20) + "example.test"),
    ]

    /// What `openssl verify` says of a leaf under an authority.
    private func verify(
        _ leaf: MintedLeaf,
        under authority: CertificateAuthority,
        for identity: ReferenceIdentity
    ) throws -> TestProcess.Exit {
        let folder = try ScratchFolder("authority")
        let root = try folder.write(String(decoding: authority.certificate.pem, as: UTF8.self), to: "root.pem")
        let file = try folder.write(String(decoding: leaf.certificate.pem, as: UTF8.self), to: "leaf.pem")
        let check =
            switch identity {
            case .name(let name): ["-verify_hostname", name]
            case .address(let address): ["-verify_ip", address.description]
            }
        let openssl = try TestProcess(
            "openssl",
            ["verify", "-x509_strict", "-purpose", "sslserver", "-auth_level", "2", "-CAfile", root] + check + [file]
        )
        return try openssl.waitForExit()
    }

    @Test("I-1 a minted leaf passes openssl verify -x509_strict", arguments: identities)
    func strict(identity: ReferenceIdentity) throws {
        let leaf = try authority.mint(for: identity, now: Self.now)
        #expect(try verify(leaf, under: authority, for: identity) == .status(0))
        #expect(identity.matches(leaf.certificate.facts))
        #expect(try verify(leaf, under: authority, for: .name("other.example.test")) != .status(0))
    }

    @Test("I-1 a minted leaf is backdated by an hour, valid for a week, and never outlives its authority")
    func validity() throws {
        let facts = try authority.mint(for: .name("a.test"), now: noon).certificate.facts
        #expect(facts.notBefore == noon - 3600)
        #expect(facts.notAfter == noon + 7 * day)
        let short = TestCertificate.root { $0.notAfter = noon + 2 * day }
        let loaded = try CertificateAuthority(short.pem, short.keyPEM, now: noon)
        #expect(try loaded.mint(for: .name("a.test"), now: noon).notAfter == noon + 2 * day)
    }

    @Test("I-1 a minted leaf says what it is for, in openssl's words")
    func contents() throws {
        let leaf = try authority.mint(for: .name("a.test"), now: Self.now)
        let text = try Self.text(of: leaf.certificate)
        let root = try Self.text(of: authority.certificate)
        #expect(text.contains("NIST CURVE: P-256"))
        #expect(text.contains("TLS Web Server Authentication"))
        #expect(text.contains("X509v3 Basic Constraints: critical\n                CA:FALSE"))
        let rootKeyID = try #require(Self.line(after: "X509v3 Subject Key Identifier:", in: root))
        #expect(Self.line(after: "X509v3 Authority Key Identifier:", in: text) == rootKeyID)
        let serials = try (0..<20).map { _ in
            try #require(
                Self.line(
                    after: "Serial Number:",
                    in: Self.text(of: authority.mint(for: .name("a.test"), now: noon).certificate)
                )
            )
        }
        #expect(Set(serials).count == 20)
        // 128 bits are 47 characters in hex with colons; a few of twenty may begin with a zero byte.
        #expect(serials.filter { $0.count >= 47 }.count >= 15)
    }

    private static func text(of certificate: Certificate) throws -> String {
        let folder = try ScratchFolder("authority")
        let file = try folder.write(String(decoding: certificate.pem, as: UTF8.self), to: "certificate.pem")
        let openssl = try TestProcess("openssl", ["x509", "-in", file, "-noout", "-text"])
        #expect(try openssl.waitForExit() == .status(0))
        return openssl.output
    }

    private static func line(after heading: String, in text: String) -> String? {
        let lines = text.split(separator: "\n")
        guard let index = lines.firstIndex(where: { $0.hasSuffix(heading) || $0.contains(heading) }) else { return nil }
        return lines[index + 1].trimmingBlanks
    }

    @Test("I-4 an authority with constraints is believed for what lies in them only")
    func constraints() throws {
        let network = try #require(IPNetwork("10.0.0.0/8"))
        let both = try CertificateAuthority.make(
            name: "constrained",
            constraints: [.name("example.test"), .network(network)],
            now: Self.now
        )
        let names = try CertificateAuthority.make(name: "names", constraints: [.name("example.test")], now: Self.now)
        let networks = try CertificateAuthority.make(name: "networks", constraints: [.network(network)], now: Self.now)
        let name = ReferenceIdentity.name("a.example.test")
        let foreignName = ReferenceIdentity.name("a.example.org")
        let address = ReferenceIdentity(host: "10.1.2.3")
        let foreignAddress = ReferenceIdentity(host: "192.0.2.1")
        let v6 = ReferenceIdentity(host: "2001:db8::1")
        let cases: [(CertificateAuthority, ReferenceIdentity, Bool)] = [
            (both, name, true), (both, foreignName, false), (both, address, true), (both, foreignAddress, false),
            (both, v6, false), (names, name, true), (names, foreignName, false), (names, address, false),
            (names, v6, false), (networks, name, false), (networks, address, true), (networks, foreignAddress, false),
        ]
        for (authority, identity, isBelieved) in cases {
            let leaf = try authority.mint(for: identity, now: Self.now)
            let exit = try verify(leaf, under: authority, for: identity)
            #expect((exit == .status(0)) == isBelieved, "\(authority.certificate.facts.subject), \(identity)")
        }
        #expect(throws: TLSError.self) {
            try CertificateAuthority.make(name: "x", constraints: [.name("a,IP:0.0.0.0/0.0.0.0")], now: noon)
        }
    }

    @Test("I-4 an authority is read back from what it is kept as")
    func kept() throws {
        let pem = try authority.certificate.pem
        let loaded = try CertificateAuthority(certificate: pem.span, privateKey: authority.privateKeyPEM, now: Self.now)
        let leaf = try loaded.mint(for: .name("a.test"), now: Self.now)
        #expect(try verify(leaf, under: authority, for: .name("a.test")) == .status(0))
    }

    @Test("I-4 what is no authority, or no longer one, is refused with the reason")
    func refused() throws {
        let leaf = TestCertificate.server(issuer: .root())
        let ended = TestCertificate.root { $0.notAfter = noon - 1 }
        let unsigning = TestCertificate.root { $0.extensions[1] = ("keyUsage", "critical,cRLSign") }
        let nameless = TestCertificate.root { $0.extensions.removeLast() }
        let cases = [
            (leaf, leaf, "isn't an authority's"), (ended, ended, "has ended"), (unsigning, unsigning, "keyCertSign"),
            (nameless, nameless, "subjectKeyIdentifier"), (.root(), .root("Other"), "isn't the private key's"),
        ]
        for (certificate, key, words) in cases {
            let error = #expect(throws: TLSError.self) {
                try CertificateAuthority(certificate.pem, key.keyPEM, now: noon)
            }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
