/// What `check` and the start say about one place of a rule file.
///
/// Neither the message nor the source line holds anything from inside a secret.
package struct Diagnostic: Equatable, Sendable {
    package enum Severity: Sendable { case error, warning }

    /// The file as the user named it, or as the `include` that led to it does.
    package let file: String
    /// Counted from 1; 0 where the message concerns the file as a whole.
    package let line: Int
    /// Counted from 1 in Unicode scalars; 0 where the message concerns the file as a whole.
    package let column: Int
    package let severity: Severity
    package let message: String
    /// The line with its secrets as `…`; nil where the message concerns the file as a whole.
    package let sourceLine: String?
    /// How many characters of `sourceLine` stand before the place.
    package let caret: Int

    /// `file:line:column: message`, then the source line and a caret.
    package var rendered: String {
        var text = file
        if line > 0 { text += ":\(line):\(column)" }
        text += severity == .warning ? ": warning: " : ": "
        text += message
        guard let sourceLine, line > 0 else { return text }
        return text + "\n    " + sourceLine + "\n    " + String(repeating: " ", count: caret) + "^"
    }
}

/// The files that were read so far and what was found wrong with them.
struct DiagnosticCollector {
    /// Beyond this many, further ones are only counted: a file of garbage must not fill the terminal.
    static let limit = 200

    private(set) var sources: [SourceText] = []
    private var found: [(mark: Mark?, name: String, severity: Diagnostic.Severity, message: String)] = []
    private var omitted = 0

    mutating func add(_ source: SourceText) -> Int {
        sources.append(source)
        return sources.count - 1
    }

    mutating func replace(_ source: SourceText, at index: Int) { sources[index] = source }

    mutating func error(_ mark: Mark, _ message: String) { add(mark, .error, message) }

    mutating func warning(_ mark: Mark, _ message: String) { add(mark, .warning, message) }

    /// An error that concerns a file as a whole.
    mutating func error(file name: String, _ message: String) {
        found.append((nil, name, .error, Quoting.printable(message)))
    }

    var hasErrors: Bool { found.contains { $0.severity == .error } }

    private mutating func add(_ mark: Mark, _ severity: Diagnostic.Severity, _ message: String) {
        // Names and patterns of the file stand in messages: nothing of them may move a terminal's cursor.
        let message = Quoting.printable(message)
        if found.contains(where: { $0.mark == mark && $0.message == message }) { return }
        guard found.count < Self.limit || (severity == .error && !hasErrors) else {
            omitted += 1
            return
        }
        found.append((mark, "", severity, message))
    }

    /// All of them in the order of files, lines and columns.
    func diagnostics() -> [Diagnostic] {
        let ordered = found.enumerated().sorted { left, right in
            switch (left.element.mark, right.element.mark) {
            case (nil, nil): left.offset < right.offset
            case (nil, _): true
            case (_, nil): false
            case (let a?, let b?): a == b ? left.offset < right.offset : a < b
            }
        }
        var diagnostics = ordered.map { diagnostic($0.element) }
        if omitted > 0, let name = sources.first?.name {
            diagnostics.append(
                Diagnostic(
                    file: name,
                    line: 0,
                    column: 0,
                    severity: .warning,
                    message: "\(omitted) more are not shown",
                    sourceLine: nil,
                    caret: 0
                )
            )
        }
        return diagnostics
    }

    private func diagnostic(
        _ item: (mark: Mark?, name: String, severity: Diagnostic.Severity, message: String)
    ) -> Diagnostic {
        guard let mark = item.mark, sources.indices.contains(mark.file) else {
            return Diagnostic(
                file: item.name,
                line: 0,
                column: 0,
                severity: item.severity,
                message: item.message,
                sourceLine: nil,
                caret: 0
            )
        }
        let excerpt = sources[mark.file].excerpt(at: mark)
        return Diagnostic(
            file: sources[mark.file].name,
            line: mark.line + 1,
            column: mark.column + 1,
            severity: item.severity,
            message: item.message,
            sourceLine: excerpt.text,
            caret: excerpt.caret
        )
    }
}
