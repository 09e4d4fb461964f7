import Support
import Testing

@testable import Configuration

/// What the README shows is accepted as it stands there.
@Suite struct DocumentedFilesTests {
    /// The YAML of the README, less what says with `…` that something is left out.
    static let examples: [String] = {
        var examples: [String] = []
        var lines: [Substring]?
        let text = String(decoding: (try? Fixture.bytes("README.md")) ?? [], as: UTF8.self)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```yaml" {
                lines = []
            } else if line == "```" {
                if let lines { examples.append(lines.joined(separator: "\n") + "\n") }
                lines = nil
            } else {
                lines?.append(line)
            }
        }
        return examples.filter { !$0.contains("\u{2026}") }
    }()

    @Test("there are examples") func exist() { #expect(Self.examples.count > 10) }

    @Test("each of the README's examples is a rule file, or a part of one", arguments: examples)
    func readme(example: String) {
        let isWhole = example.split(separator: "\n").contains { $0.hasPrefix("version:") }
        let text = isWhole ? example : "version: 1\n" + example
        let said = load(text, readsSecrets: false).diagnostics.filter { $0.severity == .error || !$0.isAboutUse }
        #expect(said.map(\.rendered) == [])
    }
}

extension Diagnostic {
    /// Whether it only says that a part isn't used by the rest, or what whoever wrote `cleartext` knows.
    fileprivate var isAboutUse: Bool {
        message.hasPrefix("nothing uses the credential") || message.hasPrefix("basic in cleartext")
    }
}
