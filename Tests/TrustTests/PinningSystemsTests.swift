import Testing
import Trust

/// The verdicts on paths of TrustKit (TSKPinningValidatorTests), Android (NetworkSecurityConfigTests) and OkHttp
/// (CertificatePinnerTest and its tests of chains); look-ups by host are TrustTable's.
@Suite struct PinningSystemsTests {
    private typealias Terms = TrustPolicy.Terms
    private static let root = Certificates.goodRoot
    private static let leaf = Certificates.goodLeaf
    private static let dummy = Certificates.make("dummy")
    private static let dummies = [dummy, Certificates.make("another dummy")]
    private static let selfSigned = Chain.invalid(
        .selfSigned,
        [Certificates.make("www.good.com", names: ["www.good.com"])]
    )
    private static let host = "www.good.com"
    /// 2015-01-01
    private static let long = day(16_436)

    static let trustKit = [
        VerdictRow("TK-22", .good, Terms(.publicKey, [leaf, root]), host, "accept"),
        VerdictRow("TK-23", .good, Terms(.publicKey, [root, dummy]), host, "accept"),
        VerdictRow("TK-24", .good, Terms(.publicKey, [leaf, dummy]), host, "accept"),
        VerdictRow("TK-25, TK-34", .good, Terms(.publicKey, dummies), host, "pin.mismatch"),
        VerdictRow("TK-26", .good, Terms(.publicKey, dummies).with { $0.expires = long }, host, "accept"),
        VerdictRow("TK-27", .good, Terms(.publicKey, dummies, enforce: false), host, "report pin.mismatch"),
        VerdictRow("TK-28, TK-35", .good, Terms(.publicKey, [dummy, leaf]), host, "accept"),
        VerdictRow(
            "TK-29",
            selfSigned,
            Terms(.publicKey, [root, dummy], enforce: false),
            host,
            "chain.self-signed"
        ),
        VerdictRow("TK-30", .good, Terms(.publicKey, [root, dummy]), "www.bad.com", "host.mismatch"),
        // The validated path doesn't hold the passenger, whose key is pinned.
        VerdictRow("TK-31", .good, Terms(.publicKey, [Certificates.globalSign, dummy]), host, "pin.mismatch"),
    ]

    private static let android = Chain.valid([
        Certificates.make("android.com", issuer: "G2", names: ["android.com", "*.android.com"]),
        Certificates.make("G2", issuer: "GeoTrust", isAuthority: true),
        Certificates.make("GeoTrust", isAuthority: true),
    ])
    private static let g2 = Certificates.make("G2", issuer: "GeoTrust", isAuthority: true)
    private static let foreign = Chain.invalid(.untrusted, [Certificates.make("google.com", issuer: "GIA")])

    static let androidRows = [
        VerdictRow("AN-01", foreign, Terms(), "google.com", "chain.untrusted"),
        VerdictRow("AN-03, AN-16", android, Terms(.publicKey, [dummy]), "android.com", "pin.mismatch"),
        VerdictRow("AN-04, AN-13", android, Terms(.publicKey, [g2]), "android.com", "accept"),
        VerdictRow("AN-04, a name below", android, Terms(.publicKey, [g2]), "developer.android.com", "accept"),
        VerdictRow(
            "AN-09",
            foreign,
            Terms(.publicKey, [Certificates.make("google.com", issuer: "GIA")]),
            "google.com",
            "chain.untrusted"
        ),
        VerdictRow("AN-14", android, Terms(.publicKey, [dummy]).with { $0.expires = long }, "android.com", "accept"),
    ]

    private static let a = Certificates.make("A", names: ["example.com", "www.example.com", "a.example.com"])
    private static let b = Certificates.make("B", names: ["example.com", "a.example.com"])

