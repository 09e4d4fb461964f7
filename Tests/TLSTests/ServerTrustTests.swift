import Bytes
import COpenSSL
import Testing
import Trust

@testable import TLS

/// A server, a policy, and what is to become of a handshake between them.
private struct TrustCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// nil: the server is accepted.
    let code: String?
    /// Pins change what is expected.
    var pinned: String?? = .none
    var identity = ReferenceIdentity.name("origin.example.test")
    let setUp: @Sendable (inout Scene) -> Void

    init(
        _ description: String,
        _ code: String?,
        pinned: String?? = .none,
        to host: String = "origin.example.test",
        _ setUp: @escaping @Sendable (inout Scene) -> Void
    ) {
        testDescription = description
        self.code = code
        self.pinned = pinned
        identity = ReferenceIdentity(host: host)
        self.setUp = setUp
    }
}

private struct Scene {
    let root = TestCertificate.root()
    var server = TestServer.Terms()
    var anchors: [TestCertificate]
    var policy = TrustPolicy.Terms()

    init() { anchors = [root] }

    /// A leaf of the root's.
    mutating func leaf(
        _ names: String? = "DNS:origin.example.test",
        _ change: (inout TestCertificate.Terms) -> Void = { _ in }
    ) {
        server.chain = [TestCertificate.server(names, issuer: root, change)]
    }
}

