import Authentication
import HTTP
import Rules
import Testing

@testable import Configuration

/// `proxies` and `routes`, as the values that the proxy runs by.
@Suite struct RouteSectionTests {
    private func configuration(
        _ text: String,
        environment: [String: String] = [:]
    ) throws -> ServerConfiguration {
        let result = load("version: 1\n" + text, files: RuleFileFixture.files, environment: environment)
        return try #require(result.configuration, "\(result.diagnostics.map(\.rendered))")
    }

    private static let parents = """
        proxies:
          near: { url: "https://near.example.com:3129" }
          far: { url: "http://far.example.com:3128", via: near }
          socks: { url: "socks5://socks.example.com:1080", via: far }

        """

    @Test("R-1 a route's ways are kept in the order in which they are written")
    func order() throws {
        let read = try configuration(Self.parents + "routes: [{ via: [far, direct, socks] }]\n")
        let hops = read.routes.route(for: Origin(scheme: .http, host: "a.example.org")).hops(
            to: Origin(scheme: .http, host: "a.example.org")
        )
        #expect(hops == [.parent(read.parents[1]), .direct, .parent(read.parents[2])])
    }

    @Test("R-2 a proxy that is reached through another knows that very one, wherever they stand")
    func chain() throws {
        let read = try configuration(Self.parents + "routes: [{ via: socks }]\n")
        #expect(read.parents.map(\.name) == ["near", "far", "socks"])
        #expect(read.parents[0].via == nil)
        #expect(read.parents[1].via === read.parents[0] && read.parents[2].via === read.parents[1])
        #expect(read.parents.map(\.kind) == [.http, .http, .socks5])
        #expect(read.parents[2].origin == Origin(scheme: .http, host: "socks.example.com", port: 1080))
    }

    @Test("a proxy that stands before the one through which it is reached is read no less")
    func chainBackwards() throws {
        let read = try configuration(
            """
            proxies:
              far: { url: "http://far.example.com:3128", via: near }
              near: { url: "http://near.example.com:3128" }
            routes: [{ via: far }]
            """
        )
        #expect(read.parents.map(\.name) == ["far", "near"])
        #expect(read.parents[0].via === read.parents[1])
    }

    @Test("eight proxies make the longest chain")
    func longest() throws {
        let links = (1..<8).map { "  p\($0): { url: \"http://p.example.com:80\", via: p\($0 + 1) }\n" }.joined()
        let text = "proxies:\n\(links)  p8: { url: \"http://p.example.com:80\" }\nroutes: [{ via: p1 }]\n"
        let first = try #require(try configuration(text).parents.first)
        #expect(sequence(first: first, next: \.via).map(\.name).count == 8)
    }

