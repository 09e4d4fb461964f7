import Testing

@testable import Configuration

@Suite struct YAMLDocumentTests {
    private func document(_ text: String) -> YAMLDocument {
        YAMLDocument(SourceText(name: "x", bytes: Array(text.utf8)), file: 0)
    }

    @Test("values keep their line and column, counted in characters")
    func places() throws {
        let root = try #require(document("a: ä\n\"ü\": { k: [1,\n  2] }\n").root)
        let entries = try #require(root.entries)
        #expect(entries.map(\.key.start) == [Mark(file: 0, line: 0, column: 0), Mark(file: 0, line: 1, column: 0)])
        let list = try #require(entries[1].value["k"])
        #expect(list.start == Mark(file: 0, line: 1, column: 10))
        #expect(list.end == Mark(file: 0, line: 2, column: 4))
        #expect(list.elements?.map(\.start) == [Mark(file: 0, line: 1, column: 11), Mark(file: 0, line: 2, column: 2)])
    }

    @Test(
        "texts stay the text they are",
        arguments: ["0123", "no", "1e3", "1.2", "2027-06-30", "~", "null", "0x1F", "true"]
    )
    func untyped(text: String) {
        #expect(document("v: \(text)").root?["v"]?.text == text)
        #expect(document("v: { value: \(text) }").root?["v"]?["value"]?.text == text)
    }

    @Test(
        "these need no quotes inside a list",
        arguments: [
            "fd00::/8", "unix:/run/x", "uid:1001", "http://h:1", "sha256/a=", "HTTP/h@R", "FILE:/x",
        ]
    )
    func unquoted(text: String) {
        #expect(document("v: [a, \(text), b]").root?["v"]?.elements?.map(\.text) == ["a", text, "b"])
    }

    @Test("the style of a scalar is known")
    func styles() throws {
        let entries = try #require(document("a: x\nb: 'x'\nc: \"x\"\nd: |\n  x\ne: >\n  x\n").root?.entries)
        let styles = entries.map { entry -> YAMLScalarStyle? in
            guard case .scalar(_, let style) = entry.value.content else { return nil }
            return style
        }
        #expect(styles == [.plain, .quoted, .quoted, .block, .block])
    }

    @Test("an empty value and a written empty text differ")
    func empty() throws {
        let root = try #require(document("a:\nb: ''\n").root)
        #expect(try #require(root["a"]).isEmptyPlain)
        #expect(try !#require(root["b"]).isEmptyPlain)
    }

    @Test("a text of only comments has no value") func onlyComments() {
        let document = document("# nothing\n")
        #expect(document.root == nil)
        #expect(document.failure == nil)
    }

    @Test("a byte order mark and CRLF change nothing") func byteOrderMark() {
        #expect(document("\u{FEFF}a: 1\r\nb: 2\r\n").root?.entries?.map(\.value.text) == ["1", "2"])
    }

    @Test("bytes that are no UTF-8 are told at their place")
    func notUTF8() {
        let source = SourceText(name: "x", bytes: Array("a: 1\nb: ".utf8) + [0xFF, 0x0A])
        let failure = YAMLDocument(source, file: 0).failure
        #expect(failure?.message == "the file isn't UTF-8 text")
        #expect(failure?.mark == Mark(file: 0, line: 1, column: 3))
    }

    @Test("a control character is told") func control() {
        #expect(document("a: x\u{1}y").failure?.message == "control characters can't stand in a rule file")
    }

    @Test("values that are nested too deep end the reading", arguments: ["[", "{ a: ", "- "])
    func depth(opening: String) {
        let failure = document(String(repeating: opening, count: 5000)).failure
        #expect(failure?.message == "values are nested more than 32 deep here")
    }

    @Test("a file over 16 MiB is not parsed") func size() {
        let source = SourceText(name: "x", bytes: [UInt8](repeating: 0x0A, count: (16 << 20) + 1))
        #expect(YAMLDocument(source, file: 0).failure?.message == "the file is larger than 16 MiB")
    }

    @Test("%TAG is told, %YAML is not") func directives() {
        #expect(
            document("%TAG ! tag:x,2000:\n---\na: 1\n").problems.map(\.message) == ["tags can't be used in a rule file"]
        )
        #expect(document("%YAML 1.1\n---\na: 1\n").problems.isEmpty)
    }

    @Test("the non-specific tag is a tag, too") func nonSpecificTag() {
        #expect(document("a: ! b\n").problems.count == 1)
    }

    @Test("a file that can't be parsed is kept as far as it was read, open values to its end")
    func partial() throws {
        let document = document("a: 1\npassword: { value: b, c ] }\nd: 1\n")
        #expect(document.root == nil)
        let password = try #require(document.partial?["password"])
        #expect(password.start == Mark(file: 0, line: 1, column: 10))
        #expect(password.end.line == 4)
    }
}
