import Testing

@testable import Configuration

@Suite struct CheckReportTests {
    private func report(_ text: String, isStrict: Bool = false) -> CheckReport {
        CheckReport(load(text), name: "x.yaml", isStrict: isStrict)
    }

    @Test("a good file is 0 and one line") func good() {
        #expect(report("version: 1\n").exitCode == 0)
        #expect(report("version: 1\n").lines == ["x.yaml: good"])
    }

    @Test("warnings are printed and are 0") func warnings() {
        let report = report("version: 1\nproxies: { p: { url: \"http://p.example:1\" } }\nspool: /y\n")
        #expect(report.exitCode == 0)
        #expect(report.lines.count == 3)
        #expect(report.lines.last == "x.yaml: 2 warnings")
    }

    @Test("an error is 1") func errors() {
        let report = report("version: 1\nstat: /x\n")
        #expect(report.exitCode == 1)
        #expect(report.lines.last == "x.yaml: 1 error")
    }

    @Test("strict makes warnings errors") func strict() {
        let report = report("version: 1\nspool: /y\n", isStrict: true)
        #expect(report.exitCode == 1)
        #expect(report.lines.last == "x.yaml: 1 error")
        #expect(!report.lines.contains { $0.contains("warning") })
    }

    @Test("O-10 a file that can't be read is 2 and one line with the reason") func unreadable() {
        let result = RuleFile.load(
            path: "/x.yaml",
            environment: .fixed(),
            files: MemoryFiles(failures: ["/x.yaml": .forbidden])
        )
        let report = CheckReport(result, name: "/x.yaml", isStrict: false)
        #expect(report.exitCode == 2)
        #expect(report.lines == ["/x.yaml: the rule file can't be read: the right to read it is missing"])
    }
}
