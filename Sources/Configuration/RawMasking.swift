internal import Bytes

/// Finds secrets line by line, without a parser, for text that no parser understands.
///
/// It hides rather too much. Shown is what stands behind a key that asks for no secret, and the list below such a key;
/// hidden is what stands behind any other word with a colon, to the end of its line and further while lines are indented
/// deeper, a quote or a bracket is open or nothing was written yet, and every line that begins with no key at all.
struct RawMasking {
    /// Keys that stand in secrets, beside those that ask for one.
    private static let formKeys: Set<String> = ["file", "env", "systemd", "refresh", "timeout"]

    /// The indentation of the line whose secret may go on.
    private var indentation: Int?
    /// Nothing stood behind the key yet: the next line is taken for its value whatever its indentation.
    private var awaitsValue = false
    private var quote: UInt8?
    private var brackets = 0
    /// A list may follow whose owner asks for no secret.
    private var showsList = false
    /// In the section whose texts may be secrets that lost their key.
    private var isInCredentials = false
    /// What was found out about words, which come again and again.
    private var judged: [String: Bool] = [:]

    /// The ranges of a line that may hold a secret.
    mutating func secrets(in line: ArraySlice<UInt8>) -> [Range<Int>] {
        guard let first = line.firstIndex(where: { !ASCII.isBlank($0) }) else { return [] }
        if isContinuation(line, first) {
            awaitsValue = false
            scanValue(line[first...])
            return [first..<line.endIndex]
        }
        indentation = nil
        awaitsValue = false
        guard let key = leadingKey(line, from: first) else {
            let isShown = showsList && line[first] == UInt8(ascii: "-") && secretStart(in: line, from: first) == nil
            return isShown ? loginRanges(line) : [first..<line.endIndex]
        }
        if first == line.startIndex { isInCredentials = text(line[key]) == "credentials" }
        var start = secretStart(in: line, from: first)
        if isInCredentials, let loose = looseText(in: line, from: first) { start = min(start ?? loose, loose) }
        let isOpen = line[key.upperBound...].allSatisfy { ASCII.isBlank($0) || $0 == UInt8(ascii: ":") }
        showsList = start == nil && (isOpen ? Masking.knownKeys.contains(text(line[key])) : showsList)
        var ranges = loginRanges(line)
        if let start {
            quote = nil
            brackets = 0
            indentation = first - line.startIndex
            let value = line[start...].drop(while: ASCII.isBlank)
            awaitsValue = value.isEmpty || value.first == UInt8(ascii: "#")
            scanValue(value)
            ranges.append(value.startIndex..<line.endIndex)
        }
        return ranges
    }

    /// The range in a line's comment that may hold a secret, where the rest of the line is parsed.
    mutating func secrets(inCommentOf line: ArraySlice<UInt8>) -> [Range<Int>] {
        let sign = line.indices.first { index in
            line[index] == UInt8(ascii: "#") && (index == line.startIndex || ASCII.isBlank(line[index - 1]))
        }
        guard let sign else { return [] }
        if URLMasking.mayHoldAtSign(line[sign...]) { return [sign..<line.endIndex] }
        return secretStart(in: line, from: sign).map { [$0..<line.endIndex] } ?? []
    }

    private func isContinuation(_ line: ArraySlice<UInt8>, _ first: Int) -> Bool {
        guard let indentation else { return false }
        if quote != nil || brackets > 0 { return true }
        let own = first - line.startIndex
        if own > indentation { return true }
        guard awaitsValue else { return false }
        // `- x` may stand below its key; anything that isn't a key of its own is the value, wrongly indented.
        return line[first] == UInt8(ascii: "-") || !line[first...].contains(UInt8(ascii: ":"))
    }