struct ServerTrustTests {
    private static let cases: [TrustCase] = [
        TrustCase("a decent server", nil) { $0.leaf() },
        TrustCase("an intermediate authority", nil) {
            let middle = TestCertificate.authority("Middle", issuer: $0.root)
            $0.server.chain = [.server(issuer: middle), middle]
        },
        TrustCase("expired", "chain.expired") { $0.leaf { $0.notAfter = noon - 1 } },
        TrustCase("not yet valid", "chain.not-yet-valid") { $0.leaf { $0.notBefore = noon + 1 } },
        TrustCase("an expired issuer", "chain.expired") {
            let middle = TestCertificate.authority("Middle", issuer: $0.root) { $0.notAfter = noon - 1 }
            $0.server.chain = [.server(issuer: middle), middle]
        },
        TrustCase("another's name", "host.mismatch") { $0.leaf("DNS:other.example.test") },
        TrustCase("the name as common name only", "host.mismatch") { $0.leaf(nil) },
        TrustCase("the name as common name beside another in the subjectAltName", "host.mismatch") {
            $0.leaf("IP:192.0.2.9")
        },
        TrustCase("an address in the subjectAltName", nil, to: "192.0.2.7") { $0.leaf("IP:192.0.2.7") },
        TrustCase("an IPv6 address in the subjectAltName", nil, to: "2001:db8::7") { $0.leaf("IP:2001:db8::7") },
        TrustCase("an address as DNS name", "host.mismatch", to: "192.0.2.7") { $0.leaf("DNS:192.0.2.7") },
        TrustCase("an address under a wildcard", "host.mismatch", to: "192.0.2.7") { $0.leaf("DNS:*.0.2.7") },
        TrustCase("a wildcard for the first label", nil) { $0.leaf("DNS:*.example.test") },
        TrustCase("a wildcard for two labels", "host.mismatch", to: "a.b.example.test") {
            $0.leaf("DNS:*.example.test")
        },
        TrustCase("a wildcard for no label", "host.mismatch", to: "example.test") { $0.leaf("DNS:*.example.test") },
        TrustCase("a wildcard for part of a label", "host.mismatch") { $0.leaf("DNS:ori*.example.test") },
        TrustCase("a wildcard behind the first label", "host.mismatch") { $0.leaf("DNS:origin.*.test") },
        TrustCase("a wildcard below a single label", "host.mismatch", to: "example.test") { $0.leaf("DNS:*.test") },
        TrustCase("a name in capitals", nil) { $0.leaf("DNS:ORIGIN.Example.Test") },
        TrustCase("a name constraint that permits the name", nil) {
            let middle = constrained($0, "permitted;DNS:example.test")
            $0.server.chain = [.server(issuer: middle), middle]
        },
        TrustCase("a name constraint that permits another", "chain.name-constraint") {
            let middle = constrained($0, "permitted;DNS:example.org")
            $0.server.chain = [.server(issuer: middle), middle]
        },
        TrustCase("a name constraint that excludes the name", "chain.name-constraint") {
            let middle = constrained($0, "excluded;DNS:origin.example.test")
            $0.server.chain = [.server(issuer: middle), middle]
        },
        TrustCase("a client's certificate", "chain.wrong-purpose") { scene in
            scene.server.chain = [.server(issuer: scene.root, purpose: "clientAuth")]
        },
        TrustCase("an issuer that is no authority", "chain.not-authority") { scene in
            let middle = TestCertificate.server("DNS:middle.example.test", issuer: scene.root) {
                $0.extensions[1] = ("keyUsage", "critical,digitalSignature,keyCertSign")
            }
            scene.server.chain = [.server(issuer: middle), middle]
        },
        TrustCase("an issuer that is a plain leaf", "chain.not-authority") { scene in
            let middle = TestCertificate.server("DNS:middle.example.test", issuer: scene.root) { $0.subject = "plain" }
            scene.server.chain = [.server(issuer: middle), middle]
        },
        TrustCase("a path longer than an authority allows", "chain.path-too-long") { scene in
            let upper = TestCertificate.authority("Upper", issuer: scene.root) {
                $0.extensions[0] = ("basicConstraints", "critical,CA:TRUE,pathlen:0")
            }
            let lower = TestCertificate.authority("Lower", issuer: upper)
            scene.server.chain = [.server(issuer: lower), lower, upper]
        },
        TrustCase("a missing intermediate", "chain.untrusted") {
            let middle = TestCertificate.authority("Middle", issuer: $0.root)
            $0.server.chain = [.server(issuer: middle)]
        },
        TrustCase("self-signed", "chain.self-signed") { $0.server.chain = [.server(issuer: nil)] },
        TrustCase("self-signed and named in anchors", nil) { scene in
            let own = TestCertificate.server(issuer: nil)
            scene.server.chain = [own]
            scene.anchors = [own, scene.root]
        },
        TrustCase("a root that nobody trusts", "chain.untrusted") {
            let other = TestCertificate.root("Other Root")
            $0.server.chain = [.server(issuer: other), other]
        },
        TrustCase("a root of the same name as the trusted one", "chain.untrusted") {
            let other = TestCertificate.root("Test Root")
            $0.server.chain = [.server(issuer: other)]
        },
        TrustCase("a path that is cross-signed to the trusted root", nil) { scene in
            let strange = TestCertificate.root("Strange Root")
            let crossed = TestCertificate.authority("Strange Root", issuer: scene.root) { $0.keyOf = strange }
            scene.server.chain = [.server(issuer: strange), strange, crossed]
        },
        TrustCase("an RSA key of 1024 bits", "chain.weak-key") { $0.leaf { $0.key = .rsa1024 } },
        TrustCase("an issuer with an RSA key of 1024 bits", "chain.weak-key") { scene in
            let middle = TestCertificate.authority("Middle", issuer: scene.root) { $0.key = .rsa1024 }
            scene.server.chain = [.server(issuer: middle), middle]
        },
        TrustCase("an RSA key of 2048 bits", nil) { $0.leaf { $0.key = .rsa2048 } },
        TrustCase("a signature over SHA-1", "chain.weak-key") { $0.leaf { $0.digest = "SHA1" } },
        TrustCase("an anchor that is no root", nil) { scene in
            let middle = TestCertificate.authority("Middle", issuer: scene.root)
            scene.anchors = [middle, scene.root]
            scene.server.chain = [.server(issuer: middle), middle]
        },
        TrustCase("a staple that says good", nil) { scene in
            scene.leaf()
            scene.server.staple = TestRevocation.answer(about: scene.server.chain[0], issuer: scene.root)
        },
        TrustCase("a staple that says revoked", "chain.revoked") { scene in
            scene.leaf()
            scene.server.staple = TestRevocation.answer(
                about: scene.server.chain[0],
                issuer: scene.root,
                status: V_OCSP_CERTSTATUS_REVOKED
            )
        },
        TrustCase("a staple that says revoked, by SHA-256", "chain.revoked") { scene in
            scene.leaf()
            scene.server.staple = TestRevocation.answer(
                about: scene.server.chain[0],
                issuer: scene.root,
                status: V_OCSP_CERTSTATUS_REVOKED,
                digest: "SHA256"
            )
        },
        TrustCase("a staple that says revoked of an intermediate's leaf", "chain.revoked") { scene in
            let middle = TestCertificate.authority("Middle", issuer: scene.root)
            scene.server.chain = [.server(issuer: middle), middle]
            scene.server.staple = TestRevocation.answer(
                about: scene.server.chain[0],
                issuer: middle,
                status: V_OCSP_CERTSTATUS_REVOKED
            )
        },
        TrustCase("must-staple with a good staple", nil) { scene in
            scene.leaf()
            scene.policy.revocation = .mustStaple
            scene.server.staple = TestRevocation.answer(about: scene.server.chain[0], issuer: scene.root)
        },
        TrustCase("must-staple without a staple", "chain.staple-missing") { scene in
            scene.leaf()
            scene.policy.revocation = .mustStaple
        },
        TrustCase("must-staple with a staple of yesterday", "chain.staple-missing") { scene in
            scene.leaf()
            scene.policy.revocation = .mustStaple
            scene.server.staple = TestRevocation.answer(
                about: scene.server.chain[0],
                issuer: scene.root,
                from: noon - 2 * day,
                to: noon - day
            )
        },
        TrustCase("must-staple with a staple of tomorrow", "chain.staple-missing") { scene in
            scene.leaf()
            scene.policy.revocation = .mustStaple
            scene.server.staple = TestRevocation.answer(
                about: scene.server.chain[0],
                issuer: scene.root,
                from: noon + day
            )
        },
        TrustCase("must-staple with a staple about another", "chain.staple-missing") { scene in
            scene.leaf()
            scene.policy.revocation = .mustStaple
            let other = TestCertificate.server(issuer: scene.root)
            scene.server.staple = TestRevocation.answer(about: other, issuer: scene.root)
        },
        TrustCase("must-staple with a staple that the leaf signed itself", "chain.staple-missing") { scene in
            scene.leaf()
            scene.policy.revocation = .mustStaple
            let leaf = scene.server.chain[0]
            scene.server.staple = TestRevocation.answer(about: leaf, issuer: scene.root, signer: leaf)
        },
        TrustCase("must-staple with a staple of a responder that the issuer names", nil) { scene in
            scene.leaf()
            scene.policy.revocation = .mustStaple
            let responder = TestCertificate.server(nil, issuer: scene.root, purpose: "OCSPSigning")
            scene.server.staple = TestRevocation.answer(
                about: scene.server.chain[0],
                issuer: scene.root,
                signer: responder
            )
        },
        TrustCase("must-staple with a staple of a responder that another names", "chain.staple-missing") { scene in
            scene.leaf()
            scene.policy.revocation = .mustStaple
            let responder = TestCertificate.server(nil, issuer: .root("Other"), purpose: "OCSPSigning")
            scene.server.staple = TestRevocation.answer(
                about: scene.server.chain[0],
                issuer: scene.root,
                signer: responder
            )
        },
        TrustCase("must-staple with an answer that says: later", "chain.staple-missing") { scene in
            scene.leaf()
            scene.policy.revocation = .mustStaple
            scene.server.staple = TestRevocation.tryLater()
        },
        TrustCase("revoked in the list", "chain.revoked") { scene in
            scene.leaf()
            let list = TestRevocation.list(of: scene.root, revoked: scene.server.chain)
            scene.policy.revocation = .crl(name: "list.pem", bytes: list)
        },
        TrustCase("not in the list", nil) { scene in
            scene.leaf()
            let list = TestRevocation.list(of: scene.root, revoked: [.server(issuer: scene.root)])
            scene.policy.revocation = .crl(name: "list.pem", bytes: list)
        },
        TrustCase("a list that has ended", "chain.revocation-unknown") { scene in
            scene.leaf()
            let list = TestRevocation.list(of: scene.root, revoked: [], to: noon - 1)
            scene.policy.revocation = .crl(name: "list.pem", bytes: list)
        },
        TrustCase("a list of another authority", "chain.revocation-unknown") { scene in
            scene.leaf()
            let list = TestRevocation.list(of: .root("Other"), revoked: [])
            scene.policy.revocation = .crl(name: "list.pem", bytes: list)
        },
        TrustCase("an intermediate that is revoked in the list", "chain.revoked") { scene in
            let middle = TestCertificate.authority("Middle", issuer: scene.root)
            scene.server.chain = [.server(issuer: middle), middle]
            let lists =
                TestRevocation.list(of: middle, revoked: []) + TestRevocation.list(of: scene.root, revoked: [middle])
            scene.policy.revocation = .crl(name: "list.pem", bytes: lists)
        },
        TrustCase("a list of the leaf's issuer only", nil) { scene in
            let middle = TestCertificate.authority("Middle", issuer: scene.root)
            scene.server.chain = [.server(issuer: middle), middle]
            scene.policy.revocation = .crl(name: "list.pem", bytes: TestRevocation.list(of: middle, revoked: []))
        },
        TrustCase("a rogue with a certificate of the trusted root's as passenger", "chain.untrusted") { scene in
            let rogue = TestCertificate.root("Rogue")
            scene.server.chain = [.server(issuer: rogue), rogue, .server(issuer: scene.root), scene.root]
        },
    ]

