import Authentication
import Bytes
import HTTP
import Testing
import Trust

@testable import Rules

/// What `explain` says of TLS.
@Suite("Explanations of trust")
struct ExplanationTrustTests {
    private static let pins = PinSet(publicKeys: [
        PublicKeyPin(ofPublicKeyInfo: [1].span), PublicKeyPin(ofPublicKeyInfo: [2].span),
    ])
    /// 2027-06-30
    private static let end: Int64 = 1_814_313_600

    private func trust(_ change: (inout TrustPolicy.Terms) -> Void) throws -> TrustTable {
        var terms = TrustPolicy.Terms()
        change(&terms)
        return TrustTable([
            TrustPattern(
                hosts: [try HostPattern("a.example")],
                port: nil,
                policy: TrustPolicy(name: "trust[0]", terms: terms),
                place: SourcePlace(file: "countersign.yaml", line: 30)
            )
        ])
    }

    private func upgrade(to port: UInt16 = 443, parent: ParentProxy? = nil) throws -> RouteTable {
        let hop = parent.map(NextHop.parent) ?? .direct
        let place = SourcePlace(file: "countersign.yaml", line: 20)
        return RouteTable([
            RoutePattern(
                hosts: nil,
                port: .any,
                scheme: nil,
                route: Route(via: [hop], to: nil, upgrade: port, index: 0, place: place)
            )
        ])
    }

    private func lines(
        _ configuration: ServerConfiguration,
        _ topic: String,
        https: Bool = false,
        now: Int64 = 0
    )
        -> [String]
    {
        let origin = https ? Origin(scheme: .https, host: "a.example") : .a
        let explanation = Explanation(.init(origin: origin, path: [0x2F], now: now), in: configuration)
        return explanation.lines.filter { $0.topic == topic }.map(\.text)
    }

    @Test("O-5 explain tells the policy with its line, its pinning, and how many pins hold until when")
    func policy() throws {
        let pinned = ServerConfiguration.of(
            routes: try upgrade(),
            trust: try trust { ($0.pinning, $0.pins, $0.expires) = (.publicKey, Self.pins, Self.end) }
        )
        let begin = "trust[0] (countersign.yaml:30): anchors the system's, pinning public-key by 2 pins, which "
        #expect(lines(pinned, "trust", now: Self.end - 1) == [begin + "hold until 2027-06-30"])
        #expect(lines(pinned, "trust", now: Self.end) == [begin + "no longer hold since 2027-06-30"])
        let changes: [((inout TrustPolicy.Terms) -> Void, String)] = [
            ({ ($0.pinning, $0.pins, $0.enforces) = (.publicKey, Self.pins, false) }, "a mismatch is only reported"),
            ({ $0.pinning = .observe }, "pinning observe"), ({ _ in }, "no pins"),
            ({ $0.anchors = [.system, .file(name: "ca.pem", pem: [])] }, "anchors the system's and ca.pem"),
            ({ $0.validatesDomainName = false }, "the name isn't looked at"),
            ({ $0.allowsInvalidCertificates = true }, "an invalid chain is let through"),
            ({ $0.strict = true }, "strict"),
        ]
        for (change, words) in changes {
            let configuration = ServerConfiguration.of(routes: try upgrade(), trust: try trust(change))
            #expect(lines(configuration, "trust").first?.contains(words) == true, "\(words)")
        }
        #expect(lines(.of(routes: try upgrade()), "trust") == ["default: anchors the system's, no pins"])
        #expect(lines(.of(), "trust").isEmpty)
    }

    @Test("O-5 what a route upgrades is explained as what is dialled: its rules, its port, its security")
    func upgraded() throws {
        let rules = try table([
            RuleDraft(use: "staff").with { ($0.scheme, $0.methods) = (.https, [.basic]) },
            RuleDraft(use: "plain").with { $0.scheme = .http },
        ])
        let configuration = ServerConfiguration.of(rules: rules, routes: try upgrade(to: 8443))
        #expect(
            lines(configuration, "route") == ["routes[0] (countersign.yaml:20): direct, upgraded to https at port 8443"]
        )
        #expect(lines(configuration, "origin") == ["https://a.example:8443; the way to it counts as secure"])
        let usual = ServerConfiguration.of(rules: rules, routes: try upgrade())
        #expect(lines(usual, "rule") == ["rules[0] (countersign.yaml:10): answers basic with 'staff'"])
        #expect(lines(usual, "never").count == 1)
    }

    @Test("O-5 an opened host is explained with its rules, one that isn't as a tunnel and whether that is let through")
    func opened() throws {
        let rules = try table([RuleDraft(use: "staff").with { $0.scheme = .https }])
        let pinned = try trust { ($0.pinning, $0.pins) = (.publicKey, Self.pins) }
        let opening = ServerConfiguration.of(rules: rules, trust: pinned, interception: try .opening(["a.example"]))
        #expect(lines(opening, "opened", https: true) == ["by interception: the client sees a certificate of ca.pem"])
        #expect(lines(opening, "rule", https: true).count == 1)
        #expect(lines(opening, "never", https: true).isEmpty)
        #expect(lines(opening, "trust", https: true).first?.contains("tunnel") == false)
        let other = ServerConfiguration.of(rules: rules, trust: pinned, interception: try .opening(["b.example"]))
        #expect(lines(other, "opened", https: true) == ["no: 'interception' leaves this host alone"])
        #expect(lines(other, "trust", https: true).first?.hasSuffix("refused (403 pin.tunnel-refused)") == true)
        #expect(lines(other, "never", https: true).count == 1)
        let free = ServerConfiguration.of(trust: try trust { _ in })
        #expect(lines(free, "trust", https: true).first?.hasSuffix("in a tunnel only the client judges it") == true)
        #expect(lines(free, "opened", https: true).isEmpty)
    }

    @Test("O-5 explain tells which certificate of ours would be shown to whom, and by which rule")
    func shown() throws {
        let parent = ParentProxy(
            name: "corp",
            place: SourcePlace(line: 3),
            origin: Origin(scheme: .https, host: "proxy.example", port: 3128)
        )
        let rules = try table([
            RuleDraft(.useCredential(.certificate("mine"))),
            RuleDraft(.useCredential(.certificate("parents"))).with {
                ($0.hosts, $0.isProxy, $0.port) = (["proxy.example"], true, .any)
            },
        ])
        let configuration = ServerConfiguration.of(
            rules: rules,
            routes: try upgrade(parent: parent),
            parents: [parent]
        )
        #expect(
            lines(configuration, "shown") == [
                "rules[0] (countersign.yaml:10): the certificate 'mine', where the server asks for one",
                "rules[1] (countersign.yaml:11): the certificate 'parents', where the parent asks for one",
            ]
        )
        #expect(lines(configuration, "trust").last == "the parent by default: anchors the system's, no pins")
        let explanation = Explanation(.init(origin: .a, path: [0x2F]), in: configuration)
        // The parent sees a CONNECT, and over TLS.
        #expect(explanation.parent?.facts.method == .connect && explanation.parent?.facts.isSecure == true)
        // What a tunnel carries is shown nothing of ours.
        #expect(lines(configuration, "shown", https: true).count == 1)
    }
}
