import Testing
import Trust

/// The verdicts of AFNetworking's AFSecurityPolicyTests, by the numbers of its tests in their order.
///
/// One differs on purpose: AF-34 passes there because its name is never looked at; here the name is checked whether the
/// path is valid or not, and its certificate has no subjectAltName.
@Suite struct AFSecurityPolicyTests {
    private typealias Terms = TrustPolicy.Terms
    private static let leaf = Certificates.httpbin
    private static let all = [
        Certificates.httpbin, Certificates.amazonServer, Certificates.amazonRoot, Certificates.starfield,
    ]
    private static let other = Certificates.commonName

    static let withoutPins = [
        VerdictRow("AF-05", .httpbin, Terms(), nil, "accept"),
        VerdictRow("AF-06", .httpbin, Terms(), "httpbin.org", "accept"),
        VerdictRow("AF-07", .noDomains, Terms(), nil, "chain.self-signed"),
        VerdictRow("AF-08", .httpbin, Terms(), "apple.com", "host.mismatch"),
        VerdictRow("AF-33", .httpbin, Terms().with { $0.validatesDomainName = false }, "invalid.org", "accept"),
        VerdictRow("AF-36", .httpbin, Terms(), "invalid.org", "host.mismatch"),
        VerdictRow("AF-38", .dnsName, Terms().with { $0.allowsInvalidCertificates = true }, nil, "accept"),
        VerdictRow("AF-41", .dnsName, Terms(), nil, "chain.self-signed"),
    ]

    static let publicKey = [
        VerdictRow("AF-11", .httpbin, Terms(.publicKey, [leaf]), nil, "accept"),
        VerdictRow("AF-12", .httpbin, Terms(.publicKey, [Certificates.amazonServer]), nil, "accept"),
        VerdictRow("AF-13", .httpbin, Terms(.publicKey, [Certificates.amazonRoot]), nil, "accept"),
        VerdictRow("AF-14", .httpbin, Terms(.publicKey, all), nil, "accept"),
        VerdictRow("AF-15", .httpbin, Terms(.publicKey, [leaf, other]), nil, "accept"),
        VerdictRow("AF-16", .httpbin, Terms(.publicKey, [leaf]), "httpbin.org", "accept"),
        VerdictRow("AF-17", .httpbin, Terms(.publicKey, []), nil, "pin.mismatch"),
        VerdictRow("AF-18", .appNet, Terms(.publicKey, [leaf]), nil, "chain.expired"),
        VerdictRow("AF-18, valid", .good, Terms(.publicKey, [leaf]), nil, "pin.mismatch"),
        VerdictRow("AF-19", .httpbin, Terms(.publicKey, [leaf]), "invaliddomainname.com", "host.mismatch"),
        VerdictRow("AF-20", .appNet, Terms(.publicKey, [leaf, other]), nil, "chain.expired"),
        VerdictRow("AF-20, valid", .good, Terms(.publicKey, [leaf, other]), nil, "pin.mismatch"),
    ]

    static let certificate = [
        VerdictRow("AF-23", .httpbin, Terms(.certificate, [leaf]), nil, "accept"),
        VerdictRow("AF-24", .httpbin, Terms(.certificate, [Certificates.amazonServer]), nil, "accept"),
        VerdictRow("AF-25", .httpbin, Terms(.certificate, [Certificates.amazonRoot]), nil, "accept"),
        VerdictRow("AF-26", .httpbin, Terms(.certificate, all), nil, "accept"),
        VerdictRow("AF-27", .httpbin, Terms(.certificate, [leaf, other]), nil, "accept"),
        VerdictRow("AF-28", .httpbin, Terms(.certificate, [leaf]), "httpbin.org", "accept"),
        VerdictRow("AF-29", .httpbin, Terms(.certificate, []), nil, "pin.mismatch"),
        VerdictRow("AF-30", .appNet, Terms(.certificate, [leaf]), nil, "chain.expired"),
        VerdictRow("AF-30, valid", .good, Terms(.certificate, [leaf]), nil, "pin.mismatch"),
        VerdictRow("AF-31", .httpbin, Terms(.certificate, [leaf]), "invaliddomainname.com", "host.mismatch"),
        VerdictRow("AF-32", .appNet, Terms(.certificate, [leaf, other]), nil, "chain.expired"),
        VerdictRow("AF-32, valid", .good, Terms(.certificate, [leaf, other]), nil, "pin.mismatch"),
    ]