    private static func constrained(_ scene: Scene, _ constraint: String) -> TestCertificate {
        TestCertificate.authority("Constrained", issuer: scene.root) {
            $0.extensions.append(("nameConstraints", "critical,\(constraint)"))
        }
    }

    @Test("T-1 each server gets its verdict and its code, before a client certificate has left", arguments: cases)
    fileprivate func verdict(trust: TrustCase) throws {
        for version in [TLS1_2_VERSION, TLS1_3_VERSION] {
            for isPinned in [false, true] {
                var scene = Scene()
                trust.setUp(&scene)
                scene.server.minimum = version
                scene.server.maximum = version
                scene.server.clientAuthorities = []
                if isPinned {
                    scene.policy.pinning = .publicKey
                    // The pin of a passenger and of what signs: a pin never widens trust (T-2).
                    let certificates = scene.server.chain + [scene.root]
                    scene.policy.pins = PinSet(publicKeys: certificates.map(\.facts.publicKeyPin))
                }
                let client = TestCertificate.server(nil, issuer: scene.root, purpose: "clientAuth") {
                    $0.subject = "me"
                }
                let context = try TestPolicy.context(
                    anchors: scene.anchors,
                    identity: ClientIdentity(client.pem, client.keyPEM)
                ) {
                    let anchors = $0.anchors
                    $0 = scene.policy
                    $0.anchors = anchors
                }
                let connection = try Connection(context, TestServerContext(scene.server), to: trust.identity)
                    .shakeHands()
                let place = Comment(
                    "version \(version), pinned: \(isPinned); \(connection.client.decision?.failure?.detail ?? "")"
                )
                #expect(connection.refusal == trust.code, place)
                #expect(connection.isComplete == (trust.code == nil), place)
                if trust.code == nil {
                    #expect(connection.server.clientSubject == "CN=me", place)
                } else {
                    #expect(connection.error?.kind == .untrusted, place)
                    #expect(!connection.client.hasOfferedCertificate, place)
                    #expect(connection.server.clientSubject == nil, place)
                    // It hears what is wrong with its certificate: nothing later than the verdict has stopped us.
                    #expect(connection.server.failure?.contains("alert internal error") == false, place)
                    #expect(connection.server.read().isEmpty, place)
                }
            }
        }
    }
}
