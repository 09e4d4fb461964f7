/// What `countersign check` prints about a rule file, and its exit code.
package struct CheckReport: Equatable, Sendable {
    /// Each diagnostic with its source line, then one line that sums up.
    package let lines: [String]
    /// 0 without errors, 1 with one, 2 when the file can't be read.
    package let exitCode: Int32

    /// The report on the file that the user named so; `isStrict`: warnings count as errors.
    package init(_ result: LoadResult, name: String, isStrict: Bool) {
        let errors = result.diagnostics.count { $0.severity == .error || isStrict }
        let warnings = result.diagnostics.count - errors
        let rendered = result.diagnostics.map { isStrict ? $0.asError.rendered : $0.rendered }
        let counts = [
            errors > 0 ? Self.count(errors, "error") : nil, warnings > 0 ? Self.count(warnings, "warning") : nil,
        ].compactMap { $0 }
        if result.isUnreadable {
            lines = rendered
            exitCode = 2
        } else {
            lines = rendered + ["\(name): " + (counts.isEmpty ? "good" : counts.joined(separator: ", "))]
            exitCode = errors > 0 ? 1 : 0
        }
    }

    private static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
}

extension Diagnostic {
    /// The same as an error.
    fileprivate var asError: Diagnostic {
        Diagnostic(
            file: file,
            line: line,
            column: column,
            severity: .error,
            message: message,
            sourceLine: sourceLine,
            caret: caret
        )
    }
}
