import Bytes
import Rules
import Testing

@Suite("Host patterns")
struct HostPatternTests {
    @Test(
        "A-22 a pattern matches exactly the hosts that the rule file's table says",
        arguments: [
            ("api.example.com", ["api.example.com"], ["example.com", "x.api.example.com", "api.example.com.x"]),
            ("API.Example.COM.", ["api.example.com"], ["api.example"]),
            (
                "*.example.com", ["a.example.com", "example.example.com"],
                ["example.com", "a.b.example.com", "xexample.com", "com"]
            ),
            ("*.MyExample.Com", ["a.myexample.com"], ["myexample.com", "a.myexample.com.notexample.com"]),
            (
                ".example.com", ["example.com", "a.example.com", "a.b.example.com"],
                ["dexample.com", "ple.com", "com", "example.com.org"]
            ),
            ("bücher.example", ["xn--bcher-kva.example"], ["bucher.example", "bcher-kva.example"]),
            ("BÜCHER.example", ["xn--bcher-kva.example"], []),
            ("XN--BCHER-KVA.example", ["xn--bcher-kva.example"], []),
            (".bücher。example", ["a.xn--bcher-kva.example"], []),
            ("Σkhttp.com", ["xn--khttp-fde.com"], []),
            ("*", ["example.com", "localhost", "10.0.0.1", "::1"], []),
            (
                "10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"],
                ["11.0.0.0", "10.example.com", "::a00:1"]
            ),
            ("10.1.2.3/8", ["10.9.9.9"], ["11.0.0.0"]),
            ("fd00::/8", ["fd12::1"], ["fe80::1", "10.0.0.1"]),
            ("192.0.2.7", ["192.0.2.7", "::ffff:192.0.2.7"], ["192.0.2.70", "192.0.2.7.example.com"]),
            ("::ffff:192.0.2.7", ["192.0.2.7"], ["192.0.2.8"]),
            ("2001:DB8:0::1", ["2001:db8::1"], ["2001:db8::2"]),
            ("0.0.0.0/0", ["1.2.3.4"], ["example.com", "::1"]),
            ("a_b.example.com", ["a_b.example.com"], ["a-b.example.com"]),
        ]
    )
    func matching(text: String, hosts: [String], others: [String]) throws {
        let pattern = try HostPattern(text)
        for host in hosts {
            #expect(pattern.matches(host: host, address: IPAddress(host)), "\(text) should match \(host)")
        }
        for host in others {
            #expect(!pattern.matches(host: host, address: IPAddress(host)), "\(text) should not match \(host)")
        }
    }

    @Test(
        "a form of another program's list is refused with the form that says it here",
        arguments: [
            ("", .empty),
            ("10.*", .addressWithStar(network: "10.0.0.0/8")),
            ("192.168.*.*", .addressWithStar(network: "192.168.0.0/16")),
            ("10.1.2.*", .addressWithStar(network: "10.1.2.0/24")),
            ("2001:db8:*", .addressWithStar(network: "fd00::/8")),
            ("*.0.0.1", .addressWithStar(network: nil)),
            ("*example.com", .misplacedStar(domain: "example.com")),
            ("**.example.com", .misplacedStar(domain: "example.com")),
            ("www.*", .misplacedStar(domain: nil)),
            ("*.*.example.com", .misplacedStar(domain: "example.com")),
            ("host:8443", .port(host: "host", port: "8443")),
            ("*:8443", .port(host: "*", port: "8443")),
            ("[::1]:8443", .port(host: "\"::1\"", port: "8443")),
            ("[::1]", .brackets(address: "::1")),
            ("https://host", .url(scheme: "https", host: "host")),
            ("HTTP://u:p@host:80/path", .url(scheme: "http", host: "host")),
            ("a,b", .list(["a", "b"])),
            ("a, .b;c", .list(["a", ".b", "c"])),
            ("a b", .list(["a", "b"])),
            ("host/path", .path(host: "host")),
            ("user@host", .userinfo(host: "host")),
            ("10.0.0.0/33", .malformedNetwork),
            ("fd00::/129", .malformedNetwork),
            ("10/8", .malformedNetwork),
            ("10.1", .malformedAddress),
            ("256.0.0.1", .malformedAddress),
            ("0x7f000001", .malformedAddress),
            ("1:2:3", .malformedAddress),
            ("a..b", .emptyLabel),
            (".", .emptyLabel),
            ("..example.com", .emptyLabel),
            ("ex!ample", .invalidCharacter),
            ("ex%61mple", .invalidCharacter),
            ("bu\u{308}cher.example", .needsALabel),
            ("\u{FF42}ook.example", .needsALabel),
        ] as [(String, HostPatternError)]
    )
    func refusal(text: String, error: HostPatternError) {
        #expect(throws: error) { try HostPattern(text) }
    }

    @Test("the longest label and name are accepted, one byte more is not")
    func lengths() throws {
        let label = String(repeating: "a", count: 63)
        _ = try HostPattern(label)
        #expect(throws: HostPatternError.tooLong) { try HostPattern(label + "a") }
        let name = "\(label).\(label).\(label).\(String(repeating: "a", count: 61))"
        #expect(name.utf8.count == 253)
        _ = try HostPattern(name)
        #expect(throws: HostPatternError.tooLong) { try HostPattern(name + "a") }
    }

    @Test(
        "a message names the form to write",
        arguments: [
            ("10.*", "10.0.0.0/8"), ("*example.com", "\"*.example.com\""), ("*example.com", " .example.com"),
            ("host:8443", "host: host and port: 8443"), ("https://host", "host: host and protocol: https"),
            ("a,b", "[a, b]"), ("[::1]", "\"::1\""),
        ]
    )
    func message(text: String, form: String) {
        do {
            _ = try HostPattern(text)
            Issue.record("\(text) was accepted")
        } catch {
            #expect(error.message.contains(form), "\(error.message)")
        }
    }

    @Test(
        "a pattern whose fixed part is a single label is too wide for a secret",
        arguments: [
            ("*", true), ("*.com", true), (".corp", true), (".example.com", false), ("*.example.com", false),
            ("localhost", false), ("10.0.0.0/8", false),
        ]
    )
    func width(text: String, isTooWide: Bool) throws {
        #expect(try HostPattern(text).isTooWideForSecret == isTooWide)
    }

    @Test(
        "one pattern covers another when nothing is left over",
        arguments: [
            ("*", ".example.com", true), (".example.com", "*", false), (".example.com", "a.example.com", true),
            (".example.com", "*.example.com", true), ("*.example.com", ".example.com", false),
            ("*.example.com", "a.example.com", true), ("*.example.com", "a.b.example.com", false),
            ("*.example.com", "*.example.com", true), (".example.com", ".a.example.com", true),
            ("10.0.0.0/8", "10.1.0.0/16", true), ("10.1.0.0/16", "10.0.0.0/8", false), ("10.0.0.0/8", "10.0.0.1", true),
            ("10.0.0.1", "10.0.0.1", true), ("a", "b", false),
        ]
    )
    func covering(outer: String, inner: String, covers: Bool) throws {
        #expect(try HostPattern(outer).covers(HostPattern(inner)) == covers)
    }
}