    static let okHTTP = [
        VerdictRow("OK-04", .valid([a]), Terms(.publicKey, [a]), "example.com", "accept"),
        VerdictRow("OK-05, OK-06", .valid([a, b]), Terms(.publicKey, [b]), "example.com", "accept"),
        VerdictRow("OK-07", .valid([b]), Terms(.publicKey, [a]), "example.com", "pin.mismatch"),
        VerdictRow("OK-08, A", .valid([a]), Terms(.publicKey, [a, b]), "example.com", "accept"),
        VerdictRow("OK-08, B", .valid([b]), Terms(.publicKey, [a, b]), "example.com", "accept"),
        VerdictRow("OK-09", .valid([a]), Terms(.publicKey, [a]), "www.example.com", "accept"),
        VerdictRow("OK-10", .valid([a]), Terms(), "example.com", "accept"),
        VerdictRow("OK-12", .valid([a, b]), Terms(.publicKey, [b]), "a.example.com", "accept"),
        VerdictRow("OK-13", .valid([b]), Terms(.publicKey, [a]), "a.example.com", "pin.mismatch"),
        // The root is pinned and not sent: it stands in the validated path.
        VerdictRow("OK-33", .good, Terms(.publicKey, [root]), host, "accept"),
        VerdictRow("OK-34", android, Terms(.publicKey, [g2]), "android.com", "accept"),
        // The pinned leaf goes along as a passenger of a path that a compromised authority made.
        VerdictRow(
            "OK-35",
            .valid([Certificates.make(host, issuer: "G2", names: [host]), g2]),
            Terms(.publicKey, [leaf]),
            host,
            "pin.mismatch"
        ),
        VerdictRow(
            "OK-36",
            .valid([
                Certificates.make(host, issuer: "G2", names: [host]),
                Certificates.make("G2", issuer: "Compromised", isAuthority: true),
                Certificates.make("Compromised", isAuthority: true),
            ]),
            Terms(.publicKey, [g2]),
            host,
            "pin.mismatch"
        ),
        VerdictRow(
            "OK-37",
            .invalid(.notAuthority, [Certificates.make(host, issuer: host, names: [host]), leaf, root]),
            Terms(.publicKey, [root]),
            host,
            "chain.not-authority"
        ),
        VerdictRow(
            "OK-38",
            .invalid(.pathTooLong, [leaf, root]),
            Terms(.publicKey, [root]),
            host,
            "chain.path-too-long"
        ),
        VerdictRow("OK-39", .valid([a]), Terms(.publicKey, [a]), "example.com", "accept"),
    ]

    @Test("T-2 TrustKit's verdicts hold", arguments: trustKit)
    func trustKitVerdict(row: VerdictRow) { #expect(row.outcome == row.verdict) }

    @Test("T-2 Android's verdicts hold", arguments: androidRows)
    func androidVerdict(row: VerdictRow) { #expect(row.outcome == row.verdict) }

    @Test("T-2 OkHttp's verdicts hold", arguments: okHTTP)
    func okHTTPVerdict(row: VerdictRow) { #expect(row.outcome == row.verdict) }

    @Test("T-2 OK-03: a new certificate for the same key has the same pin")
    func renewed() {
        let key = "TwyNzy19zZi7cKfPsucs1E+h8ODOCPMrT8681sFWJvw="
        let renewed = Certificates.make(
            Self.host,
            issuer: "GoodRootCA",
            pin: key,
            names: [Self.host],
            from: day(19_000)
        )
        #expect(renewed.der != Self.leaf.der)
        #expect(
            VerdictRow("", .valid([renewed]), Terms(.publicKey, [Self.leaf]), Self.host, "").outcome == "accept"
        )
        #expect(
            VerdictRow("", .valid([renewed]), Terms(.certificate, [Self.leaf]), Self.host, "").outcome == "pin.mismatch"
        )
    }

    @Test("T-2 OK-22, OK-24: pins keep their order")
    func order() {
        let pins = PinSet(publicKeys: [Self.b.publicKeyPin, Self.a.publicKeyPin, Self.b.publicKeyPin])
        #expect(pins.publicKeys == [Self.b.publicKeyPin, Self.a.publicKeyPin])
    }

    @Test("T-2 a certificate named as a pin counts by its key under public-key")
    func certificateAsKey() {
        var terms = Terms(.publicKey, [])
        terms.pins = PinSet(certificates: [PinnedCertificate(facts: Self.root)])
        #expect(VerdictRow("", .good, terms, Self.host, "").outcome == "accept")
    }
}
