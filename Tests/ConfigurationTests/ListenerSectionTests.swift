import Bytes
import HTTP
import Rules
import Testing

@testable import Configuration

/// `listeners`, `access` and `dns`, as the values that the proxy runs by.
@Suite struct ListenerSectionTests {
    private func configuration(_ text: String, files: [String: String] = [:]) throws -> ServerConfiguration {
        let result = load("version: 1\n" + text, files: files)
        return try #require(result.configuration, "\(result.diagnostics.map(\.rendered))")
    }

    private func listener(_ text: String) throws -> ListenerConfiguration {
        try #require(try configuration("listeners: [\(text)]\n").listeners.first)
    }

    @Test("a socket's path counts from the rule file's folder, '~' is the user's home")
    func sockets() throws {
        #expect(try listener("{ address: unix:run/c.sock }").address == .unix("/etc/run/c.sock"))
        #expect(try listener("{ address: unix:~/c.sock }").address == .unix("/home/test/c.sock"))
        #expect(try listener("{ address: unix:/run/c.sock }").address == .unix("/run/c.sock"))
        #expect(try listener("{ address: systemd:web }").address == .systemd("web"))
        let long = String(repeating: "a", count: 103)
        #expect(try listener("{ address: unix:/\(long)bcd }").address == .unix("/\(long)bcd"))
        #expect(said("version: 1\nlisteners: [{ address: unix:/\(long)bcde }]\n").count == 1)
    }

    @Test("a socket is its user's alone, unless permissions and a group are written")
    func permissions() throws {
        let usual = try listener("{ address: unix:/run/c.sock }")
        #expect(usual.modeBits == 0o600 && usual.group == nil)
        let open = try listener("{ address: unix:/run/c.sock, mode_bits: 0660, group: staff }")
        #expect(open.modeBits == 0o660 && open.group == 50)
        #expect(try listener("{ address: unix:/run/c.sock, group: \"7\" }").group == 7)
    }

