import COpenSSL
import Testing
import Trust

@testable import TLS

struct TrustModesTests {
    private let root = TestCertificate.root()

    private func verdict(
        _ chain: [TestCertificate],
        anchors: [TestCertificate]? = nil,
        _ change: (inout TrustPolicy.Terms) -> Void
    ) throws -> Connection {
        var terms = TestServer.Terms()
        terms.chain = chain
        terms.clientAuthorities = []
        let client = TestCertificate.server(nil, issuer: root, purpose: "clientAuth")
        let identity = try ClientIdentity(client.pem, client.keyPEM)
        let context = try TestPolicy.context(anchors: anchors ?? [root], identity: identity, change)
        let connection = try Connection(context, TestServerContext(terms)).shakeHands()
        #expect(connection.isComplete == (connection.refusal == nil))
        #expect(connection.client.hasOfferedCertificate == connection.isComplete)
        #expect((connection.server.clientSubject != nil) == connection.isComplete)
        return connection
    }

    private func invalid(
        _ pins: PinSet,
        _ pinning: TrustPolicy.Pinning = .publicKey
    ) -> (inout TrustPolicy.Terms) -> Void {
        {
            $0.allowsInvalidCertificates = true
            $0.pinning = pinning
            $0.pins = pins
        }
    }

    @Test("T-3 an invalid chain is accepted by a pin of what signatures link, and by no other")
    func linked() throws {
        let own = TestCertificate.server(issuer: nil) {
            $0.extensions.removeLast(2); $0.extensions.append(("subjectAltName", "DNS:origin.example.test"))
        }
        #expect(try verdict([own], invalid(TestPolicy.pins(own))).refusal == nil)
        #expect(try verdict([own], invalid(TestPolicy.pins(root))).refusal == "pin.mismatch")
        let private1 = TestCertificate.root("Private Root")
        let middle = TestCertificate.authority("Private Middle", issuer: private1)
        let leaf = TestCertificate.server(issuer: middle)
        for pinned in [leaf, middle, private1] {
            #expect(try verdict([leaf, middle, private1], invalid(TestPolicy.pins(pinned))).refusal == nil)
            // In any order, and with others in between.
            #expect(try verdict([leaf, root, private1, own, middle], invalid(TestPolicy.pins(pinned))).refusal == nil)
        }
        // What isn't presented isn't linked.
        #expect(try verdict([leaf, middle], invalid(TestPolicy.pins(private1))).refusal == "pin.mismatch")
    }

    @Test("T-3 a passenger's pin counts for nothing, whatever its name")
    func passenger() throws {
        let pinned = TestCertificate.root("Private Root")
        let rogue = TestCertificate.root("Private Root")
        let leaf = TestCertificate.server(issuer: rogue) { $0.extensions.remove(at: 4) }
        for chain in [[leaf, pinned], [leaf, pinned, rogue], [leaf, rogue, pinned]] {
            let connection = try verdict(chain, invalid(TestPolicy.pins(pinned)))
            #expect(connection.refusal == "pin.mismatch")
            #expect(!connection.client.peerPath.contains(pinned.facts))
        }
        let own = TestCertificate.server(issuer: pinned)
        let connection = try verdict([leaf, own], invalid(TestPolicy.pins(own)))
        #expect(connection.refusal == "pin.mismatch")
    }

    @Test("T-3 dates don't count for a pinned key, and do up to a pinned certificate")
    func dates() throws {
        let private1 = TestCertificate.root("Private Root")
        let ended = TestCertificate.server(issuer: private1) { $0.notAfter = noon - 1 }
        #expect(try verdict([ended, private1], invalid(TestPolicy.pins(private1))).refusal == nil)
        let certificates = invalid(TestPolicy.certificatePins(private1), .certificate)
        #expect(try verdict([ended, private1], certificates).refusal == "chain.expired")
        #expect(try verdict([.server(issuer: private1), private1], certificates).refusal == nil)
    }

    @Test("T-3 the name counts, unless it is switched off")
    func name() throws {
        let other = TestCertificate.server("DNS:other.example.test", issuer: .root("Private Root"))
        #expect(try verdict([other], invalid(TestPolicy.pins(other))).refusal == "host.mismatch")
        let unnamed = try verdict([other]) {
            $0.allowsInvalidCertificates = true
            $0.validatesDomainName = false
            $0.pinning = .publicKey
            $0.pins = TestPolicy.pins(other)
        }
        #expect(unnamed.refusal == nil)
        let anything = try verdict([other]) {
            $0.allowsInvalidCertificates = true
            $0.validatesDomainName = false
        }
        #expect(anything.refusal == nil)
        #expect(try verdict([other]) { $0.allowsInvalidCertificates = true }.refusal == "chain.untrusted")
    }