    /// Follows quotes and brackets, to see whether the value goes on in the next line.
    private mutating func scanValue(_ value: ArraySlice<UInt8>) {
        var before: UInt8 = 0x20
        for byte in value {
            if let open = quote {
                if byte == open, before != UInt8(ascii: "\\") { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"), " \t{[,:".utf8.contains(before) {
                quote = byte
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                brackets += 1
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                brackets = max(0, brackets - 1)
            }
            before = byte
        }
    }

    /// The word at the beginning of a line if a colon follows it.
    private func leadingKey(_ line: ArraySlice<UInt8>, from first: Int) -> Range<Int>? {
        guard let start = line[first...].firstIndex(where: { !" \t-{[\"'?".utf8.contains($0) }),
            Self.isWordByte(line[start])
        else { return nil }
        let end = line[start...].firstIndex { !Self.isWordByte($0) } ?? line.endIndex
        let next = line[end...].first { !" \t\"'".utf8.contains($0) }
        return next == UInt8(ascii: ":") ? start..<end : nil
    }

    /// Where the first value begins that may be a secret.
    private mutating func secretStart(in line: ArraySlice<UInt8>, from first: Int) -> Int? {
        var index = first
        while index < line.endIndex {
            guard Self.isWordByte(line[index]) else {
                index += 1
                continue
            }
            let end = line[index...].firstIndex { !Self.isWordByte($0) } ?? line.endIndex
            if let start = valueStart(line, word: index..<end) { return start }
            index = end
        }
        return nil
    }

    /// Where the value of this word begins if the word is a key whose value must not be shown.
    private mutating func valueStart(_ line: ArraySlice<UInt8>, word: Range<Int>) -> Int? {
        let name = text(line[word])
        var next = word.upperBound
        while next < line.endIndex, " \t\"'".utf8.contains(line[next]) { next += 1 }
        let follows = next < line.endIndex ? line[next] : nil
        let isKey = follows == UInt8(ascii: ":") || follows == UInt8(ascii: "=")
        let isKnown = Masking.knownKeys.contains(name)
        if asksForSecret(name) || Self.formKeys.contains(name) {
            // A credential may be called `token`: what it holds has keys of its own.
            if isKey { return isKnown || !opensMapping(line, next + 1) ? next + 1 : nil }
            return follows == nil ? nil : next
        }
        guard follows == UInt8(ascii: ":") else { return nil }
        if ["username", "client_id"].contains(name) {
            let value = line[(next + 1)...].drop(while: ASCII.isBlank)
            return value.isEmpty || value.contains(UInt8(ascii: "{")) ? next + 1 : nil
        }
        return isKnown ? nil : unknownValueStart(line, colon: next)
    }

    private mutating func asksForSecret(_ word: String) -> Bool {
        if let known = judged[word] { return known }
        let answer = Masking.soundsSecret(word)
        judged[word] = answer
        return answer
    }

    private func unknownValueStart(_ line: ArraySlice<UInt8>, colon: Int) -> Int? {
        let behind = colon + 1
        // `http://`, `uid:1` and `10.0.0.1:80` are no keys.
        guard behind >= line.endIndex || ASCII.isBlank(line[behind]) else { return nil }
        let value = line[min(behind, line.endIndex)...].drop(while: ASCII.isBlank)
        return value.isEmpty || value.first == UInt8(ascii: "#") || opensMapping(line, behind) ? nil : behind
    }

    /// Where, in a credential, the first text stands that is neither a key nor one word behind it.
    private func looseText(in line: ArraySlice<UInt8>, from first: Int) -> Int? {
        var index = first
        while let start = line[index...].firstIndex(where: { !" \t{}[],-?\"'".utf8.contains($0) }) {
            if line[start] == UInt8(ascii: "#") { return start }
            let end = line[start...].firstIndex { !Self.isWordByte($0) } ?? line.endIndex
            let colon = line[end...].firstIndex { !" \t\"'".utf8.contains($0) } ?? line.endIndex
            guard start < end, colon < line.endIndex, line[colon] == UInt8(ascii: ":") else { return start }
            let value = line[(colon + 1)...].prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
            guard let text = value.firstIndex(where: { !ASCII.isBlank($0) }) else { return nil }
            index = text
            guard line[text] != UInt8(ascii: "{") else { continue }
            let words = line[text..<value.endIndex].split(whereSeparator: ASCII.isBlank)
            guard words.count == 1, !words[0].contains(where: { "[]{:".utf8.contains($0) }) else { return text }
            index = value.endIndex
        }
        return nil
    }

    /// Whether a mapping begins behind the colon: then its own keys decide.
    private func opensMapping(_ line: ArraySlice<UInt8>, _ index: Int) -> Bool {
        line[min(index, line.endIndex)...].drop(while: ASCII.isBlank).first == UInt8(ascii: "{")
    }

    /// What may be a login in a URL, to the end of the line.
    private func loginRanges(_ line: ArraySlice<UInt8>) -> [Range<Int>] {
        URLMasking.hiddenStart(inLine: line).map { [$0..<line.endIndex] } ?? []
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".") || byte >= 0x80
    }
}
