import Testing
import Trust

@Suite struct TrustPolicyTests {
    private typealias Terms = TrustPolicy.Terms
    private static let other = Certificates.make("other")
    private let host = "www.good.com"

    @Test("T-1 path, name and pins are judged in this order")
    func order() {
        let terms = Terms(.publicKey, [Self.other])
        let all = Chain.invalid(.expired, [Certificates.goodLeaf])
        #expect(VerdictRow("", all, terms, "b.example", "").outcome == "chain.expired")
        #expect(VerdictRow("", .good, terms, "b.example", "").outcome == "host.mismatch")
        #expect(VerdictRow("", .good, terms, host, "").outcome == "pin.mismatch")
    }

    @Test("T-4 pins end with the first second of the day that expires names; the validation goes on")
    func expiry() {
        let terms = Terms(.publicKey, [Self.other]).with { $0.expires = june2020 }
        #expect(VerdictRow("", .good, terms, host, "", now: june2020 - 1).outcome == "pin.mismatch")
        #expect(VerdictRow("", .good, terms, host, "", now: june2020).outcome == "accept")
        let invalid = Chain.invalid(.untrusted, [Certificates.goodLeaf])
        #expect(VerdictRow("", invalid, terms, host, "", now: june2020).outcome == "chain.untrusted")
        #expect(VerdictRow("", .good, terms, "b.example", "", now: june2020).outcome == "host.mismatch")
    }

    @Test("T-4 enforce false lets a pin mismatch through, never an invalid chain or a wrong name")
    func unenforced() {
        let terms = Terms(.certificate, [Self.other], enforce: false)
        #expect(VerdictRow("", .good, terms, host, "").outcome == "report pin.mismatch")
        #expect(VerdictRow("", .good, terms, "b.example", "").outcome == "host.mismatch")
        let invalid = Chain.invalid(.untrusted, [Certificates.goodLeaf])
        #expect(VerdictRow("", invalid, terms, host, "").outcome == "chain.untrusted")
    }

    @Test("T-2 observe refuses nothing for pins, and holds to validation and name")
    func observe() {
        let terms = Terms(.observe, [])
        #expect(VerdictRow("", .good, terms, host, "").outcome == "report pin.observed")
        #expect(VerdictRow("", .good, terms, "b.example", "").outcome == "host.mismatch")
        let invalid = Chain.invalid(.selfSigned, [Certificates.goodLeaf])
        #expect(VerdictRow("", invalid, terms, host, "").outcome == "chain.self-signed")
    }

    @Test("T-12 a tunnel is refused where pins are enforced, unless the policy says otherwise")
    func tunnels() {
        func refuses(_ terms: Terms, at now: Int64 = june2020) -> Bool {
            TrustPolicy(name: "", terms: terms).refusesTunnel(at: now)
        }
        let pinned = Terms(.publicKey, [Self.other])
        #expect(refuses(pinned))
        #expect(!refuses(pinned.with { $0.enforces = false }))
        #expect(!refuses(pinned.with { $0.tunnel = .pass }))
        #expect(!refuses(pinned.with { $0.expires = june2020 }))
        #expect(refuses(pinned.with { $0.expires = june2020 + 1 }))
        #expect(!refuses(Terms()))
        #expect(!refuses(Terms(.observe, [])))
        #expect(refuses(Terms().with { $0.tunnel = .refuse }))
    }

    static let staples: [(Revocation, StapleResult, String)] = [
        (.off, .revoked, "accept"),
        (.crl(name: "", bytes: []), .revoked, "accept"),
        (.staple, .absent, "accept"), (.staple, .good, "accept"), (.staple, .unusable("old"), "accept"),
        (.staple, .revoked, "chain.revoked"),
        (.mustStaple, .good, "accept"), (.mustStaple, .absent, "chain.staple-missing"),
        (.mustStaple, .unusable("old"), "chain.staple-missing"), (.mustStaple, .revoked, "chain.revoked"),
    ]

    @Test("T-1 a stapled answer counts as revocation says", arguments: staples)
    func staple(revocation: Revocation, staple: StapleResult, verdict: String) {
        let policy = TrustPolicy(name: "", terms: Terms().with { $0.revocation = revocation })
        let decision = policy.decide(staple, path: [Certificates.goodLeaf], identity: ReferenceIdentity(host: host))
        #expect(decision.testText == verdict)
    }

    @Test("T-5 policies that differ in anything differ in their fingerprint, and only then")
    func fingerprints() {
        let pem: [UInt8] = [1, 2]
        let changes: [(inout Terms) -> Void] = [
            { _ in }, { $0.pinning = .publicKey }, { $0.pinning = .observe },
            { $0.pins = PinSet(publicKeys: [Self.other.publicKeyPin]) },
            { $0.pins = PinSet(certificates: [PinnedCertificate(facts: Self.other)]) },
            { $0.validatesDomainName = false }, { $0.allowsInvalidCertificates = true }, { $0.strict = true },
            { $0.enforces = false }, { $0.anchors = [] }, { $0.anchors = [.file(name: "a", pem: pem)] },
            { $0.anchors = [.file(name: "a", pem: [1]), .file(name: "a", pem: [2])] },
            { $0.anchors = [.system, .file(name: "a", pem: pem)] }, { $0.expires = 0 }, { $0.expires = -1 },
            { $0.reportURL = "" }, { $0.reportURL = "https://a" }, { $0.minimumVersion = .v13 },
            { $0.maximumVersion = .v12 }, { $0.ciphers = "A" }, { $0.groups = "A" }, { $0.revocation = .off },
            { $0.revocation = .mustStaple }, { $0.revocation = .crl(name: "", bytes: []) },
            { $0.revocation = .crl(name: "", bytes: pem) }, { $0.tunnel = .pass }, { $0.tunnel = .refuse },
        ]
        let fingerprints = changes.map { TrustPolicy(name: "", terms: Terms().with($0)).fingerprint }
        #expect(Set(fingerprints).count == changes.count)
        #expect(TrustPolicy(name: "other", terms: Terms()).fingerprint == fingerprints[0])
        // Names of files don't matter, what they hold does.
        let renamed = Terms().with { $0.anchors = [.file(name: "b", pem: pem)] }
        #expect(fingerprints.contains(TrustPolicy(name: "", terms: renamed).fingerprint))
    }
}
