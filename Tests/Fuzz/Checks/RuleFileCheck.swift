import Configuration
import Crypto

/// What must hold for any bytes read as a rule file; the fuzzer and the replay of its corpus both ask.
package enum RuleFileCheck {
    /// Reads the input as a rule file without any other file or variable; says what is wrong with the outcome.
    package static func fault(of input: [UInt8]) -> String? {
        let result = load(input)
        if (result.configuration == nil) != result.hasErrors {
            return "a configuration in spite of an error, or none without"
        }
        if result.diagnostics.count > 250 { return "too many diagnostics" }
        for diagnostic in result.diagnostics {
            if let fault = fault(of: diagnostic) { return fault }
        }
        return load(input).diagnostics == result.diagnostics ? nil : "two readings differ"
    }

    private static func load(_ input: [UInt8]) -> LoadResult {
        let environment = EnvironmentSecrets(look: { _ in nil }, take: { _ in nil })
        return RuleFile.load(bytes: input, name: "fuzz.yaml", environment: environment, files: NoFiles())
    }

    private static func fault(of diagnostic: Diagnostic) -> String? {
        if diagnostic.message.isEmpty || diagnostic.message.count > 5000 { return "a message of no or too much text" }
        if diagnostic.rendered.unicodeScalars.contains(where: {
            $0 != "\n" && $0.properties.generalCategory == .control
        }) {
            return "a control character in a diagnostic"
        }
        guard diagnostic.line > 0 else { return nil }
        guard let line = diagnostic.sourceLine, diagnostic.column > 0 else { return "a place without its line" }
        if line.count > 120 || line.contains("\n") { return "an excerpt of more than a line" }
        return diagnostic.caret <= 120 ? nil : "a caret beyond the excerpt"
    }
}

/// A machine on which nothing can be read.
private struct NoFiles: FileReading {
    func contents(of path: String, limit: Int) throws(FileError) -> [UInt8] { throw .missing }
    func names(in folder: String) throws(FileError) -> [String] { throw .missing }
    func isReadableByOthers(_ path: String) -> Bool { true }
    func isInMemory(_ path: String) -> Bool { false }
}