    @Test("R-3 a PAC's file and URL, and what holds while it can't be had")
    func pac() throws {
        let read = try configuration(
            Self.parents + """
                routes:
                  - { host: a.example.org, pac: { file: wpad.dat }, via: [socks, direct] }
                  - { host: b.example.org, pac: { url: "http://wpad.example.org/wpad.dat" } }
                  - { host: c.example.org, pac: { url: "https://wpad.example.org/wpad.dat", refresh: 5m } }
                """
        )
        let choices = read.routes.routes.map(\.route.choice)
        guard case .pac(let file, let instead) = choices[0], case .pac(let usual, let direct) = choices[1],
            case .pac(let often, _) = choices[2]
        else { return #expect(Bool(false), "these are PAC files") }
        #expect(file.location == .file("/etc/wpad.dat") && instead.count == 2 && direct == [.direct])
        #expect(usual.location == .url("http://wpad.example.org/wpad.dat", refresh: 3_600_000_000_000))
        #expect(often.location == .url("https://wpad.example.org/wpad.dat", refresh: 300_000_000_000))
        #expect(read.watched.contains("/etc/wpad.dat"))
    }

    // MARK: environment

    private func environment(_ variables: [String: String], _ listeners: String = "") -> [String] {
        said("version: 1\n\(listeners)routes: [{ environment: true }]\n", environment: variables)
    }

    @Test("the environment's proxies answer with the login that stands in them")
    func environmentParents() throws {
        let read = try configuration(
            "routes: [{ environment: true }]\n",
            environment: [
                "https_proxy": "https://alice:s%40t@proxy.example.com", "http_proxy": "127.0.0.1:8080",
                "NO_PROXY": "example.org",
            ]
        )
        #expect(read.parents.map(\.name) == ["environment http_proxy", "environment https_proxy"])
        #expect(read.parents[1].credentials.map(\.name) == ["environment https_proxy"])
        let asked = Origin(scheme: .https, host: "www.example.com")
        #expect(read.routes.route(for: asked).hops(to: asked) == [.parent(read.parents[1])])
        let exempt = Origin(scheme: .https, host: "www.example.org")
        #expect(read.routes.route(for: exempt).hops(to: exempt) == [.direct])
        #expect(read.rules.rules.map(\.name) == ["proxies.environment https_proxy.use"])
    }

    @Test("a proxy of the environment that is this one is passed over, and that is told")
    func itself() {
        let message = "goes direct"
        let own = ["http_proxy": "http://127.0.0.1:3128", "https_proxy": "http://localhost:3128"]
        #expect(environment(own).count == 2 && environment(own).allSatisfy { $0.contains(message) })
        #expect(environment(["http_proxy": "http://127.0.0.1:3129"]) == [])
        #expect(environment(["http_proxy": "http://127.0.0.2:3128"]) == [])
        let open = "listeners: [{ address: '0.0.0.0:8080', clients: [10.0.0.0/8] }]\n"
        #expect(environment(["http_proxy": "http://127.0.0.2:8080"], open).count == 1)
        #expect(environment(["http_proxy": "http://10.0.0.1:8080"], open) == [])
    }

    @Test("a variable that can't be used is an error, and what is in it isn't shown")
    func unusable() {
        let said = environment(["http_proxy": "socks4://alice:c4n4ry@127.0.0.1:1"])
        #expect(
            said == ["2:12 http_proxy can't be used: a proxy's URL begins with http://, https:// or socks5://"]
        )
        let port = environment(["all_proxy": "http://alice:c4n4ry@proxy:c4n4ry"])
        #expect(port == ["2:12 all_proxy can't be used: the port of a proxy's URL is a number between 1 and 65535"])
    }

    @Test("a login that would go in the clear is told, since curl would send it and this proxy doesn't")
    func cleartext() {
        #expect(environment(["http_proxy": "http://alice:x@proxy.example.com:80"]).count == 1)
        #expect(environment(["http_proxy": "https://alice:x@proxy.example.com:443"]) == [])
        #expect(environment(["http_proxy": "http://alice:x@127.0.0.1:80"]) == [])
        #expect(environment(["http_proxy": "http://proxy.example.com:80"]) == [])
    }

    @Test("what the environment names isn't known where it isn't read")
    func unread() {
        let text = "version: 1\nroutes: [{ environment: true }]\n"
        #expect(said(text, environment: ["http_proxy": "ftp://x"], readsSecrets: false) == [])
    }

    @Test("a rule for a proxy that PAC or the environment may name is no rule that never acts")
    func unknownParents() {
        func warnings(_ route: String) -> [String] {
            said(
                """
                version: 1
                credentials: { staff: { username: alice, password: { file: /run/pw } } }
                rules: [{ space: { host: proxy.example.com, port: any, proxy: true, method: digest }, use: staff }]
                routes: [\(route)]
                """,
                files: RuleFileFixture.files
            )
        }
        #expect(warnings("{ pac: { url: 'http://wpad.example.com/' } }") == [])
        #expect(warnings("{ environment: true }") == [])
        #expect(warnings("{ via: direct }").count == 1)
    }
}
