import Testing
import Trust

/// A day in seconds of Unix time, from the number of days since 1970-01-01.
func day(_ number: Int64) -> Int64 { number * 86_400 }

/// 2020-06-01, at which the chain of httpbin.org was valid.
let june2020 = day(18_414)

/// Facts of certificates of the shapes that the verdict tables are about; no library has seen them.
enum Certificates {
    static func make(
        _ subject: String,
        issuer: String? = nil,
        pin: String? = nil,
        names: [String] = [],
        addresses: [[UInt8]] = [],
        from notBefore: Int64 = 0,
        to notAfter: Int64 = day(30_000),
        isAuthority: Bool = false
    ) -> CertificateFacts {
        let der = Array("\(subject) by \(issuer ?? subject) \(notBefore)".utf8)
        return CertificateFacts(
            der: der,
            publicKeyPin: pin.flatMap { PublicKeyPin("sha256/\($0)") } ?? PublicKeyPin(ofPublicKeyInfo: der.span),
            subject: "CN=\(subject)",
            issuer: "CN=\(issuer ?? subject)",
            notBefore: notBefore,
            notAfter: notAfter,
            dnsNames: names.map { Array($0.utf8) },
            addresses: addresses,
            isSelfSigned: issuer == nil,
            isAuthority: isAuthority
        )
    }

    static let amazonRoot = make(
        "Amazon Root CA 1",
        issuer: "Starfield Services Root G2",
        pin: "++MBgDH5WGvL9Bcn5Be30cRcL0f5O+NyoXuWtQdX1aI=",
        isAuthority: true
    )
    static let amazonServer = make(
        "Amazon Server CA 1B",
        issuer: "Amazon Root CA 1",
        pin: "JSMzqOOrtyOT1kmau6zKhgT676hGgczD5VMdRMyJZFA=",
        isAuthority: true
    )
    static let starfield = make(
        "Starfield Services Root G2",
        pin: "KwccWaCgrnaw6tsrrSO61FgLacNgG2MMLq8GE6+oP5I=",
        isAuthority: true
    )
    static let httpbin = make(
        "httpbin.org",
        issuer: "Amazon Server CA 1B",
        pin: "flUN9mYPmbQZ0jCTHMo2iEhYuYQrJ3iKdeRV7x+8s50=",
        names: ["httpbin.org", "*.httpbin.org"],
        from: day(18_279),
        to: day(18_676)
    )
    /// Self-signed and without a subjectAltName.
    static let noDomains = make("No Domains", pin: "mf/Sb5JQklp9n2TFJlrzNFahfxFO+DbQ4nWOFVRXUmk=")
    /// Self-signed; its name stands in the common name alone.
    static let commonName = make("foobar.com", pin: "2OgB1RapX12yFCadrXgFrgONc+m8u0KH022bkrsMCBw=")
    /// Self-signed, with a subjectAltName.
    static let dnsName = make(
        "foobar.com",
        pin: "3BLbj6o6BoCQWMjJfHV+3fLfhxQT7ThK984evY+acsE=",
        names: ["foobar.com"],
        from: day(16_130),
        to: day(19_783)
    )
    static let goodRoot = make(
        "GoodRootCA",
        pin: "S5z3Fz5ZfZAGJOBZjK6TYBquyLLKO+BndKXBlL3nPjo=",
        isAuthority: true
    )
    static let goodLeaf = make(
        "www.good.com",
        issuer: "GoodRootCA",
        pin: "TwyNzy19zZi7cKfPsucs1E+h8ODOCPMrT8681sFWJvw=",
        names: ["www.good.com"]
    )
    /// Sent along, and linked to nothing.
    static let globalSign = make(
        "GlobalSign",
        pin: "K87oWBWM9UZfyddvDfoxL+8lpNyoUB2ptGtn0fv6G2Q=",
        isAuthority: true
    )
}

/// A path as the table has it, and what building it came to.
enum Chain: Sendable {
    case valid([CertificateFacts])
    case invalid(PathFailure, [CertificateFacts])

    static let httpbin = Chain.valid([
        Certificates.httpbin, Certificates.amazonServer, Certificates.amazonRoot, Certificates.starfield,
    ])
    static let appNet = Chain.invalid(
        .expired,
        [
            Certificates.make(
                "*.app.net",
                issuer: "DigiCert HA CA-3",
                names: ["*.app.net", "app.net"],
                to: day(16_650)
            ),
            Certificates.make("DigiCert HA CA-3", issuer: "DigiCert HA EV Root", isAuthority: true),
            Certificates.make("DigiCert HA EV Root", isAuthority: true),
        ]
    )
    static let noDomains = Chain.invalid(.selfSigned, [Certificates.noDomains])
    static let commonName = Chain.invalid(.selfSigned, [Certificates.commonName])
    static let dnsName = Chain.invalid(.selfSigned, [Certificates.dnsName])
    static let good = Chain.valid([Certificates.goodLeaf, Certificates.goodRoot])

    var result: PathResult {
        switch self {
        case .valid(let path): .valid(path: path)
        case .invalid(let reason, let path):
            .invalid(code: 1, reason: reason, text: "as the table says", depth: 0, path: path)
        }
    }
}

extension TrustPolicy.Terms {
    /// Terms with these pins: keys under `publicKey`, whole certificates under `certificate`.
    init(_ pinning: TrustPolicy.Pinning, _ pins: [CertificateFacts], allowInvalid: Bool = false, enforce: Bool = true) {
        self.init()
        self.pinning = pinning
        self.pins =
            pinning == .certificate
            ? PinSet(certificates: pins.map(PinnedCertificate.init(facts:)))
            : PinSet(publicKeys: pins.map(\.publicKeyPin))
        allowsInvalidCertificates = allowInvalid
        enforces = enforce
    }

    /// The same with something changed.
    func with(_ change: (inout Self) -> Void) -> Self {
        var terms = self
        change(&terms)
        return terms
    }
}

extension PinnedCertificate {
    init(facts: CertificateFacts) {
        self.init(name: facts.subject, fingerprint: facts.fingerprint, publicKeyPin: facts.publicKeyPin)
    }
}

/// A row of a verdict table.
struct VerdictRow: Sendable, CustomTestStringConvertible {
    let id: String
    let chain: Chain
    let terms: TrustPolicy.Terms
    /// nil: the table evaluates without a name, as `validates_domain_name: false` does.
    let host: String?
    let now: Int64
    /// `accept`, `report CODE` or the reason code of the refusal.
    let verdict: String

    init(
        _ id: String,
        _ chain: Chain,
        _ terms: TrustPolicy.Terms,
        _ host: String?,
        _ verdict: String,
        now: Int64 = june2020
    ) {
        self.id = id
        self.chain = chain
        self.terms = host == nil ? terms.with { $0.validatesDomainName = false } : terms
        self.host = host
        self.verdict = verdict
        self.now = now
    }

    var testDescription: String { id }

    /// What our evaluation says of the row.
    var outcome: String {
        let policy = TrustPolicy(name: id, terms: terms)
        let identity = ReferenceIdentity(host: host ?? "nobody.example")
        return policy.decide(chain.result, identity: identity, now: now).testText
    }
}

extension TrustDecision {
    /// As the rows of the tables write it.
    var testText: String {
        switch self {
        case .accept: "accept"
        case .acceptAndReport(let failure): "report \(failure.reasonCode)"
        case .reject(let failure): failure.reasonCode
        }
    }
}
