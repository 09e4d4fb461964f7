internal import Bytes
internal import Events

/// What one step of `doctor` saw.
struct DoctorStep {
    /// How it would go for a request.
    enum Verdict: String {
        /// Well.
        case ok
        /// Not at its best, or with something else in its place.
        case warn
        /// Not at all.
        case fail
    }

    /// As `connect` or `parent corp: tls`.
    let name: String
    var verdict = Verdict.ok
    /// What it saw, a line each.
    var lines: [String] = []
    /// What to do about it; nil where nothing is to be done.
    var cure: String?

    /// Lets the verdict be no better than this one, and keeps the first cure.
    mutating func lower(to verdict: Verdict, _ line: String, cure: String? = nil) {
        lines.append(line)
        if verdict == .fail || self.verdict == .ok { self.verdict = verdict }
        self.cure = self.cure ?? cure
    }

    /// The step for people, a block of lines.
    var text: String {
        var lines = lines
        if let cure { lines.append("cure: \(cure)") }
        let indent = String(repeating: " ", count: 6)
        let first = verdict.rawValue + String(repeating: " ", count: 6 - verdict.rawValue.count) + name
        return ([first] + lines.map { indent + $0 }).map(CredentialsCommand.printable).joined(separator: "\n")
    }

    /// The step for programs: an object in one line.
    var json: String {
        var members = [
            "\"step\":\(Self.quoted(name))", "\"verdict\":\"\(verdict.rawValue)\"",
            "\"saw\":[\(lines.map(Self.quoted).joined(separator: ","))]",
        ]
        if let cure { members.append("\"cure\":\(Self.quoted(cure))") }
        return "{\(members.joined(separator: ","))}"
    }

    /// A JSON string [RFC 8259 s.7]; control characters are shown as they are on a terminal.
    private static func quoted(_ text: String) -> String {
        let escaped = CredentialsCommand.printable(text).unicodeScalars.map { scalar in
            scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
        }
        return "\"\(escaped.joined())\""
    }
}

/// How long something took.
struct Stopwatch {
    private let start = Instant.monotonic

    /// As `12 ms`.
    var text: String { "\(Instant.monotonic.since(start) / .milliseconds(1)) ms" }
}
