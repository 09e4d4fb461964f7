import Bytes
import HTTP
import Testing

@testable import Rules

@Suite struct DestinationStandingTests {
    private typealias Entry = DestinationRules.Entry

    private func entry(
        _ host: String,
        port: PortPattern = .any,
        scheme: Scheme? = nil,
        path: String? = nil
    ) throws -> DestinationRules.Entry {
        Entry(
            host: try HostPattern(host),
            port: port,
            scheme: scheme,
            path: try path.map { try PathPattern($0) },
            place: SourcePlace(line: 1)
        )
    }

    private func access(
        allow: [DestinationRules.Entry]? = nil,
        deny: [DestinationRules.Entry] = []
    ) -> AccessConfiguration {
        AccessConfiguration(destinations: DestinationRules(allow: allow, deny: deny))
    }

    private func refusal(
        _ url: (Scheme, String, UInt16),
        by manner: DestinationStanding.Manner = .plain,
        path: String = "/",
        isLocal: Bool = true,
        isInside: Bool = false,
        under access: AccessConfiguration
    ) -> DestinationStanding.Refusal? {
        let origin = Origin(scheme: url.0, host: url.1, port: url.2)
        let standing = DestinationStanding(of: origin, manner, under: access) { $0 == IPAddress("192.0.2.77") }
        let bytes = Array(path.utf8)
        return standing.refusal(path: bytes.span, isLocal: isLocal, isInside: isInside)
    }

    @Test(
        "R-7 metadata and link-local addresses are refused to everybody, in every spelling",
        arguments: [
            "169.254.169.254", "169.254.0.1", "fe80::1", "febf::1", "fd00:ec2::254", "100.100.100.200", "168.63.129.16",
            "192.0.0.192", "::ffff:169.254.169.254", "::ffff:0:169.254.169.254", "::169.254.169.254",
            "2002:a9fe:a9fe::1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a9fe:a9fe", "64:ff9b:1:a9fe:a9:fe00::",
            "64:ff9b:1:a9:fe:a9fe::", "64:ff9b:1:0:a9:fea9:fe00:0", "2001:0:1:2:3:4:5601:5601",
        ]
    )
    func refusedToAll(address: String) {
        #expect(refusal((.http, address, 80), under: access()) == .address)
        #expect(refusal((.https, address, 443), by: .tunnel, under: access()) == .address)
    }

    @Test(
        "R-7 loopback, the unspecified and the machine's own addresses are for local clients alone, in every spelling",
        arguments: [
            "127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "0.1.2.3", "::", "192.0.2.77", "::ffff:127.0.0.1",
            "::127.0.0.1",
            "2002:7f00:1::", "64:ff9b::7f00:1", "::ffff:192.0.2.77", "64:ff9b::c000:24d",
        ]
    )
    func refusedToRemote(address: String) {
        #expect(refusal((.http, address, 80), isLocal: false, under: access()) == .address)
        #expect(refusal((.http, address, 80), isLocal: true, under: access()) == nil)
    }

    @Test(
        "R-7 other addresses are nobody's business",
        arguments: [
            "192.0.2.1", "169.253.1.1", "10.0.0.1", "fec0::1", "fd00:ec2::253", "2002:c000:201::", "64:ff9b::c000:201",
        ]
    )
    func open(address: String) {
        #expect(refusal((.http, address, 80), isLocal: false, under: access()) == nil)
    }