    @Test("T-3 what may be passed over doesn't hide what may not")
    func hidden() throws {
        let private1 = TestCertificate.root("Private Root")
        let weak = TestCertificate.server(issuer: private1) { $0.key = .rsa1024 }
        #expect(try verdict([weak, private1], invalid(TestPolicy.pins(weak))).refusal == "chain.weak-key")
        let client = TestCertificate.server(issuer: private1, purpose: "clientAuth")
        #expect(try verdict([client, private1], invalid(TestPolicy.pins(private1))).refusal == "chain.wrong-purpose")
        let plain = TestCertificate.server("DNS:plain.example.test", issuer: private1) { $0.subject = "plain" }
        let below = TestCertificate.server(issuer: plain)
        #expect(
            try verdict([below, plain, private1], invalid(TestPolicy.pins(private1))).refusal == "chain.not-authority"
        )
    }

    @Test("T-1 a path may end at any certificate that the policy names, and at no other that isn't a root")
    func partial() throws {
        let middle = TestCertificate.authority("Middle", issuer: root)
        let leaf = TestCertificate.server(issuer: middle)
        let named = try verdict([leaf, middle], anchors: [middle]) { _ in }
        #expect(named.refusal == nil)
        #expect(named.client.peerPath.map(\.subject) == ["CN=origin.example.test", "CN=Middle"])
        let leafOnly = try verdict([leaf, middle], anchors: [leaf]) { _ in }
        #expect(leafOnly.refusal == nil)
        #expect(leafOnly.client.peerPath == [leaf.facts])
        #expect(try verdict([leaf, middle], anchors: [.server(issuer: middle)]) { _ in }.refusal == "chain.untrusted")
        // An intermediate in the system's store is no anchor, not even beside one that the policy names.
        let system = try SystemAnchors()
        unsafe #expect(X509_STORE_add_cert(system.store, middle.raw) == 1)
        for others in [[], [TestCertificate.root("Other")]] {
            var terms = TrustPolicy.Terms()
            terms.anchors = [.system] + others.map { AnchorSource.file(name: "other.pem", pem: $0.pem) }
            let context = try TLSContext(policy: TrustPolicy(name: "t", terms: terms), systemAnchors: system)
            var server = TestServer.Terms()
            server.chain = [leaf, middle]
            #expect(try Connection(context, TestServerContext(server)).shakeHands().refusal == "chain.untrusted")
        }
        unsafe #expect(X509_STORE_add_cert(system.store, root.raw) == 1)
        for others in [[], [TestCertificate.root("Other")]] {
            var terms = TrustPolicy.Terms()
            terms.anchors = [.system] + others.map { AnchorSource.file(name: "other.pem", pem: $0.pem) }
            let context = try TLSContext(policy: TrustPolicy(name: "t", terms: terms), systemAnchors: system)
            var server = TestServer.Terms()
            server.chain = [leaf]
            let connection = try Connection(context, TestServerContext(server)).shakeHands()
            #expect(connection.refusal == nil, "\(others.count) \(connection.client.decision?.failure?.detail ?? "")")
        }
    }

    @Test("T-1 strict holds a path to what RFC 5280 asks for, and only then")
    func strict() throws {
        let bare = TestCertificate.root("Bare Root") { $0.extensions.remove(at: 1) }
        let leaf = TestCertificate.server(issuer: bare)
        #expect(try verdict([leaf], anchors: [bare]) { $0.strict = true }.refusal == "chain.strict")
        #expect(try verdict([leaf], anchors: [bare]) { _ in }.refusal == nil)
        #expect(try verdict([.server(issuer: root)]) { $0.strict = true }.refusal == nil)
    }

    @Test("T-2 pins are held against the validated path, roots that aren't sent included")
    func pins() throws {
        let middle = TestCertificate.authority("Middle", issuer: root)
        let leaf = TestCertificate.server(issuer: middle)
        for pinned in [leaf, middle, root] {
            let connection = try verdict([leaf, middle]) {
                $0.pinning = .publicKey
                $0.pins = TestPolicy.pins(pinned)
            }
            #expect(connection.refusal == nil)
            #expect(connection.client.peerPath.count == 3)
            let byCertificate = try verdict([leaf, middle]) {
                $0.pinning = .certificate
                $0.pins = TestPolicy.certificatePins(pinned)
            }
            #expect(byCertificate.refusal == nil)
        }
        let passenger = TestCertificate.root("Passenger")
        let mismatch = try verdict([leaf, middle, passenger]) {
            $0.pinning = .publicKey
            $0.pins = TestPolicy.pins(passenger)
        }
        #expect(mismatch.refusal == "pin.mismatch")
        #expect(mismatch.client.decision?.failure?.seen.map(\.subject).first == "CN=origin.example.test")
    }

    @Test("T-4 a mismatch that isn't enforced is let through with what was seen")
    func unenforced() throws {
        let connection = try verdict([.server(issuer: root)]) {
            $0.pinning = .publicKey
            $0.pins = TestPolicy.pins(.root("Other"))
            $0.enforces = false
        }
        #expect(connection.isComplete)
        guard case .acceptAndReport(let failure)? = connection.client.decision else { throw Unexpected("no report") }
        #expect(failure.reasonCode == "pin.mismatch")
    }

    @Test("an anchor or a revocation list that can't be read is an error that names its file")
    func unreadable() throws {
        for change: (inout TrustPolicy.Terms) -> Void in [
            { $0.anchors = [.file(name: "broken.pem", pem: Array("nonsense".utf8))] },
            { $0.revocation = .crl(name: "broken.pem", bytes: Array("nonsense".utf8)) },
            { $0.revocation = .crl(name: "broken.pem", bytes: [0x30, 1, 2]) },
        ] {
            let error = #expect(throws: TLSError.self) { try TestPolicy.context(anchors: [root], change) }
            #expect(error?.kind == .material)
            #expect(error?.message.contains("broken.pem") == true)
        }
    }
}
