internal import Bytes

/// Finds what an excerpt must not show: what stands under a key that asks for a secret, or that might.
///
/// Two passes find it, and what either finds is hidden: one over the tree as far as the file could be parsed, one over the
/// raw lines, which also holds where the parser saw something else than the writer meant.
enum Masking {
    /// Keys under which nothing is shown.
    static let secretKeys: Set<String> = [
        "password", "digest_ha1", "token", "client_secret", "passphrase", "private_key", "header", "parameters",
        "placeholder", "helper", "value", "exec", "prefix",
    ]

    /// Every key of the schema; what stands under any other as a text is hidden, too: it might be `pasword`.
    static let knownKeys: Set<String> = {
        var keys: Set<String> = []
        var sections = [Schema.top]
        var types: [SchemaType] = []
        while let section = sections.popLast() {
            keys.formUnion(section.keys.map(\.name))
            types += section.keys.map(\.type)
            while let type = types.popLast() {
                types += [type.element, type.member].compactMap { $0 }
                if let section = type.section { sections.append(section) }
            }
        }
        return keys
    }()

    /// Whether a word that is no known key reads like one that asks for a secret.
    static func soundsSecret(_ word: String) -> Bool {
        if knownKeys.contains(word) { return secretKeys.contains(word) }
        let folded = word.utf8.lazy.map(ASCII.lowercased).filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        let bytes = Array(folded)
        if secretParts.contains(where: { contains(bytes, $0) }) || secretWords.contains(bytes) { return true }
        return foldedSecretKeys.contains { Suggestion.isNear(bytes, $0) }
    }

    private static func contains(_ word: [UInt8], _ part: [UInt8]) -> Bool {
        guard word.count >= part.count else { return false }
        return (0...(word.count - part.count)).contains { start in
            word[start] == part[0] && word[start..<(start + part.count)].elementsEqual(part)
        }
    }

    private static let secretParts = [
        "pass", "secret", "token", "pwd", "credential", "apikey", "bearer", "privat", "auth",
    ].map { Array($0.utf8) }
    private static let secretWords = ["key", "pw"].map { Array($0.utf8) }
    private static let foldedSecretKeys = secretKeys.map { Array($0.utf8).filter { $0 != UInt8(ascii: "_") } }

    /// Hides the secrets of a file, of which `tree` is what could be parsed; unless `isParsed`, that isn't all of it and the
    /// raw lines are searched, too.
    static func mask(_ source: inout SourceText, tree: YAMLNode?, isParsed: Bool) {
        if let tree { mask(&source, tree, key: nil) }
        for credential in tree?["credentials"]?.entries ?? [] { maskLooseTexts(&source, credential.value) }
        var lines = RawMasking()
        for line in 0..<source.lineCount {
            let bytes = source.line(line)
            let ranges = isParsed ? lines.secrets(inCommentOf: bytes) : lines.secrets(in: bytes)
            for range in ranges { source.mask(range) }
        }
    }

    private static func mask(_ source: inout SourceText, _ node: YAMLNode, key: String?) {
        switch node.content {
        case .scalar(let text, _):
            // A login pasted into a user name, or before the host in a URL.
            if isUnexpected(key) || (key == "username" && text.contains(":")) { return hide(&source, node) }
            maskLogin(&source, node, text, isURL: key.map(URLMasking.keys.contains) ?? false)
        case .sequence(let elements):
            if isUnexpected(key) { return hide(&source, node) }
            for element in elements { mask(&source, element, key: key) }
        case .mapping(let entries):
            if key == "username" || key == "client_id" { return hide(&source, node) }
            for entry in entries { mask(&source, entry) }
        }
    }

    private static func mask(_ source: inout SourceText, _ entry: YAMLEntry) {
        // Behind a tag or an anchor that was meant as part of a key may stand what it was the key of.
        guard let name = entry.key.text, !entry.key.isFaulty else {
            return source.mask(from: entry.key.start, to: entry.value.end)
        }
        if source.isExplicitKey(entry.key) { hide(&source, entry.key) }
        // A credential may be called `token`: what it holds has keys of its own.
        let isKnown = knownKeys.contains(name)
        let isName = entry.value.entries.map { !isKnown && !$0.contains(where: isForm) } ?? false
        let isSecret = !isKnown && (entry.value.entries?.contains(where: isForm) ?? false)
        if !isKnown { maskBehindWord(&source, entry.key) }
        if URLMasking.mayHoldAtSign(Array(name.utf8)[...]) { hide(&source, entry.key) }
        if (soundsSecret(name) && !isName) || isSecret {
            hide(&source, entry.value)
        } else {
            mask(&source, entry.value, key: name)
        }
    }

