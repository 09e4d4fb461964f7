import Testing
import Trust

/// What `allow_invalid_certificates` passes over, and what it doesn't.
@Suite struct InvalidCertificatesTests {
    private typealias Terms = TrustPolicy.Terms
    private static let root = Certificates.make("Private CA", isAuthority: true)
    private static let leaf = Certificates.make("a.example", issuer: "Private CA", names: ["a.example"])
    private static let chain = Chain.invalid(.untrusted, [leaf, root])
    private static let old = Certificates.make("a.example", names: ["a.example"], to: day(18_000))
    private static let unborn = Certificates.make("a.example", names: ["a.example"], from: day(19_000))
    private static let oldRoot = Certificates.make("Private CA", to: day(18_000), isAuthority: true)

    @Test(
        "T-3 it passes over an untrusted, expired or self-signed chain, and over nothing worse",
        arguments: PathFailure.allCases
    )
    func reasons(reason: PathFailure) {
        let waived: Set<PathFailure> = [.untrusted, .expired, .notYetValid, .selfSigned]
        let row = VerdictRow(
            "",
            .invalid(reason, [Self.leaf, Self.root]),
            Terms(.publicKey, [Self.root], allowInvalid: true),
            "a.example",
            ""
        )
        #expect(row.outcome == (waived.contains(reason) ? "accept" : reason.rawValue))
    }

    static let rows = [
        VerdictRow("no pin of it", chain, Terms(.publicKey, [old], allowInvalid: true), "a.example", "pin.mismatch"),
        VerdictRow(
            "a mismatch that isn't enforced leaves the chain as invalid as it is",
            chain,
            Terms(.publicKey, [old], allowInvalid: true, enforce: false),
            "a.example",
            "chain.untrusted"
        ),
        VerdictRow(
            "another name",
            chain,
            Terms(.publicKey, [root], allowInvalid: true),
            "b.example",
            "host.mismatch"
        ),
        VerdictRow(
            "a valid chain is held to its pins",
            .good,
            Terms(.publicKey, [root], allowInvalid: true),
            "www.good.com",
            "pin.mismatch"
        ),
        VerdictRow(
            "expired pins leave the validation alone",
            chain,
            Terms(.publicKey, [root], allowInvalid: true).with { $0.expires = june2020 },
            "a.example",
            "chain.untrusted"
        ),
        VerdictRow(
            "expired pins leave the validation alone, also where no name is asked for",
            chain,
            Terms(.publicKey, [root], allowInvalid: true).with { $0.expires = june2020 },
            nil,
            "chain.untrusted"
        ),
        VerdictRow(
            "observing with a name to validate",
            chain,
            Terms(.observe, [], allowInvalid: true),
            "a.example",
            "chain.untrusted"
        ),
        VerdictRow(
            "a pinned key says nothing of dates",
            .invalid(.expired, [old]),
            Terms(.publicKey, [old], allowInvalid: true),
            "a.example",
            "accept"
        ),
        VerdictRow(
            "a pinned certificate must be in its dates",
            .invalid(.selfSigned, [old]),
            Terms(.certificate, [old], allowInvalid: true),
            "a.example",
            "chain.expired"
        ),
        VerdictRow(
            "a pinned certificate's validity must have begun",
            .invalid(.selfSigned, [unborn]),
            Terms(.certificate, [unborn], allowInvalid: true),
            "a.example",
            "chain.not-yet-valid"
        ),
        VerdictRow(
            "dates behind the pinned certificate don't matter",
            .invalid(.untrusted, [leaf, oldRoot]),
            Terms(.certificate, [leaf], allowInvalid: true),
            "a.example",
            "accept"
        ),
        VerdictRow(
            "dates on the way to the pinned certificate do",
            .invalid(.untrusted, [leaf, oldRoot]),
            Terms(.certificate, [oldRoot], allowInvalid: true),
            "a.example",
            "chain.expired"
        ),
        VerdictRow(
            "a leaf that has issued another one leads to no pin",
            .invalid(
                .untrusted,
                [Certificates.make("b.example", issuer: "a.example", names: ["b.example"]), leaf, root]
            ),
            Terms(.publicKey, [root], allowInvalid: true),
            "b.example",
            "pin.mismatch"
        ),
        VerdictRow(
            "nor is it one",
            .invalid(
                .untrusted,
                [Certificates.make("b.example", issuer: "a.example", names: ["b.example"]), leaf, root]
            ),
            Terms(.certificate, [leaf], allowInvalid: true),
            "b.example",
            "pin.mismatch"
        ),
    ]

    @Test("T-3 pins stand for an invalid chain within their bounds", arguments: rows)
    func bounds(row: VerdictRow) { #expect(row.outcome == row.verdict) }

    @Test("T-3 the last second of a pinned certificate's validity is within it")
    func lastSecond() {
        let terms = Terms(.certificate, [Self.old], allowInvalid: true)
        let chain = Chain.invalid(.selfSigned, [Self.old])
        #expect(VerdictRow("", chain, terms, "a.example", "", now: day(18_000)).outcome == "accept")
        #expect(VerdictRow("", chain, terms, "a.example", "", now: day(18_000) + 1).outcome == "chain.expired")
    }

    @Test("T-1 a server that presents nothing is refused, whatever the policy")
    func nothing() {
        for terms in [Terms(), Terms(.none, [], allowInvalid: true), Terms(.observe, [])] {
            #expect(VerdictRow("", .valid([]), terms, nil, "").outcome == "chain.invalid")
            #expect(VerdictRow("", .invalid(.untrusted, []), terms, nil, "").outcome == "chain.invalid")
        }
    }
}
