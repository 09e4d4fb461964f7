import Support
import Testing

@testable import Configuration

/// countersign.yaml(5) says what the schema says.
@Suite struct ManualTests {
    static let page = Result {
        String(decoding: try Fixture.bytes("conf/man/countersign.yaml.5"), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The lines below `.Ss NAME`, up to the next heading.
    static func section(_ name: String) throws -> [String] {
        let below = try page.get().drop { $0 != ".Ss \(name)" }.dropFirst()
        return Array(below.prefix { !$0.hasPrefix(".Ss ") && !$0.hasPrefix(".Sh ") })
    }

    /// The keys that lines tell of.
    static func keys(_ lines: [String]) -> Set<String> {
        let items = lines.filter { $0.hasPrefix(".It Ic ") }
        return Set(items.flatMap { $0.dropFirst(7).split(separator: " ").map(String.init) }).subtracting([",", "Ic"])
    }

    /// All keys that may stand below a type, but for those of a secret, which the page tells of once.
    static func keys(of type: SchemaType) -> Set<String> {
        if type.isSecret || type === Schema.textOrSecret { return [] }
        var keys: Set<String> = []
        for below in [type.element, type.member].compactMap(\.self) { keys.formUnion(Self.keys(of: below)) }
        // `{ file: PATH }` is a path written otherwise.
        guard let section = type.section, section !== Schema.fileSection else { return keys }
        for key in section.keys { keys.formUnion(Self.keys(of: key.type).union([key.name])) }
        return keys
    }

    @Test("the page tells of each key at the top") func top() throws {
        #expect(Self.keys(try Self.section("The top level")) == Set(Schema.top.keys.map(\.name)))
    }

    @Test("the page tells of each key of a section, and of no other", arguments: Schema.top.keys.map(\.name))
    func sections(_ name: String) throws {
        let known = try #require(Schema.top.key(name)).type
        let expected = Self.keys(of: known)
        if expected.isEmpty { return }
        let told = Self.keys(try Self.section(name))
        #expect(told.subtracting(expected).isEmpty, "no keys: \(told.subtracting(expected))")
        // A destination may be read from a file, as each host pattern.
        #expect(expected.subtracting(told).subtracting(["file"]).isEmpty, "untold: \(expected.subtracting(told))")
    }

    @Test("the page tells of each form of a secret") func secrets() throws {
        let below = try Self.page.get().drop { $0 != ".Sh SECRETS" }.dropFirst().prefix { !$0.hasPrefix(".Sh ") }
        let expected = Set(Schema.headerValue.section?.keys.map(\.name) ?? [])
        #expect(Self.keys(Array(below)) == expected)
    }

    @Test("the page's examples are a rule file together") func examples() throws {
        var lines: [String] = []
        var isExample = false
        for line in try Self.page.get().prefix(while: { $0 != ".Sh EXAMPLES" }) {
            if line.hasPrefix(".Bd") || line == ".Ed" {
                isExample = line != ".Ed"
            } else if isExample {
                lines.append(line)
            }
        }
        #expect(lines.count > 40)
        let said = load(lines.joined(separator: "\n") + "\n", readsSecrets: false).diagnostics
        #expect(said.filter { $0.severity == .error }.map(\.rendered) == [])
    }
}