    @Test("R-7 only the address itself lifts its refusal, not a network that holds it, nor a star")
    func lifted() throws {
        let metadata = "169.254.169.254"
        #expect(refusal((.http, metadata, 80), under: access(allow: [try entry(metadata)])) == nil)
        #expect(refusal((.http, metadata, 80), under: access(allow: [try entry("\(metadata)/32")])) == nil)
        #expect(refusal((.http, metadata, 80), under: access(allow: [try entry("169.254.0.0/16")])) == .address)
        #expect(refusal((.http, metadata, 80), under: access(allow: [try entry("*")])) == .address)
        #expect(
            refusal((.http, "127.0.0.1", 80), isLocal: false, under: access(allow: [try entry("127.0.0.1")])) == nil
        )
        let port = try entry("127.0.0.1", port: .number(8080))
        let all = try entry("*")
        #expect(refusal((.http, "127.0.0.1", 80), isLocal: false, under: access(allow: [all, port])) == .address)
        #expect(refusal((.http, "127.0.0.1", 8080), isLocal: false, under: access(allow: [all, port])) == nil)
        // Denied all the same.
        let both = access(allow: [try entry(metadata)], deny: [try entry("169.254.0.0/16")])
        #expect(refusal((.http, metadata, 80), under: both) == .destination)
    }

    @Test("R-6 with allow nothing else is reached, and deny wins")
    func lists() throws {
        let rules = access(
            allow: [try entry(".corp.example"), try entry("10.0.0.0/8"), try entry("shop.example", scheme: .https)],
            deny: [
                try entry("secret.corp.example"), try entry("10.9.0.0/16"),
                try entry("a.corp.example", port: .number(25)),
            ]
        )
        #expect(refusal((.http, "www.corp.example", 80), under: rules) == nil)
        #expect(refusal((.http, "secret.corp.example", 80), under: rules) == .destination)
        #expect(refusal((.http, "a.corp.example", 25), under: rules) == .destination)
        #expect(refusal((.http, "10.1.1.1", 80), under: rules) == nil)
        #expect(refusal((.http, "10.9.1.1", 80), under: rules) == .destination)
        #expect(refusal((.http, "::ffff:10.9.1.1", 80), under: rules) == .destination)
        #expect(refusal((.http, "64:ff9b::10.9.1.1", 80), under: rules) == .destination)
        #expect(refusal((.http, "192.0.2.1", 80), under: rules) == .destination)
        #expect(refusal((.https, "shop.example", 443), by: .tunnel, under: rules) == nil)
        #expect(DestinationRules(allow: nil, deny: []).denyAddresses == false)
        #expect(rules.destinations.denyAddresses)
    }

    @Test(
        "R-6 an entry with a path lets an opened CONNECT through whose requests are judged inside, and no other CONNECT"
    )
    func paths() throws {
        let allowing = access(allow: [try entry("a.example", path: "/shop")])
        #expect(refusal((.https, "a.example", 443), by: .tunnel, under: allowing) == .destination)
        #expect(refusal((.https, "a.example", 443), by: .opened, under: allowing) == nil)
        #expect(refusal((.https, "a.example", 443), path: "/shop/x?y", isInside: true, under: allowing) == nil)
        #expect(refusal((.https, "a.example", 443), path: "/shopping", isInside: true, under: allowing) == .destination)
        #expect(
            refusal((.https, "a.example", 443), path: "/shop/../x", isInside: true, under: allowing) == .destination
        )
        let denying = access(deny: [try entry("a.example", path: "/admin")])
        #expect(refusal((.https, "a.example", 443), by: .tunnel, under: denying) == .destination)
        #expect(refusal((.https, "a.example", 443), by: .opened, under: denying) == nil)
        #expect(refusal((.http, "a.example", 80), path: "/admin/x", under: denying) == .destination)
        #expect(refusal((.http, "a.example", 80), path: "/x/%2e%2e/admin", under: denying) == .destination)
        #expect(refusal((.http, "a.example", 80), path: "/x", under: denying) == nil)
    }

    @Test("R-6 ports are judged by the manner of the request, and inside a tunnel not again")
    func ports() {
        let access = AccessConfiguration(connectPorts: [443], plainPorts: [80, 8080])
        #expect(refusal((.https, "a.example", 443), by: .tunnel, under: access) == nil)
        #expect(refusal((.https, "a.example", 25), by: .tunnel, under: access) == .port)
        #expect(refusal((.https, "a.example", 25), by: .opened, under: access) == .port)
        #expect(refusal((.http, "a.example", 25), under: access) == .port)
        #expect(refusal((.http, "a.example", 8080), under: access) == nil)
        #expect(refusal((.https, "a.example", 443), isInside: true, under: access) == nil)
    }

    @Test("R-6 where only networks are allowed, the address of a name decides when it is dialled")
    func namesByAddress() throws {
        let rules = access(allow: [try entry("10.0.0.0/8"), try entry("127.0.0.1")], deny: [try entry("10.9.0.0/16")])
        let origin = Origin(scheme: .http, host: "a.example")
        let standing = DestinationStanding(of: origin, .plain, under: rules)
        let path: [UInt8] = [0x2f]
        let refusal = standing.refusal(path: path.span, isLocal: true, isInside: false)
        #expect(refusal == nil)
        let needsAllowed = standing.needsAllowedAddress(path: path.span)
        #expect(needsAllowed)
        #expect(standing.isWorthResolving)
        func reach(_ text: String) throws -> DestinationReach {
            let address = try #require(IPAddress(text))
            return rules.destinations.reach(of: address, at: origin, needsAllowed: true) { _ in false }
        }
        #expect(try reach("10.1.1.1") == .everybody)
        #expect(try reach("10.9.1.1") == .nobody)
        #expect(try reach("192.0.2.1") == .nobody)
        #expect(try reach("127.0.0.1") == .everybody)
        #expect(try reach("64:ff9b::10.9.1.1") == .nobody)
    }

    @Test("R-7 what a name leads to is judged like an address that is asked for")
    func reachOfNames() throws {
        let origin = Origin(scheme: .http, host: "a.example")
        func reach(_ text: String) throws -> DestinationReach {
            let address = try #require(IPAddress(text))
            return DestinationRules().reach(of: address, at: origin, needsAllowed: false) {
                $0 == IPAddress("192.0.2.77")
            }
        }
        #expect(try reach("169.254.169.254") == .nobody)
        #expect(try reach("::1") == .localClients)
        #expect(try reach("192.0.2.77") == .localClients)
        #expect(try reach("192.0.2.78") == .everybody)
        #expect(DestinationReach.localClients.admits(isLocal: true))
        #expect(!DestinationReach.localClients.admits(isLocal: false))
        #expect(!DestinationReach.nobody.admits(isLocal: true))
    }
}
