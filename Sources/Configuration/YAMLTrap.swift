internal import Bytes

/// What libyaml's message means to somebody who writes a rule file, and the cure.
///
/// The message never quotes the file: the place might be inside a secret.
struct YAMLTrap {
    let mark: Mark
    let message: String

    init(_ error: YAMLSyntaxError, in source: SourceText) {
        if let offset = error.badByte {
            mark = source.mark(ofByte: offset, file: error.problemMark.file)
            message =
                error.problem.contains("control characters")
                ? "control characters can't stand in a rule file" : "the file isn't UTF-8 text"
            return
        }
        let pointsAtContext =
            error.context.hasPrefix("while scanning a") && !error.problem.contains("unknown escape")
            && !error.problem.contains("tab character")
        mark = pointsAtContext ? error.contextMark ?? error.problemMark : error.problemMark
        message = Self.cure(error, line: Array(source.line(mark.line)), source.byte(at: mark))
    }

    private static func cure(_ error: YAMLSyntaxError, line: [UInt8], _ byte: UInt8?) -> String {
        if let cure = placeholderCure(line) { return cure }
        let text = (context: error.context, problem: error.problem)
        if text.problem.contains("tab character") || byte == 0x09 {
            return "a tab can't indent in YAML: write blanks"
        }
        if let cure = scanningCure(context: text.context, problem: text.problem, line: error.contextMark?.line) {
            return cure
        }
        if text.problem.contains("expected node content") {
            return line.containsBracketedAddress
                ? "an address in brackets must be quoted: \"[::1]:3128\"; inside a list write \"::1\""
                : "a value is missing here, or one that begins with '[', '{' or ',' isn't quoted"
        }
        if text.problem.contains("cannot start any token") {
            return "a text that begins with '%', '@', '`', '>' or '|' must be quoted"
        }
        if text.problem.contains("mapping values are not allowed") {
            return
                "a text with ': ' in it must be quoted; a key stands exactly below the one before, which needs its own colon"
        }
        if text.problem.contains("could not find expected ':'") {
            return "a key needs a colon and a blank behind it: 'key: value'"
        }
        if text.problem.contains("expected ',' or") {
            return "a bracket isn't closed, or a text with ',', '{', '}', '[', ']' or ': ' in it isn't quoted"
        }
        return indentationCure(text.problem, contextLine: error.contextMark?.line)
    }

    /// `${X}` and `{{ … }}`, which people know from shells and templates.
    private static func placeholderCure(_ line: [UInt8]) -> String? {
        guard line.contains(pair: "${") || line.contains(pair: "{{") else { return nil }
        return "variables and templates aren't filled in here: name the variable, { env: NAME }"
    }

    private static func scanningCure(context: String, problem: String, line: Int?) -> String? {
        switch context {
        case "while scanning an alias": return "a text that begins with '*' must be quoted: \"*.example.com\", \"*\""
        case "while scanning an anchor": return "a text that begins with '&' must be quoted"
        case "while scanning a tag", "while parsing a tag": return "a text that begins with '!' must be quoted"
        case "while scanning a block scalar": return "a text that begins with '>' or '|' must be quoted"
        case "while scanning a directive": return "a text that begins with '%' must be quoted"
        case "while scanning a quoted scalar", "while parsing a quoted scalar":
            if problem.contains("escape") || problem.contains("hexdecimal") || problem.contains("Unicode") {
                return "in double quotes a backslash begins an escape: use single quotes, 'CORP\\dave', or 'domain'"
            }
            return "the quote that opens here is never closed"
        default: return nil
        }
    }

    private static func indentationCure(_ problem: String, contextLine: Int?) -> String {
        if problem.contains("undefined tag handle") { return "a text that begins with '!' must be quoted" }
        if problem.contains("<document start>") {
            return "the file's first value ends before this: is it indented right?"
        }
        if problem.contains("expected key") || problem.contains("'-' indicator") || problem.contains("block") {
            let since = contextLine.map { ", which began in line \($0 + 1)" } ?? ""
            return "the indentation doesn't fit the lines above\(since)"
        }
        return "this isn't YAML: \(problem)"
    }
}

extension SourceText {
    /// The byte at a place; nil at the end of its line.
    func byte(at mark: Mark) -> UInt8? {
        let offset = offset(line: mark.line, column: mark.column)
        return offset < bytes.count ? bytes[offset] : nil
    }

    /// The place of a byte.
    func mark(ofByte offset: Int, file: Int) -> Mark {
        var line = 0
        while line + 1 < lineCount, self.line(line + 1).startIndex <= offset { line += 1 }
        let start = self.line(line).startIndex
        let before = bytes[min(start, bytes.count)..<max(start, min(offset, bytes.count))]
        return Mark(file: file, line: line, column: before.count { $0 & 0xC0 != 0x80 })
    }
}

extension [UInt8] {
    /// Whether two characters of ASCII stand side by side somewhere.
    fileprivate func contains(pair: String) -> Bool {
        let pair = Array(pair.utf8)
        return pair.count == 2 && zip(self, dropFirst()).contains { $0 == pair[0] && $1 == pair[1] }
    }

    /// Whether `[` is followed by what looks like an IPv6 address.
    fileprivate var containsBracketedAddress: Bool {
        guard let open = firstIndex(of: 0x5B) else { return false }
        let inside = self[(open + 1)...].prefix { $0 != 0x5D }
        return inside.count { $0 == 0x3A } > 1
    }
}
