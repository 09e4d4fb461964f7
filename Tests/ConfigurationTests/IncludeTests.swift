import Authentication
import Rules
import Testing

@testable import Configuration

@Suite struct IncludeTests {
    private let main = """
        version: 1
        include: [rules.d/*.yaml]
        credentials: { staff: { username: alice, password: { file: pw } } }
        rules: [{ space: { host: a.example.com }, use: staff }]
        """

    private func configuration(_ files: [String: String]) throws -> ServerConfiguration {
        try #require(load(main, files: files.merging(["/etc/pw": "x"]) { own, _ in own }).configuration)
    }

    @Test("lists follow those of the file that includes, in name order") func lists() throws {
        let configuration = try configuration([
            "/etc/rules.d/20.yaml": "rules: [{ space: { host: c.example.com }, use: staff }]\n",
            "/etc/rules.d/10.yaml": "version: 1\nrules: [{ space: { host: b.example.com }, use: staff }]\n",
            "/etc/rules.d/30.yml": "nonsense",
        ])
        let hosts = configuration.rules.rules.map { $0.space.hosts.map(\.form) }
        #expect(hosts == [[.exact("a.example.com")], [.exact("b.example.com")], [.exact("c.example.com")]])
        #expect(
            configuration.rules.rules.map(\.place.file) == [
                "/etc/countersign.yaml", "/etc/rules.d/10.yaml", "/etc/rules.d/20.yaml",
            ]
        )
    }

    @Test("mappings join, and their relative paths count from their own folder") func mappings() throws {
        let configuration = try configuration([
            "/etc/rules.d/a.yaml": """
            credentials: { other: { username: bob, password: { file: pw } } }
            rules: [{ space: { host: b.example.com }, use: other }]
            limits: { head: 1KiB }
            """,
            "/etc/rules.d/pw": "y", "/etc/rules.d/b.yaml": "limits: { target: 1KiB }\n",
        ])
        #expect(configuration.credentials.map(\.name) == ["staff", "other"])
        #expect(configuration.limits.head == 1024 && configuration.limits.target == 1024)
    }

    @Test("a key set twice is an error that names both places") func twice() {
        let said = load(
            main + "\nlimits: { head: 1KiB }\nstate: /x\n",
            files: [
                "/etc/pw": "x",
                "/etc/rules.d/a.yaml":
                    "limits: { head: 2KiB }\nstate: /y\ncredentials: { staff: { username: b, password: { file: pw } } }\n",
                "/etc/rules.d/pw": "y",
            ]
        ).diagnostics.map(\.rendered)
        #expect(
            said.contains { $0.hasPrefix("/etc/rules.d/a.yaml:1:11: 'head' stands in /etc/countersign.yaml:5, too") }
        )
        #expect(
            said.contains { $0.hasPrefix("/etc/rules.d/a.yaml:2:1: 'state' stands in /etc/countersign.yaml:6, too") }
        )
        #expect(
            said.contains { $0.hasPrefix("/etc/rules.d/a.yaml:3:16: 'staff' stands in /etc/countersign.yaml:3, too") }
        )
        #expect(said.count == 3)
    }

    @Test("an error in an included file stands there") func errorInside() {
        let said = load(main, files: ["/etc/pw": "x", "/etc/rules.d/a.yaml": "rulez: []\n"]).diagnostics.map(\.rendered)
        #expect(
            said == [
                "/etc/rules.d/a.yaml:1:1: unknown key 'rulez' in the top level; did you mean 'rules'?\n    rulez: …\n    ^"
            ]
        )
    }

    @Test("one that can't be parsed keeps what depends on it untold") func unparsable() {
        let text = "version: 1\ninclude: a.yaml\nroutes: [{ host: a.example.com, via: corp }]\n"
        let said = load(text, files: ["/etc/a.yaml": "proxies: { corp: [\n"]).diagnostics.map(\.file)
        #expect(said == ["/etc/a.yaml"])
    }

    @Test("a missing file is an error, a pattern that fits none a warning") func missing() {
        #expect(
            said("version: 1\ninclude: [a.yaml]\n") == [
                "2:11 the included file '/etc/a.yaml' can't be read: there is no such file"
            ]
        )
        let noFit = said("version: 1\ninclude: ['d/*.yaml']\n", files: ["/etc/d/x": ""])
        #expect(noFit == ["2:11 warning: no file fits this"])
        #expect(
            said("version: 1\ninclude: ['d/*.yaml']\n") == [
                "2:11 the folder '/etc/d' can't be read: there is no such file"
            ]
        )
        #expect(
            said("version: 1\ninclude: ['*/x.yaml']\n") == [
                "2:11 a star can stand in the file's name only, not in a folder's"
            ]
        )
    }

    @Test("files that include each other end in an error") func cycle() {
        let files = ["/etc/a.yaml": "include: countersign.yaml\n"]
        let said = load("version: 1\ninclude: a.yaml\n", files: files).diagnostics.map(\.message)
        #expect(said == ["'/etc/countersign.yaml' is included twice"])
    }

    @Test("an included file needs no version, the first one does") func version() {
        #expect(
            said("include: a.yaml\n", files: ["/etc/a.yaml": "version: 1\n"]) == [
                "1:1 the top level needs 'version': 1"
            ]
        )
    }

    @Test("all files and the folder of a pattern are watched") func watched() throws {
        let files = ["/etc/rules.d/a.yaml": "version: 1\n"]
        #expect(
            try configuration(files).watched == [
                "/etc/countersign.yaml", "/etc/rules.d", "/etc/rules.d/a.yaml", "/etc/pw",
            ]
        )
        let broken = load(main + "\nbroken: [", files: files)
        #expect(broken.watchedFiles == ["/etc/countersign.yaml"])
    }

    @Test("a pattern file has one pattern a line and comments, and errors stand in it") func patternFile() throws {
        let text = withRule("{ space: { host: [x.example.com, { file: hosts }] }, use: staff }")
        let hosts = "# ours\na.example.com\n\n  .b.example.com   # and below\n10.0.0.0/8\n"
        let result = load(text, files: ["/run/pw": "x", "/etc/hosts": hosts])
        let rule = try #require(result.configuration?.rules.rules.first)
        #expect(rule.space.hosts.count == 4)
        #expect(result.watchedFiles.contains("/etc/hosts"))
        let broken = load(text, files: ["/run/pw": "x", "/etc/hosts": "a.example.com\n  10.*\n"]).diagnostics.map(
            \.rendered
        )
        #expect(broken.count == 1)
        #expect(broken.first?.hasPrefix("/etc/hosts:2:3: '10.*' is no host pattern: a star can't stand") == true)
        #expect(
            said(text, files: ["/run/pw": "x"]) == [
                "5:38 the file of host patterns can't be read: there is no such file"
            ]
        )
    }

    @Test("a text that comes from no file includes none") func noFile() {
        let result = RuleFile.load(
            text: "version: 1\ninclude: a.yaml\n",
            name: "demo",
            environment: .fixed(),
            files: MemoryFiles()
        )
        #expect(result.diagnostics.map(\.message) == ["a text that comes from no file can't include others"])
    }
}