    @Test(
        "a fixed listener has an origin and what is put before the path",
        arguments: [
            ("https://API.example.com", Origin(scheme: .https, host: "api.example.com"), ""),
            ("http://a.example.com:8080/", Origin(scheme: .http, host: "a.example.com", port: 8080), ""),
            ("https://[2001:db8::1]:8443/v1/", Origin(scheme: .https, host: "2001:db8::1", port: 8443), "/v1"),
            ("http://192.0.2.1/a/b%20c", Origin(scheme: .http, host: "192.0.2.1"), "/a/b%20c"),
            ("https://b\u{FC}cher.example", Origin(scheme: .https, host: "xn--bcher-kva.example"), ""),
        ]
    )
    func fixed(url: String, origin: Origin, prefix: String) throws {
        let read = try listener("{ address: 127.0.0.1:1, mode: fixed, origin: '\(url)', names: [.example.org] }")
        guard case .fixed(let fixed) = read.mode else { return #expect(Bool(false), "it isn't fixed") }
        #expect(fixed.origin == origin && fixed.prefix == prefix)
        #expect(fixed.names == [try HostPattern(".example.org")])
    }

    @Test("the other modes")
    func modes() throws {
        let read = try listener("{ address: 127.0.0.1:1, mode: tunnel, target: 'Git.example.com:22' }").mode
        guard case .tunnel(let target) = read else { return #expect(Bool(false), "it is no tunnel") }
        #expect(target == Origin(scheme: .https, host: "git.example.com", port: 22))
        if case .transparent = try listener("{ address: 127.0.0.1:1, mode: transparent }").mode {
        } else {
            #expect(Bool(false), "it isn't transparent")
        }
        if case .socks5 = try listener("{ address: 127.0.0.1:1, mode: socks5 }").mode {
        } else {
            #expect(Bool(false), "it isn't socks5")
        }
    }

    @Test("users and groups that clients name are numbers")
    func accounts() throws {
        let read = try configuration("access: { clients: ['uid:alice', 'uid:7', 'gid:staff', 10.0.0.0/8] }\n")
        #expect(
            read.access.clients == [
                .user(1000), .user(7), .group(50), .network(try #require(IPNetwork("10.0.0.0/8"))),
            ]
        )
    }

    @Test("without secrets, names that lie outside the file are no error")
    func withoutSecrets() {
        let text = "version: 1\naccess: { clients: ['uid:mallory'], require: { htpasswd: none } }\n"
        #expect(said(text, readsSecrets: false) == [])
    }

    @Test("R-9 a file of logins is read when the rule file is, and watched")
    func logins() throws {
        let files = RuleFileFixture.files
        let result = load("version: 1\naccess: { require: { htpasswd: /run/htpasswd } }\n", files: files)
        let content = Array(try #require(files["/run/htpasswd"]).utf8)
        #expect(result.configuration?.access.require == .htpasswd(path: "/run/htpasswd", content: content))
        #expect(result.watchedFiles.contains("/run/htpasswd"))
    }

    @Test(
        "R-9 a login is an error where no client can log in, be it the listener's own or that of access",
        arguments: ["mode: fixed, origin: 'http://a.example.com'", "mode: transparent"]
    )
    func noLogin(mode: String) {
        func errors(_ own: String, _ access: String) -> Int {
            let text = "version: 1\nlisteners: [{ address: 127.0.0.1:1, \(mode)\(own) }]\n\(access)"
            return load(text, files: RuleFileFixture.files).diagnostics.count { $0.severity == .error }
        }
        let access = "access: { require: { htpasswd: /run/htpasswd } }\n"
        #expect(errors(", require: { htpasswd: /run/htpasswd }", "") == 1)
        #expect(errors("", access) == 1)
        #expect(errors(", require: none", access) == 0)
        #expect(errors("", "") == 0)
    }

    @Test("A-13 a login at the proxy beside a rule that leaves a parent's 407 to the clients is an error")
    func loginForParents() {
        func errors(_ rule: String, _ access: String) -> Int {
            let text = "version: 1\nrules: [{ space: { host: p.example.com\(rule) }, disposition: default }]\n\(access)"
            return load(text, files: RuleFileFixture.files).diagnostics.count { $0.severity == .error }
        }
        let access = "access: { require: { htpasswd: /run/htpasswd } }\n"
        #expect(errors(", proxy: true", access) == 1)
        #expect(errors("", access) == 0)
        #expect(errors(", proxy: true", "") == 0)
    }

    @Test("a listener says for itself who logs in, or leaves it to access")
    func requirement() throws {
        let read = try configuration(
            """
            listeners:
              - { address: 127.0.0.1:1, require: none }
              - { address: 127.0.0.1:2 }
            access: { require: { htpasswd: /run/htpasswd } }
            """,
            files: RuleFileFixture.files
        )
        #expect(read.listeners[0].require == LoginRequirement.none && read.listeners[1].require == nil)
    }

    @Test("destinations keep their order, their ports, protocols and paths, and where they stand")
    func destinations() throws {
        let rules = try configuration(
            """
            access:
              destinations:
                allow:
                  - .example.com
                  - { host: [10.0.0.0/8, b.example.com], port: 443, protocol: https, path: /api/ }
                  - { file: /run/hosts }
                  - { port: 80 }
                deny: secret.example.com
            """,
            files: ["/run/hosts": "# hosts\nc.example.com\n"]
        ).access.destinations
        let allow = try #require(rules.allow)
        #expect(
            allow.map(\.host) == [
                try HostPattern(".example.com"), try HostPattern("10.0.0.0/8"), try HostPattern("b.example.com"),
                try HostPattern("c.example.com"), try HostPattern("*"),
            ]
        )
        #expect(allow.map(\.port) == [.any, .number(443), .number(443), .any, .number(80)])
        #expect(allow.map(\.scheme) == [nil, .https, .https, nil, nil])
        #expect(allow.map { $0.path != nil } == [false, true, true, false, false])
        #expect(allow.map(\.place.line) == [5, 6, 6, 2, 8])
        #expect(allow[3].place.file == "/run/hosts")
        #expect(rules.deny.map(\.host) == [try HostPattern("secret.example.com")])
    }

    @Test("without a list everything may be reached, by any port")
    func defaults() throws {
        let access = try configuration("log: { format: json }\n").access
        #expect(access.destinations.allow == nil && access.destinations.deny.isEmpty)
        #expect(access.connectPorts == nil && access.plainPorts == nil)
        let ports = try configuration("access: { ports: { connect: [443, 8443], plain: any } }\n").access
        #expect(ports.connectPorts == [443, 8443] && ports.plainPorts == nil)
    }

    @Test("names are looked up by c-ares, unless the system is to be asked")
    func resolver() throws {
        #expect(try configuration("log: { format: json }\n").dns == DNSConfiguration())
        #expect(try configuration("dns: { resolver: system }\n").dns.kind == .system)
        let servers = try configuration("dns: { servers: [192.0.2.53, '[2001:db8::53]:5353'] }\n").dns.servers
        #expect(
            servers == [
                .init(address: try #require(IPAddress("192.0.2.53")), port: 0),
                .init(address: try #require(IPAddress("2001:db8::53")), port: 5353),
            ]
        )
    }

    @Test("O-2 where operators look is an address, a socket's path or a passed socket, by further names")
    func admin() throws {
        #expect(try configuration("").admin == nil)
        let open = try configuration(
            "admin: { address: '127.0.0.1:3129', hosts: [Proxy.example.com, .corp.example] }\n"
        ).admin
        #expect(open?.address == .tcp(.loopbackV4, 3129))
        #expect(open?.hosts == [try HostPattern("proxy.example.com"), try HostPattern(".corp.example")])
        let socket = try configuration("admin: { address: unix:run/admin.sock, hosts: one.example.com }\n").admin
        #expect(socket?.address == .unix("/etc/run/admin.sock"))
        #expect(socket?.hosts == [try HostPattern("one.example.com")])
        #expect(try configuration("admin: { address: systemd:admin }\n").admin?.address == .systemd("admin"))
        let listed = try configuration(
            "admin: { address: '[::1]:0', hosts: { file: hosts } }\n",
            files: ["/etc/hosts": "a.example\n"]
        )
        #expect(listed.admin?.hosts == [try HostPattern("a.example")])
    }
}
