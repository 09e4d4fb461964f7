internal import Bytes

/// What prints variables so that a shell, or a program, takes them in.
enum VariableForm: String, CaseIterable {
    case sh, fish, json

    /// The lines that set `variables`.
    func lines(_ variables: [(name: String, value: String)]) -> [String] {
        switch self {
        case .sh: variables.map { "export \($0.name)=\(ShellText.word($0.value))" }
        case .fish: variables.map { "set -gx \($0.name) \(ShellText.fishWord($0.value))" }
        case .json:
            ["{"]
                + variables.enumerated().map { index, variable in
                    "  \(Self.string(variable.name)): \(Self.string(variable.value))"
                        + (index + 1 < variables.count ? "," : "")
                } + ["}"]
        }
    }

    /// Whether a line that begins with `#` says nothing to who reads it.
    var hasComments: Bool { self != .json }

    /// A string of JSON [RFC 8259 s.7].
    private static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

/// A word as a shell takes it.
enum ShellText {
    /// The text alone where no character of it means anything to a shell, else in single quotes.
    static func word(_ text: String) -> String {
        isPlain(text) ? text : "'\(text.map { $0 == "'" ? "'\\''" : String($0) }.joined())'"
    }

    /// The same for fish, which takes a backslash in single quotes for more than itself.
    static func fishWord(_ text: String) -> String {
        isPlain(text) ? text : "'\(text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined())'"
    }

    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "/._-".utf8.contains($0) }
    }
}
