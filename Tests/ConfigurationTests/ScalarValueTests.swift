import Bytes
import HTTP
import Rules
import Testing

@testable import Configuration

@Suite struct ScalarValueTests {
    @Test(
        "durations",
        arguments: [
            ("250ms", 250_000_000), ("30s", 30_000_000_000), ("5m", 300_000_000_000), ("12h", 43_200_000_000_000),
            ("7d", 604_800_000_000_000), ("0s", 0),
        ] as [(String, UInt64)]
    )
    func durations(text: String, nanoseconds: UInt64) { #expect(ScalarValue.duration(text) == nanoseconds) }

    @Test(
        "what is no duration",
        arguments: [
            "", "30", "s", "1.5h", "-1s", "1 s", "1S", "5min", "99999999999999999999s", "9223372036854775807d", "٣s",
        ]
    )
    func noDurations(text: String) { #expect(ScalarValue.duration(text) == nil) }

    @Test("sizes", arguments: [("0", 0), ("100", 100), ("64KiB", 65536), ("1MiB", 1 << 20), ("2GiB", 2 << 30)])
    func sizes(text: String, bytes: Int) { #expect(ScalarValue.size(text) == bytes) }

    @Test("what is no size", arguments: ["", "KiB", "1KB", "1k", "1 KiB", "-1", "99999999999GiB", "1e3"])
    func noSizes(text: String) { #expect(ScalarValue.size(text) == nil) }

    @Test(
        "dates exist",
        arguments: [
            ("2027-06-30", true), ("2028-02-29", true), ("2027-02-29", false), ("2100-02-29", false),
            ("2000-02-29", true), ("2027-13-01", false), ("2027-6-30", false), ("27-06-30", false),
        ]
    )
    func dates(text: String, exists: Bool) { #expect((ScalarValue.date(text) != nil) == exists) }

    @Test(
        "ports",
        arguments: [("1", 1), ("65535", 65535), ("0", nil), ("65536", nil), ("+80", nil), ("80 ", nil)]
            as [(String, UInt16?)]
    )
    func ports(text: String, port: UInt16?) { #expect(ScalarValue.port(text) == port) }

    @Test(
        "a login in a URL is in no message",
        arguments: [
            ("http://u:p@h:1", "'http://…'"), ("u:p@h", "'…'"), ("http://a@b:c@h", "'http://…'"),
            ("http://u:p%40h:1", "'http://…'"), ("u:p%40h:1", "'…'"), ("http://u:p\u{FF20}h", "'http://…'"),
            ("http://u:p:h:1", "'http://…'"), ("http://h:1/p", "'http://h:1/p'"),
            ("http://[::1]:1", "'http://[::1]:1'"),
            ("plain", "'plain'"),
            ("a\u{1B}[31m", "'a\u{FFFD}[31m'"),
        ]
    )
    func quoting(text: String, shown: String) { #expect(Quoting.quoted(text) == shown) }

    @Test(
        "addresses to listen on",
        arguments: [
            ("127.0.0.1:3128", "127.0.0.1", 3128), ("[::1]:3128", "::1", 3128), ("localhost:80", "127.0.0.1", 80),
            ("0.0.0.0:0", "0.0.0.0", 0),
        ] as [(String, String, UInt16)]
    )
    func listeners(text: String, address: String, port: UInt16) throws {
        #expect(try ListenerAddress.read(text).get() == .tcp(try #require(IPAddress(address)), port))
    }

    @Test(
        "proxies' URLs",
        arguments: [
            ("http://proxy.corp.example:8080", "proxy.corp.example", 8080), ("HTTP://Proxy:80/", "proxy", 80),
            ("http://[fd00::1]:3128", "fd00::1", 3128), ("https://proxy:443", "proxy", 443),
        ] as [(String, String, UInt16)]
    )
    func proxies(text: String, host: String, port: UInt16) throws {
        let url = try ProxyURL.read(text).get()
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.scheme == (text.hasPrefix("https") ? .https : .http))
    }

    @Test(
        "names with stars are matched as a shell does",
        arguments: [
            ("a.yaml", "*.yaml", true), (".a.yaml", "*.yaml", false), (".a.yaml", ".*", true),
            ("a.yml", "*.yaml", false), ("10-x.yaml", "10-?.yaml", true),
            ("aab", "*ab", true), ("", "*", true), ("abc", "a*b*c*", true), ("a.yaml.bak", "*.yaml", false),
        ]
    )
    func globs(name: String, glob: String, fits: Bool) { #expect(Path.matches(name, glob: glob) == fits) }
}
