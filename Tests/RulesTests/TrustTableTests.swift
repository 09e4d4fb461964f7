import Authentication
import Bytes
import Crypto
import HTTP
import Rules
import Testing
import Trust

@Suite("Trust policies by host")
struct TrustTableTests {
    /// A table of policies that are called by their first pattern.
    private func table(_ entries: [(hosts: [String], port: UInt16?)]) throws -> TrustTable {
        TrustTable(
            try entries.enumerated().map { index, entry in
                TrustPattern(
                    hosts: try entry.hosts.map { try HostPattern($0) },
                    port: entry.port,
                    policy: TrustPolicy(name: entry.hosts[0], terms: TrustPolicy.Terms()),
                    place: SourcePlace(line: index + 10)
                )
            }
        )
    }

    private func found(_ patterns: [String], _ host: String, port: UInt16 = 443) throws -> String {
        try table(patterns.map { ([$0], nil) }).policy(host: host, port: port).name
    }

    @Test(
        "T-2 OkHttp's patterns match what they match there, `**.` being written as `.`",
        arguments: [
            ("OK-09", "example.com", "example.com", true), ("OK-11", "*.example.com", "a.example.com", true),
            ("OK-17", ".example.co.uk", "example.co.uk", true), ("OK-17", ".example.co.uk", "foo.example.co.uk", true),
            ("OK-17", ".example.co.uk", "foo.bar.baz.example.co.uk", true), ("OK-18", ".example.co.uk", "uk", false),
            ("OK-18", ".example.co.uk", "co.uk", false), ("OK-18", ".example.co.uk", "anotherexample.co.uk", false),
            ("OK-18", ".example.co.uk", "foo.anotherexample.co.uk", false),
            ("OK-20", ".example.co.uk", "www.example.co.uk", true),
            ("OK-20", ".example.co.uk", "gopher.example.co.uk", true),
            ("OK-20", ".example.co.uk", "www.example.com", false), ("OK-26", "*.example.com", "example.com", false),
            ("OK-26", "*.example.com", "a.b.example.com", false), ("OK-26", "*.example.com", "a..example.com", false),
            ("OK-27", ".example.com", "example.com", true), ("OK-27", ".example.com", "a.b.example.com", true),
            ("OK-28", ".example.com", "xample.com", false), ("OK-28", ".example.com", "dexample.com", false),
            ("OK-28", ".example.com", "barnexample.com", false), ("OK-29", "EXAMPLE.com", "example.com", true),
            ("OK-29", "*.MyExample.Com", "a.myexample.com", true), ("OK-30", "σkhttp.com", "xn--khttp-fde.com", true),
            ("OK-31", "*.example.com", "a.example.com.notexample.com", false),
            ("OK-31", "*.example.com", "example.com.notexample.com", false),
            ("OK-31", "*.example.com", "notexample.com", false), ("OK-31", "*.example.com", "ple.com", false),
            ("OK-31", "*.example.com", "com", false), ("OK-32", "*.example.com", "a.example.com", true),
            ("OK-32", "*.example.com", "example.example.com", true),
        ]
    )
    func okHTTP(row: String, pattern: String, host: String, matches: Bool) throws {
        #expect(try (found([pattern], host) == pattern) == matches, "\(row)")
    }

    @Test(
        "T-2 TrustKit's and Android's look-ups give what they give there, in the order that says so",
        arguments: [
            ("TK-02", ["unsecured.good.com", ".good.com"], "unsecured.good.com", "unsecured.good.com"),
            ("TK-09", ["good.com"], "www.datatheorem.com", "default"),
            ("TK-10", [".good.com"], "www.good.com", ".good.com"), ("TK-11", [".good.com"], "good.com", ".good.com"),
            ("TK-12", [".www.good.com"], "sub.www.good.com.www.good.com", ".www.good.com"),
            ("TK-13", [".good.com"], "good.com.otherdomaingood.com", "default"),
            ("TK-14", [".good.net"], "test.good.com", "default"), ("TK-16", ["good.com"], "www.good.com", "default"),
            ("TK-17", ["www.good.com", ".good.com"], "www.good.com", "www.good.com"),
            ("TK-18", [".www.good.com", ".good.com"], "foo.www.good.com", ".www.good.com"),
            ("TK-21", [".good.com"], "com", "default"), ("TK-32", ["www.good.com"], "www.nonpinned.com", "default"),
            ("AN-02", [".android.com"], "google.com", "default"),
            ("AN-06", ["developer.android.com", ".android.com"], "developer.android.com", "developer.android.com"),
            ("AN-06", ["developer.android.com", ".android.com"], "android.com", ".android.com"),
            ("AN-12", ["android.com"], "developer.android.com", "default"),
            ("AN-18", ["android.com", "google.com"], "google.com", "google.com"),
            ("AN-19", [".android.com"], "developer.android.com", ".android.com"),
        ]
    )
    func others(row: String, patterns: [String], host: String, policy: String) throws {
        #expect(try found(patterns, host) == policy, "\(row)")
    }

