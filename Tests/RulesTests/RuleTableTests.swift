import Authentication
import Bytes
import HTTP
import Testing

@testable import Rules

/// Whether a rule is about an origin or a parent, found pattern by pattern.
func isAbout(_ rule: Rule, _ origin: Origin, isProxy: Bool) -> Bool {
    guard rule.space.isProxy == isProxy, rule.space.matchesSchemeAndPort(of: origin) else { return false }
    let address = IPAddress(origin.host)
    return rule.space.hosts.contains { $0.matches(host: origin.host, address: address) }
}

@Suite("The rule table")
struct RuleTableTests {
    @Test("the index finds the rules that matching one by one finds, in file order")
    func indexAgreesWithPatterns() throws {
        let patterns = [
            "*", ".example", "*.example", "a.example", "*.a.example", ".a.example", "b.a.example", "10.0.0.0/8",
            "10.1.0.0/16",
            "10.1.2.3", "0.0.0.0/0", "::/0", "fd00::/8", "::1", "localhost", "bücher.example",
        ]
        let hosts = [
            "example", "a.example", "b.a.example", "c.b.a.example", "x.example", "localhost", "10.1.2.3", "10.1.9.9",
            "10.9.9.9",
            "11.0.0.1", "fd00::7", "::1", "::ffff:10.1.2.3", "xn--bcher-kva.example", "org", ".example", "aexample",
        ]
        let drafts = patterns.flatMap { first in
            patterns.map { second in RuleDraft(use: "u").with { $0.hosts = [first, second] } }
        }
        let rules = try table(drafts)
        for host in hosts {
            let origin = Origin(scheme: .http, host: host)
            let expected = rules.rules.filter { isAbout($0, origin, isProxy: false) }.map(\.index)
            #expect(rules.candidates(for: origin, isProxy: false).rules.map(\.index) == expected, "\(host)")
        }
    }

    @Test("of 10,000 rules no more are looked at than of ten")
    func tenThousandRules() throws {
        func index(_ count: Int) throws -> HostIndex {
            var index = HostIndex()
            for number in 0..<count {
                let text =
                    switch number % 5 {
                    case 0: "host\(number).example.com"
                    case 1: ".zone\(number).example.com"
                    case 2: "*.sub\(number).example.com"
                    case 3: "10.\(number / 256 % 256).\(number % 256).0/24"
                    default: "172.16.\(number / 256 % 256).\(number % 256)"
                    }
                index.insert(number, hosts: [try HostPattern(text)])
            }
            return index
        }
        let small = try index(10)
        let large = try index(10_000)
        for host in [
            "host5.example.com", "a.b.zone6.example.com", "x.sub7.example.com", "10.0.8.1", "172.16.0.9",
            "none.example",
        ] {
            let expected = small.entries(host: host, address: IPAddress(host))
            #expect(large.entries(host: host, address: IPAddress(host)) == expected, "\(host)")
            #expect(expected.count == (host == "none.example" ? 0 : 1))
        }
    }

    @Test("a look-up among 10,000 rules takes no longer than among ten")
    func tenThousandRulesInTime() throws {
        func rules(_ count: Int) throws -> RuleTable {
            try table(
                (0..<count).map { number in RuleDraft(use: "u").with { $0.hosts = ["host\(number).example.com"] } }
            )
        }
        func time(_ rules: RuleTable) -> Duration {
            let origins = (0..<10).map { Origin(scheme: .http, host: "host\($0).example.com") }
            return (0..<5).map { _ in
                ContinuousClock().measure {
                    for round in 0..<300 {
                        #expect(rules.candidates(for: origins[round % 10], isProxy: false).rules.count == 1)
                    }
                }
            }.min() ?? .zero
        }
        let small = time(try rules(10))
        let large = time(try rules(10_000))
        // One by one it would be a thousand times as long; the factor leaves room for a busy machine.
        #expect(large < small * 10)
    }
}

@Suite("Routes")
struct RouteTableTests {
    private func routes(_ entries: [(hosts: [String]?, port: PortPattern, scheme: Scheme?)]) throws -> RouteTable {
        RouteTable(
            try entries.enumerated().map { index, entry in
                RoutePattern(
                    hosts: try entry.hosts?.map { try HostPattern($0) },
                    port: entry.port,
                    scheme: entry.scheme,
                    route: Route(via: [.direct], to: nil, index: index, place: SourcePlace(line: index))
                )
            }
        )
    }

    @Test(
        "R-1 the first route that matches what the client asked for decides, else it is direct",
        arguments: [
            ("http", "a.corp", 80, 0), ("http", "a.corp", 8080, 0), ("https", "a.corp", 443, 0),
            ("http", "b.example", 8080, 1),
            ("http", "b.example", 80, 3), ("https", "b.example", 443, 2), ("https", "c.example", 443, 2),
            ("http", "10.1.2.3", 80, 4),
            ("http", "other.org", 80, -1), ("http", "::1", 80, -1),
        ] as [(String, String, UInt16, Int)]
    )
    func firstMatch(scheme: String, host: String, port: UInt16, index: Int) throws {
        let table = try routes([
            ([".corp"], .any, nil), (["b.example"], .number(8080), nil), ([".example"], .any, .https),
            (["*.example"], .any, nil), (["10.0.0.0/8"], .any, nil),
        ])
        let origin = Origin(scheme: scheme == "http" ? .http : .https, host: host, port: port)
        #expect(table.route(for: origin).index == index)
    }

    @Test("a route without host is for any")
    func anyHost() throws {
        let table = try routes([(nil, .any, .https), (nil, .number(8080), nil)])
        #expect(table.route(for: Origin(scheme: .http, host: "10.0.0.1", port: 8080)).index == 1)
        #expect(table.route(for: Origin(scheme: .https, host: "x")).index == 0)
        #expect(table.route(for: Origin(scheme: .http, host: "x")).index == -1)
        #expect(Route.direct.name == "default" && Route.direct.hops(to: Origin(scheme: .http, host: "x")) == [.direct])
    }
}