    private static let named = Certificates.dnsName

    static let allowInvalid = [
        VerdictRow(
            "AF-34, its name looked at",
            .commonName,
            Terms(.publicKey, [other], allowInvalid: true),
            "foobar.com",
            "host.mismatch"
        ),
        VerdictRow("AF-35", .dnsName, Terms(.publicKey, [named], allowInvalid: true), "foobar.com", "accept"),
        VerdictRow(
            "AF-37",
            .noDomains,
            Terms(.certificate, [Certificates.noDomains], allowInvalid: true),
            "foobar.com",
            "host.mismatch"
        ),
        VerdictRow("AF-39", .dnsName, Terms(.publicKey, [named], allowInvalid: true), "foobar.com", "accept"),
        VerdictRow(
            "AF-40",
            .dnsName,
            Terms(.none, [], allowInvalid: true).with { $0.validatesDomainName = false },
            "foobar.com",
            "accept"
        ),
        VerdictRow("AF-42", .dnsName, Terms(.publicKey, [], allowInvalid: true), "foobar.com", "chain.self-signed"),
        VerdictRow("AF-43", .dnsName, Terms(.none, [named], allowInvalid: true), "foobar.com", "chain.self-signed"),
        VerdictRow("AF-44", .dnsName, Terms(.none, [], allowInvalid: true), "foobar.com", "chain.self-signed"),
    ]

    @Test("T-2 AFSecurityPolicy's verdicts without pins hold", arguments: withoutPins)
    func withoutPinsVerdict(row: VerdictRow) { #expect(row.outcome == row.verdict) }

    @Test("T-2 AFSecurityPolicy's verdicts on public keys hold", arguments: publicKey)
    func publicKeyVerdict(row: VerdictRow) { #expect(row.outcome == row.verdict) }

    @Test("T-2 AFSecurityPolicy's verdicts on certificates hold", arguments: certificate)
    func certificateVerdict(row: VerdictRow) { #expect(row.outcome == row.verdict) }

    @Test("T-3 AFSecurityPolicy's verdicts on allowed invalid certificates hold", arguments: allowInvalid)
    func allowInvalidVerdict(row: VerdictRow) { #expect(row.outcome == row.verdict) }

    @Test("T-2 AF-01 to AF-04: the default policy validates path and name and pins nothing")
    func standard() {
        let terms = TrustPolicy.standard.terms
        #expect(terms.pinning == .none)
        #expect(!terms.allowsInvalidCertificates)
        #expect(terms.validatesDomainName)
        #expect(terms.pins.isEmpty)
    }

    @Test("T-2 AF-10, AF-22: a pin that is given twice is held once")
    func once() {
        let pins = PinSet(
            publicKeys: [Self.leaf.publicKeyPin, Self.leaf.publicKeyPin],
            certificates: [PinnedCertificate(facts: Self.leaf), PinnedCertificate(facts: Self.leaf)]
        )
        #expect(pins.publicKeys == [Self.leaf.publicKeyPin])
        #expect(pins.certificates.count == 1)
        #expect(pins.keys == [Self.leaf.publicKeyPin])
    }

    @Test("T-2 AF-45, AF-46: a copy keeps every field")
    func copies() {
        let terms = Terms(.certificate, [Self.leaf], allowInvalid: true).with { $0.validatesDomainName = false }
        let copy = TrustPolicy(name: "copy", terms: terms)
        #expect(copy.terms == terms)
        #expect(copy.fingerprint == TrustPolicy(name: "original", terms: terms).fingerprint)
    }
}
