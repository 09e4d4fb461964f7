import Testing

@testable import Configuration

@Suite struct DiagnosticTests {
    private func excerpt(
        _ text: String,
        line: Int = 0,
        column: Int,
        masking: Range<Int>? = nil
    ) -> (text: String, caret: Int) {
        var source = SourceText(name: "x", bytes: Array(text.utf8))
        if let masking { source.mask(masking) }
        return source.excerpt(at: Mark(file: 0, line: line, column: column))
    }

    @Test("a diagnostic is file, line, column, message, source line and caret")
    func rendered() throws {
        let result = load("version: 1\nlog:\n  levl: info\n")
        #expect(
            result.diagnostics.map(\.rendered) == [
                "/etc/countersign.yaml:3:3: unknown key 'levl' in 'log'; did you mean 'level'?\n      levl:…\n      ^"
                    .replacing("levl:…", with: "levl: …")
            ]
        )
    }

    @Test("a warning says so") func warning() {
        let rendered = load("version: 1\nspool: /x\n").diagnostics.first?.rendered
        #expect(rendered?.hasPrefix("/etc/countersign.yaml:2:1: warning: nothing uses 'spool'") == true)
    }

    @Test("what concerns the whole file has no line") func wholeFile() {
        let result = RuleFile.load(path: "/x.yaml", environment: .fixed(), files: MemoryFiles())
        #expect(result.diagnostics.map(\.rendered) == ["/x.yaml: the rule file can't be read: there is no such file"])
    }

    @Test("a hidden part is one ellipsis and the caret stays below its place") func masked() {
        let shown = excerpt("a: secret, b: 1", column: 11, masking: 3..<9)
        #expect(shown.text == "a: …, b: 1")
        #expect(shown.caret == 6)
    }

    @Test("a caret inside a hidden part stands below the ellipsis") func caretInside() {
        let shown = excerpt("a: secret, b: 1", column: 6, masking: 3..<9)
        #expect(shown.caret == 3)
    }

    @Test("a caret at the end of the line stands behind it") func caretAtEnd() {
        #expect(excerpt("a: b", column: 4).caret == 4)
        #expect(excerpt("a: b", column: 400).caret == 4)
    }

    @Test("a long line is cut around the caret") func long() {
        let shown = excerpt(
            String(repeating: "x", count: 5000) + "y" + String(repeating: "z", count: 5000),
            column: 5000
        )
        #expect(shown.text.count < 120)
        #expect(shown.text.hasPrefix("...x") && shown.text.hasSuffix("z..."))
        #expect(Array(shown.text)[shown.caret] == "y")
    }

    @Test("control characters and broken UTF-8 reach no terminal") func control() {
        let source = SourceText(name: "x", bytes: [0x61, 0x1B, 0x5B, 0xFF, 0x09, 0x62])
        #expect(source.excerpt(at: Mark(file: 0, line: 0, column: 0)).text == "a\u{FFFD}[\u{FFFD} b")
    }

    @Test("lines end where YAML says that they end") func lineBreaks() {
        let source = SourceText(name: "x", bytes: Array("a\rb\r\nc\nd\u{85}e\u{2028}f\u{2029}g".utf8))
        #expect(source.lineCount == 7)
        #expect(
            (0..<7).map { String(decoding: source.line($0), as: UTF8.self) } == ["a", "b", "c", "d", "e", "f", "g"]
        )
    }

    @Test("hundreds of errors are counted and not all shown") func many() {
        let text = "version: 1\nlimits:\n" + (0..<500).map { "  k\($0): 1\n" }.joined()
        let result = load(text)
        #expect(result.diagnostics.count == DiagnosticCollector.limit + 1)
        #expect(result.diagnostics.contains { $0.message == "300 more are not shown" })
        #expect(result.hasErrors)
    }

    @Test("an error is never lost behind warnings") func errorBehindWarnings() {
        let rules = (0..<300).map { _ in "  - { space: { host: a.example.com }, disposition: reject }\n" }.joined()
        let result = load("version: 1\nrules:\n\(rules)  - { space: { host: b.example.com } }\n")
        #expect(result.hasErrors)
    }

    @Test("a place is found in long lines of more than ASCII, whatever ended the lines before") func offsets() {
        let line = String(repeating: "aä€😀", count: 100)
        let text = "x\r\n\(line)\n\(line)\u{2028}\(line)"
        let source = SourceText(name: "x", bytes: Array(text.utf8))
        for number in 1...3 {
            var offset = source.line(number).startIndex
            for (column, scalar) in line.unicodeScalars.enumerated() {
                #expect(source.offset(line: number, column: column) == offset)
                offset += String(scalar).utf8.count
            }
            #expect(source.offset(line: number, column: 400) == offset)
            #expect(source.offset(line: number, column: 100_000) == offset)
        }
    }
}