    /// Whether a key is one of those by which a secret says where it is found.
    private static func isForm(_ entry: YAMLEntry) -> Bool {
        Schema.secretForms.contains { $0.name == entry.key.text }
    }

    /// Whether a text under this key may be a misplaced secret.
    private static func isUnexpected(_ key: String?) -> Bool {
        guard let key else { return false }
        return !knownKeys.contains(key) || key == "credentials"
    }

    /// Hides a value, and what YAML took off it: the rest of the line behind a comma or a comment sign.
    private static func hide(_ source: inout SourceText, _ node: YAMLNode, from start: Int? = nil) {
        let upper = source.offset(line: node.end.line, column: node.end.column)
        let lower = start ?? source.offset(line: node.start.line, column: node.start.column)
        source.mask(lower..<max(lower, upper))
        for scalar in node.scalars where scalar.isPlain {
            let line = source.line(scalar.end.line)
            let end = source.offset(line: scalar.end.line, column: scalar.end.column)
            guard (line.startIndex...line.endIndex).contains(end) else { continue }
            let next = line[end...].first { $0 != 0x20 && $0 != 0x09 }
            if next == UInt8(ascii: ",") || next == UInt8(ascii: "#") { source.mask(end..<line.endIndex) }
        }
    }

    /// Hides a URL behind its scheme, and all that may belong to it, where it may hold a login.
    private static func maskLogin(_ source: inout SourceText, _ node: YAMLNode, _ text: String, isURL: Bool) {
        guard URLMasking.hiddenStart(in: Array(text.utf8)[...], isURL: isURL) != nil else { return }
        let lower = source.offset(line: node.start.line, column: node.start.column)
        let upper = source.offset(line: node.end.line, column: node.end.column)
        guard lower < upper else { return }
        // As it is written, which may be with escapes.
        let written = source.bytes[lower..<upper].drop { "\"'".utf8.contains($0) }
        let start = URLMasking.hiddenStart(in: written, isURL: true) ?? lower
        hide(&source, node, from: start)
    }

    /// `{ username: alice, hunter2 }` has a key `hunter2`; what stands under a key that no credential has is hidden whole.
    private static func maskLooseTexts(_ source: inout SourceText, _ credential: YAMLNode) {
        for entry in credential.entries ?? [] {
            guard let name = entry.key.text, Schema.credential.key(name) == nil else { continue }
            if entry.value.isEmptyPlain, !knownKeys.contains(name) {
                source.mask(from: entry.key.start, to: entry.key.end)
            } else {
                hide(&source, entry.value)
            }
        }
    }

    /// `password:hunter2` and `password hunter2` are one key.
    private static func maskBehindWord(_ source: inout SourceText, _ key: YAMLNode) {
        let lower = source.offset(line: key.start.line, column: key.start.column)
        let upper = source.offset(line: key.end.line, column: key.end.column)
        guard lower < upper else { return }
        guard let end = source.bytes[lower..<upper].firstIndex(where: { ": =".utf8.contains($0) }) else { return }
        source.mask(end + 1..<upper)
    }
}

extension YAMLNode {
    /// The scalars in it, itself if it is one.
    fileprivate var scalars: [YAMLNode] {
        switch content {
        case .scalar: [self]
        case .sequence(let elements): elements.flatMap(\.scalars)
        case .mapping(let entries): entries.flatMap { $0.key.scalars + $0.value.scalars }
        }
    }
}

extension SourceText {
    /// Whether a key is written in YAML's long form, `? key`, which no rule file needs and some passwords make.
    func isExplicitKey(_ key: YAMLNode) -> Bool {
        let line = line(key.start.line)
        let start = offset(line: key.start.line, column: key.start.column)
        guard start <= line.endIndex, start >= line.startIndex else { return false }
        return line[..<start].last { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "?")
    }
}
