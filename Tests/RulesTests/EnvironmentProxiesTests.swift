import Authentication
import Crypto
import HTTP
import Rules
import Testing

/// curl's variables: what is expected stands in its manual, or was read off `curl -v` 7.88.1 where that says no word.
@Suite("The environment's proxies")
struct EnvironmentProxiesTests {
    private func read(_ variables: [String: String]) -> EnvironmentProxies.Reading {
        EnvironmentProxies.read(place: SourcePlace(line: 1), isOwn: { _ in false }) { name in
            variables[name].flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    private func proxy(_ variables: [String: String], for scheme: Scheme = .http) -> String? {
        let proxies = read(variables).proxies
        let parent = scheme == .http ? proxies.http : proxies.https
        return parent.map {
            "\($0.kind == .socks5 ? "socks5" : $0.origin.scheme.text)://\($0.origin.authorityWithPort)"
        }
    }

    @Test(
        "which hosts NO_PROXY exempts",
        arguments: [
            ("*", "a.test", true), ("a.test,*", "b.test", false), ("example.test", "example.test", true),
            ("example.test", "www.example.test", true), ("example.test", "nonexample.test", false),
            ("example.test", "example.test.org", false), (".example.test", "example.test", true),
            (".example.test", "www.example.test", true), ("example.test.", "www.example.test", true),
            ("EXAMPLE.test", "www.example.test", true), ("example.test:80", "example.test", false),
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.0/8", "127.0.0.2", true),
            ("127.0.0.0/33", "127.0.0.1", false), ("127.0.0.0/0", "127.0.0.1", false),
            ("127.0.0.1/0", "127.0.0.1", true), ("127.0.0.0/8", "localhost", false), ("::1", "::1", true),
            ("[::1]", "::1", false), ("2001:db8::/32", "2001:db8::7", true), ("2001:db8::/32", "2001:db9::7", false),
            ("0:0:0:0:0:0:0:1", "::1", true), ("foo bar", "bar", true), ("foo,bar", "bar", true),
            ("foo\tbar", "bar", true), (" foo , bar ", "bar", true), ("foo;bar", "bar", false),
            ("*.example.test", "a.example.test", false), ("..example.test", "a.example.test", false),
            ("127.0.0", "127.0.0.1", false), ("0.0.1", "127.0.0.1", false), ("127.0.0.1", "::ffff:127.0.0.1", false),
            ("127.1", "127.0.0.1", false), (".", "a.test", false), ("", "a.test", false), (",,a.test", "a.test", true),
            ("192.168.0.0/16", "192.168.7.7", true), ("192.168.0.0/16", "192.169.0.1", false),
            ("1.test", "1.1.test", true),
        ]
    )
    func exempt(list: String, host: String, isExempt: Bool) {
        #expect(ExemptHosts(list).contains(host: Origin(scheme: .http, host: host).host) == isExempt)
    }

    @Test(
        "which proxy the variables name for http",
        arguments: [
            (["http_proxy": "http://127.0.0.1:9"], "http://127.0.0.1:9"),
            (["http_proxy": "127.0.0.1:9"], "http://127.0.0.1:9"),
            (["http_proxy": "HTTP://127.0.0.1:9/path?x"], "http://127.0.0.1:9"),
            (["http_proxy": "http://127.0.0.2"], "http://127.0.0.2:1080"),
            (["http_proxy": "https://127.0.0.2"], "https://127.0.0.2:443"),
            (["http_proxy": "socks5://127.0.0.2"], "socks5://127.0.0.2:1080"),
            (["http_proxy": "socks5h://proxy.test:9"], "socks5://proxy.test:9"),
            (["http_proxy": "[::1]:9"], "http://[::1]:9"), (["ALL_PROXY": "127.0.0.1:9"], "http://127.0.0.1:9"),
            (["http_proxy": "", "ALL_PROXY": "127.0.0.1:9"], "http://127.0.0.1:9"),
            (["all_proxy": "127.0.0.1:7", "ALL_PROXY": "127.0.0.1:9"], "http://127.0.0.1:7"),
            (["http_proxy": "127.0.0.1:8", "all_proxy": "127.0.0.1:9"], "http://127.0.0.1:8"),
            (["https_proxy": "127.0.0.1:9"], nil), ([:], nil),
            // curl takes the lower case only, and so doesn't know this one.
            (["HTTP_PROXY": "127.0.0.1:9"], "http://127.0.0.1:9"),
            (["HTTP_PROXY": "127.0.0.1:9", "http_proxy": "127.0.0.1:8"], "http://127.0.0.1:8"),
            (["HTTP_PROXY": "127.0.0.1:9", "REQUEST_METHOD": "GET"], nil),
        ] as [([String: String], String?)]
    )
    func http(variables: [String: String], expected: String?) {
        #expect(proxy(variables) == expected)
        #expect(read(variables).faults.isEmpty)
    }

    @Test(
        "which proxy the variables name for https",
        arguments: [
            (["HTTPS_PROXY": "127.0.0.1:9"], "http://127.0.0.1:9"),
            (["HTTPS_PROXY": "127.0.0.1:9", "https_proxy": "127.0.0.1:8"], "http://127.0.0.1:8"),
            (["https_proxy": "", "HTTPS_PROXY": "127.0.0.1:9"], "http://127.0.0.1:9"),
            (["ALL_PROXY": "127.0.0.1:9"], "http://127.0.0.1:9"), (["http_proxy": "127.0.0.1:9"], nil),
            (["HTTPS_PROXY": "127.0.0.1:9", "REQUEST_METHOD": "GET"], "http://127.0.0.1:9"),
        ] as [([String: String], String?)]
    )
    func https(variables: [String: String], expected: String?) { #expect(proxy(variables, for: .https) == expected) }

    @Test(
        "a value that curl refuses can't be used",
        arguments: [
            "ftp://127.0.0.1:9", "//127.0.0.1:9", "http://:x", " 127.0.0.1:9", "http://127.0.0.1:70000",
            "http://a b:80", "http://user:%00@a:80",
        ]
    )
    func faults(value: String) {
        let reading = read(["http_proxy": value])
        #expect(reading.faults.map(\.variable) == ["http_proxy"])
        #expect(reading.proxies.http == nil)
    }

    @Test(
        "a login in a variable is a credential",
        arguments: [
            ("http://alice:wonder@a:80", "alice", "wonder"), ("alice:wonder@a:80", "alice", "wonder"),
            ("http://CORP%5Calice:p%40%3ass@a:80", "CORP\\alice", "p@:ss"), ("http://alice@a:80", "alice", ""),
            ("http://al@ice:x@a:80", "al@ice", "x"), ("http://a:b:c@a:80", "a", "b:c"),
            ("http://alice:100%@a:80", "alice", "100%"),
        ]
    )
    func login(value: String, name: String, password: String) throws {
        let parent = try #require(read(["http_proxy": value]).proxies.http)
        #expect(parent.origin == Origin(scheme: .http, host: "a", port: 80))
        guard case .password(let username, let domain, let secret)? = parent.credentials.first?.kind else {
            return #expect(Bool(false), "there is a login")
        }
        #expect(username == Array(name.utf8) && domain == nil)
        #expect(secret == Secret(password))
    }

    @Test("one value in two variables is one proxy")
    func shared() {
        let proxies = read(["http_proxy": "a:80", "https_proxy": "a:80"]).proxies
        #expect(proxies.http === proxies.https && proxies.parents.count == 1)
        #expect(read(["http_proxy": "a:80", "https_proxy": "b:80"]).proxies.parents.count == 2)
        #expect(read(["https_proxy": "b:80"]).proxies.parents.count == 1)
    }

    @Test("a proxy that is this one is passed over, for each of its variables")
    func own() {
        let reading = EnvironmentProxies.read(place: SourcePlace(line: 1), isOwn: { $0.port == 1 }) { name in
            ["http_proxy": "a:1", "https_proxy": "a:2"][name]
        }
        #expect(reading.passedOver == ["http_proxy"])
        #expect(reading.proxies.http == nil && reading.proxies.https != nil)
    }
}