    @Test("the first policy that matches decides, by host and port")
    func first() throws {
        let table = try table([
            (["a.example"], 8443), (["b.example", "a.example"], nil), (["10.0.0.0/8"], nil), (["*"], 443),
        ])
        #expect(table.policy(host: "a.example", port: 8443).name == "a.example")
        #expect(table.policy(host: "a.example", port: 443).name == "b.example")
        #expect(table.policy(host: "10.1.2.3", port: 443).name == "10.0.0.0/8")
        #expect(table.policy(host: "c.example", port: 443).name == "*")
        #expect(table.policy(host: "c.example", port: 444).name == "default")
        #expect(TrustTable([]).policy(host: "c.example", port: 443) === TrustPolicy.standard)
    }

    @Test("a policy is hidden by an earlier one that matches all that it does")
    func hidden() throws {
        func isHidden(_ first: ([String], UInt16?), _ second: ([String], UInt16?)) throws -> Bool {
            let hidden = try table([first, second]).hidden
            #expect(hidden.allSatisfy { $0.entry == 1 && $0.by.line == 10 })
            return !hidden.isEmpty
        }
        #expect(try isHidden(([".example.com"], nil), (["a.example.com"], nil)))
        #expect(try isHidden(([".example.com"], 443), (["a.example.com"], 443)))
        #expect(try isHidden((["*"], nil), (["a.example.com"], 443)))
        #expect(try !isHidden(([".example.com"], 443), (["a.example.com"], nil)))
        #expect(try !isHidden((["a.example.com"], nil), ([".example.com"], nil)))
        #expect(try !isHidden((["a.example.com"], nil), (["a.example.com", "b.example.com"], nil)))
    }
}

@Suite("Whose TLS is opened")
struct InterceptionConfigurationTests {
    private func interception(_ hosts: [String], except: [String] = []) throws -> InterceptionConfiguration {
        InterceptionConfiguration(
            authority: .init(certificatePath: "ca.pem", certificate: [], privateKey: Secret("key")),
            hosts: try hosts.map { try HostPattern($0) },
            except: try except.map { try HostPattern($0) },
            other: nil
        )
    }

    @Test("I-1 only listed hosts are opened, and none that is left out")
    func opens() throws {
        let interception = try interception(
            [".example.com", "192.0.2.0/24"],
            except: ["bank.example.com", "192.0.2.7"]
        )
        #expect(interception.opens(host: "example.com"))
        #expect(interception.opens(host: "a.example.com"))
        #expect(interception.opens(host: "192.0.2.8"))
        #expect(!interception.opens(host: "bank.example.com"))
        #expect(!interception.opens(host: "192.0.2.7"))
        #expect(!interception.opens(host: "example.org"))
    }

    @Test("a pattern may be opened unless something leaves all of it out")
    func mightOpen() throws {
        let interception = try interception([".example.com"], except: [".bank.example.com"])
        #expect(interception.mightOpen(try HostPattern("a.example.com")))
        #expect(interception.mightOpen(try HostPattern("*")))
        #expect(!interception.mightOpen(try HostPattern("a.bank.example.com")))
        #expect(!interception.mightOpen(try HostPattern("example.org")))
    }
}

@Suite("Client certificates by rule")
struct ClientCertificateRuleTests {
    private func certificate(_ name: String) -> Disposition {
        let kind = Credential.Kind.clientCertificate(.pkcs12(Secret("x"), passphrase: nil))
        return .useCredential(Credential(name: name, kind: kind))
    }

    private let client = Client(address: .loopbackV4)

    private func name(_ table: RuleTable, _ url: Origin, isProxy: Bool = false) -> String? {
        table.clientCertificateRule(for: url, isProxy: isProxy, client: client)?.credential?.name
    }

    @Test("T-6 the first rule with a certificate for the origin, its port, its kind and the client decides")
    func first() throws {
        let rules = try table([
            RuleDraft(use: "staff"), RuleDraft(certificate("stranger")).with { $0.clients = ["10.0.0.0/8"] },
            RuleDraft(certificate("one")).with { $0.port = .number(8443) }, RuleDraft(certificate("two")),
            RuleDraft(certificate("three")), RuleDraft(certificate("parent")).with { $0.isProxy = true },
        ])
        let origin = Origin(scheme: .https, host: "a.example")
        #expect(name(rules, origin) == "two")
        #expect(name(rules, Origin(scheme: .https, host: "a.example", port: 8443)) == "one")
        #expect(name(rules, origin, isProxy: true) == "parent")
        #expect(name(rules, Origin(scheme: .https, host: "b.example")) == nil)
        #expect(name(rules, Origin(scheme: .http, host: "a.example")) == nil)
    }

    @Test("T-6 it is looked up apart: no challenge meets a rule with a certificate")
    func apart() throws {
        let rules = try table([RuleDraft(certificate("one")), RuleDraft(use: "staff")])
        let candidates = rules.candidates(for: Origin(scheme: .https, host: "a.example"), isProxy: false)
        #expect(candidates.rules.map(\.index) == [1])
    }
}
