import Authentication
import Bytes
import Crypto
import HTTP
import Rules
import Testing

/// What `explain` says of listeners, routes and names.
@Suite("The explained way")
struct ExplanationWayTests {
    private let origin = Origin(scheme: .http, host: "a.example")

    private func parent(
        _ name: String,
        _ scheme: Scheme = .http,
        kind: ParentProxy.Kind = .http,
        via: ParentProxy? = nil,
        credentials: [Credential] = []
    ) -> ParentProxy {
        ParentProxy(
            name: name,
            place: SourcePlace(line: 3),
            kind: kind,
            origin: Origin(scheme: scheme, host: "\(name).example", port: 3128),
            via: via,
            credentials: credentials
        )
    }

    private func routes(_ choice: RouteChoice) -> RouteTable {
        let route = Route(choice: choice, to: nil, index: 0, place: SourcePlace(line: 7))
        return RouteTable([RoutePattern(hosts: nil, port: .any, scheme: nil, route: route)])
    }

    private func text(_ topic: String, _ configuration: ServerConfiguration, _ origin: Origin? = nil) -> String? {
        let question = Explanation.Question(origin: origin ?? self.origin, path: [0x2F])
        return Explanation(question, in: configuration).lines.first { $0.topic == topic }?.text
    }

    @Test("O-5 all ways of a route are named in their order, and what a proxy is reached through")
    func order() {
        let near = parent("near", .https)
        let hops: [NextHop] = [.parent(parent("far", via: near)), .parent(parent("s", kind: .socks5)), .direct]
        #expect(
            text("route", .of(routes: routes(.listed(hops))))
                == "routes[0] (line 7): far (far.example:3128), through near (near.example:3128), then s (socks5 s.example:3128), then direct"
        )
    }

    @Test("O-5 a PAC file isn't asked, but told, with what holds while it can't be had")
    func pac() {
        let file = PACConfiguration(.file("/etc/wpad.dat"))
        let url = PACConfiguration(.url("http://wpad.example/wpad.dat", refresh: 1))
        #expect(
            text("route", .of(routes: routes(.pac(file, instead: [.direct]))))
                == "routes[0] (line 7): as the PAC file /etc/wpad.dat says; while it can't be had: direct"
        )
        #expect(
            text("route", .of(routes: routes(.pac(url, instead: [.parent(parent("p"))]))))
                == "routes[0] (line 7): as the PAC file at http://wpad.example/wpad.dat says; while it can't be had: p (p.example:3128)"
        )
    }

    @Test("O-5 what the environment says of this very origin")
    func environment() {
        let exempt = ExemptHosts("b.example")
        let proxies = EnvironmentProxies(http: parent("p"), https: nil, exempt: exempt)
        let configuration = ServerConfiguration.of(routes: routes(.environment(proxies)))
        #expect(text("route", configuration) == "routes[0] (line 7): as the environment says: p (p.example:3128)")
        let other = Origin(scheme: .http, host: "b.example")
        #expect(text("route", configuration, other) == "routes[0] (line 7): as the environment says: direct")
    }

    @Test("O-5 a SOCKS5 proxy is asked for a login once, as basic is")
    func socks() {
        let credential = Credential(name: "login", username: "a", password: Secret("b"))
        let proxy = parent("s", kind: .socks5, credentials: [credential])
        let configuration = ServerConfiguration.of(
            rules: RuleTable(rules: [], parents: [proxy]),
            routes: routes(.listed([.parent(proxy)])),
            parents: [proxy]
        )
        #expect(text("parent", configuration)?.hasPrefix("socks5://s.example:3128;") == true)
        #expect(
            text("rule", configuration)
                == "proxies.s.use (line 3): answers basic with 'login' (basic is held back, cleartext.refused)"
        )
    }

    @Test("O-5 A-14 a proxy on this machine that stands behind another isn't reached securely")
    func chainedLoopback() {
        let near = parent("near")
        let loopback = Origin(scheme: .http, host: "127.0.0.1", port: 3128)
        let place = SourcePlace(line: 1)
        #expect(ParentProxy(name: "p", place: place, origin: loopback).isReachedSecurely)
        #expect(!ParentProxy(name: "p", place: place, origin: loopback, via: near).isReachedSecurely)
        #expect(parent("p", .https, via: near).isReachedSecurely && !near.isReachedSecurely)
    }

    // MARK: listeners

    private func listener(
        _ mode: ListenerConfiguration.Mode,
        name: String? = nil,
        require: LoginRequirement? = nil
    ) -> ListenerConfiguration {
        ListenerConfiguration(
            address: .tcp(.loopbackV4, 1),
            mode: mode,
            name: name,
            clients: nil,
            require: require
        )
    }

    @Test(
        "O-5 a listener's mode is told",
        arguments: [
            (.forward, "127.0.0.1:1"), (.transparent, "127.0.0.1:1, transparent"), (.socks5, "127.0.0.1:1, socks5"),
            (
                .fixed(FixedOrigin(origin: Origin(scheme: .http, host: "a.example"), prefix: "/v1", names: [])),
                "127.0.0.1:1, fixed to http://a.example/v1"
            ), (.tunnel(Origin(scheme: .http, host: "a.example")), "127.0.0.1:1, a tunnel to a.example:80"),
        ] as [(ListenerConfiguration.Mode, String)]
    )
    func modes(mode: ListenerConfiguration.Mode, expected: String) {
        #expect(text("listener", .of(listeners: [listener(mode)])) == expected)
    }

    @Test("O-5 a listener that is fixed to the origin comes before one that takes any, and sees what is inside")
    func fixed() {
        let api = Origin(scheme: .https, host: "api.example", port: 8443)
        let fixed = listener(.fixed(FixedOrigin(origin: api, prefix: "", names: [])))
        let configuration = ServerConfiguration.of(listeners: [listener(.forward), fixed])
        #expect(text("listener", configuration, api) == "127.0.0.1:1, fixed to https://api.example:8443")
        #expect(Explanation(.init(origin: api, path: [0x2F]), in: configuration).origin != nil)
        let other = Origin(scheme: .https, host: "api.example")
        #expect(text("listener", configuration, other) == "127.0.0.1:1")
        #expect(text("listener", .of(listeners: [fixed]), other) == "none that this client may use")
    }

    @Test("O-5 R-9 who logs in is told, sockets have their path, and names their resolver where that isn't the usual")
    func others() {
        let socket = ListenerConfiguration(
            address: .unix("/run/c.sock"),
            name: "local",
            clients: nil,
            require: .htpasswd(path: "/etc/logins", content: [])
        )
        #expect(text("listener", .of(listeners: [socket])) == "unix:/run/c.sock (local); clients log in by /etc/logins")
        #expect(text("names", .of()) == nil)
        #expect(text("names", .of(dns: .init(kind: .system))) == "are looked up by the system's resolver")
        let server = DNSConfiguration.Server(address: .loopbackV4, port: 5353)
        #expect(text("names", .of(dns: .init(servers: [server]))) == "are looked up at 127.0.0.1 port 5353")
    }

    // MARK: destinations

    private func entry(_ host: String, line: Int, path: String? = nil) throws -> DestinationRules.Entry {
        DestinationRules.Entry(
            host: try HostPattern(host),
            port: .any,
            scheme: nil,
            path: try path.map { try PathPattern($0) },
            place: SourcePlace(line: line)
        )
    }

    @Test("O-5 R-6 what 'access' says of a destination is told with the entry that says it, as far as names tell")
    func destinations() throws {
        let rules = DestinationRules(
            allow: [try entry(".example", line: 4), try entry("10.0.0.0/8", line: 5)],
            deny: [try entry("b.example", line: 6), try entry("c.example", line: 7, path: "/x")]
        )
        let configuration = ServerConfiguration.of(destinations: rules)
        func access(_ host: String, _ scheme: Scheme = .http) -> String? {
            text("access", configuration, Origin(scheme: scheme, host: host))
        }
        #expect(access("a.example") == "allowed by an entry of 'allow' (line 4)")
        #expect(access("10.1.1.1") == "allowed by an entry of 'allow' (line 5)")
        #expect(access("b.example") == "refused (403): denied by an entry of 'deny' (line 6)")
        #expect(access("c.example") == "allowed by an entry of 'allow' (line 4)")
        #expect(access("c.example", .https) == "refused (403): denied by an entry of 'deny' (line 7)")
        #expect(access("192.0.2.1") == "refused (403): no entry of 'allow' is about it")
        #expect(access("a.test") == "'allow' names networks, so the address decides that the name leads to")
        #expect(text("access", .of()) == nil)
        #expect(
            text("access", .of(), Origin(scheme: .http, host: "169.254.169.254"))
                == "refused (403): such an address is refused unless 'allow' names it (R-7)"
        )
    }

    // MARK: what a fixed origin means for rules

    @Test("a rule without a port is for the port of a fixed origin, and acts there")
    func fixedPort() throws {
        let api = Origin(scheme: .https, host: "api.example", port: 8443)
        let draft = RuleDraft(use: "staff").with {
            $0.scheme = .https
            $0.hosts = ["api.example"]
        }
        let rules = try table([draft]).rules
        let fixed = RuleTable(rules: rules, fixed: [api])
        #expect(fixed.candidates(for: api, isProxy: false).rules.count == 1)
        let usual = Origin(scheme: .https, host: "api.example")
        #expect(fixed.candidates(for: usual, isProxy: false).rules.isEmpty)
        #expect(RuleTable(rules: rules).candidates(for: api, isProxy: false).rules.isEmpty)
        #expect(NeverActing.find(rules: rules, routes: [], parents: [], fixed: [api]).isEmpty)
        #expect(NeverActing.find(rules: rules, routes: [], parents: []).map(\.reason) == [.tunnelled])
        let clear = Origin(scheme: .http, host: "api.example", port: 8443)
        #expect(NeverActing.find(rules: rules, routes: [], parents: [], fixed: [clear]).map(\.reason) == [.tunnelled])
    }
}
