import Support
import Testing

@testable import Configuration

/// The files of Tests/Fixtures/rules, each named by its defect. What is said of a file stands in the comments at its end.
enum RuleFileFixture {
    static let names = Support.names(in: Fixture.path("rules")).filter { $0.hasSuffix(".yaml") }

    static func text(_ name: String) throws -> String {
        try Fixture.text("rules/\(name)")
    }

    /// The files that a fixture may name: a secret, and logins with a hash that is taken and with one that isn't.
    static let files = [
        "/run/pw": "c4n4ry\n",
        "/run/htpasswd":
            "alice:$6$abcdefgh$uj79bPKM1AWOKZVveXbErRMXG2YCYYEFo.p0xLB.ocuM9BhRcxKYO5loADhYtmJTWzLVCQAeZjClgg7gH5E/a1\n",
        "/run/htpasswd.md5": "# comment\nbob:$apr1$abcdefgh$NsVqDvtyzxQya049tWgky.\n",
        "/run/empty": "\n", "/run/hosts": "a.example.com\n",
    ]

    /// The same as it would be read by `check`.
    static func load(_ text: String) -> LoadResult { ConfigurationTests.load(text, files: files) }
}

@Suite struct FixtureTests {
    @Test("there are fixtures") func exist() { #expect(RuleFileFixture.names.count > 80) }

    @Test("a defect is told at its place, with its cure, and nothing else is", arguments: RuleFileFixture.names)
    func says(name: String) throws {
        let text = try RuleFileFixture.text(name)
        let expected = text.split(separator: "\n").filter { $0.hasPrefix("# says ") }.map { String($0.dropFirst(7)) }
        #expect(!expected.isEmpty)
        #expect(said(text, files: RuleFileFixture.files) == expected)
    }

    @Test("a file with an error gives no configuration, one with warnings does", arguments: RuleFileFixture.names)
    func configures(name: String) throws {
        let result = RuleFileFixture.load(try RuleFileFixture.text(name))
        #expect((result.configuration == nil) == result.hasErrors)
    }

    @Test("S-5 nothing from inside a secret is shown", arguments: RuleFileFixture.names)
    func hides(name: String) throws {
        for diagnostic in RuleFileFixture.load(try RuleFileFixture.text(name)).diagnostics {
            #expect(!diagnostic.rendered.lowercased().contains("c4n4ry"))
        }
    }
}
