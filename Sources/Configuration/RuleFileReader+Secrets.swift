internal import Authentication
internal import Bytes
internal import Crypto

extension RuleFileReader {
    /// The largest secret: what still makes an Authorization value of 64 KiB (A-25).
    private static let maximumSecret = 64 << 10

    /// The secret that a mapping such as `{ file: PATH }` names, where a program can't give it; nil where something is
    /// wrong with it, which is told.
    ///
    /// With `readsSecrets` false, whatever lies outside the rule file is an empty secret. No message repeats anything from
    /// inside the mapping.
    mutating func secret(_ node: YAMLNode?) -> Secret? {
        switch secretPart(node, fits: { _ in true }) {
        case .known(let secret): return secret
        case .program:
            let key = node?.entry("exec")?.key ?? node
            if let key {
                error(key, "'exec' can't stand here: this is looked at when the file is read; write it to a file")
            }
            return nil
        case nil: return nil
        }
    }

    /// The secret that a mapping names, known or to be printed by a program, whose output `fits` then judges; nil where
    /// something is wrong with it, which is told.
    mutating func secretPart(_ node: YAMLNode?, fits: @escaping @Sendable (Secret) -> Bool) -> SecretPart? {
        guard let node, !node.isFaulty, let entries = node.entries else { return nil }
        let forms = ["file", "env", "systemd", "exec", "value"]
        let written = entries.filter { entry in entry.key.text.map(forms.contains) ?? false }
        guard let form = written.first, let name = form.key.text else {
            if entries.allSatisfy({ Schema.headerValue.section?.key($0.key.text ?? "") != nil }) {
                error(node, "a secret needs one of 'file', 'env', 'systemd', 'exec' and 'value'")
            }
            return nil
        }
        guard written.count == 1 else {
            error(written[1].key, "a secret takes one of 'file', 'env', 'systemd', 'exec' and 'value'")
            return nil
        }
        for key in ["refresh", "timeout"] where name != "exec" {
            if let entry = node.entry(key) { error(entry.key, "'\(key)' belongs to 'exec'") }
        }
        guard !form.value.isFaulty else { return nil }
        switch name {
        case "file": return fileSecret(form.value).map(SecretPart.known)
        case "env": return environmentSecret(form.value).map(SecretPart.known)
        case "systemd": return systemdSecret(form.value).map(SecretPart.known)
        case "value": return literalSecret(form.value).map(SecretPart.known)
        default:
            guard let arguments = program(form.value) else { return nil }
            let program = SecretProgram(
                arguments: arguments,
                refresh: duration(node["refresh"]),
                timeout: duration(node["timeout"]) ?? 10_000_000_000
            )
            return .program(program, fits: fits)
        }
    }

    /// A program, by its path or to be found in PATH, and its arguments; nil where something is wrong, which is told.
    mutating func program(_ node: YAMLNode) -> [String]? {
        guard !node.isFaulty, let elements = node.elements else { return nil }
        var arguments = elements.compactMap { text($0, as: .nonEmptyText) }
        guard arguments.count == elements.count else { return nil }
        guard let name = arguments.first else {
            error(node, "a program is missing: the list begins with its name")
            return nil
        }
        if arguments.contains(where: { $0.utf8.contains(0) }) {
            error(node, "an argument of a program can't contain a NUL character")
            return nil
        }
        if name.contains("/") { arguments[0] = set.resolved(name, in: set.folders[node.start.file]) }
        return arguments
    }

    private mutating func fileSecret(_ node: YAMLNode) -> Secret? {
        guard let path = path(node) else { return nil }
        return fileSecret(path, node, what: "the file of this secret")
    }

    /// The content of a file less one trailing newline; nil where it can't be read or is empty, which is told.
    mutating func fileSecret(_ path: String, _ node: YAMLNode, what: String) -> Secret? {
        watch(path)
        guard readsSecrets else { return Secret("") }
        var bytes: [UInt8]
        do throws(FileError) {
            bytes = try files.contents(of: path, limit: Self.maximumSecret)
        } catch {
            let isRelative = node.text.map { !$0.hasPrefix("/") && !$0.hasPrefix("~") } ?? false
            let hint = isRelative && error == .missing ? " (a relative path counts from the folder of this file)" : ""
            collector.error(node.start, "\(what) can't be read: \(error.message)\(hint)")
            return nil
        }
        defer { Wiping.wipe(&bytes) }
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        guard !bytes.isEmpty else {
            error(node, "\(what) is empty")
            return nil
        }
        return Secret(bytes.span)
    }

    private mutating func environmentSecret(_ node: YAMLNode) -> Secret? {
        guard let name = text(node, as: .nonEmptyText) else { return nil }
        guard readsSecrets else { return Secret("") }
        guard !name.contains("="), !name.contains("$"), let secret = environment.secret(name) else {
            let hint = name.hasPrefix("$") ? "; the name stands without '$'" : ""
            error(node, "the environment variable of this secret is not set\(hint)")
            return nil
        }
        guard !secret.isEmpty else {
            error(node, "the environment variable of this secret is empty")
            return nil
        }
        return secret
    }

    private mutating func systemdSecret(_ node: YAMLNode) -> Secret? {
        guard let name = text(node, as: .nonEmptyText) else { return nil }
        guard readsSecrets else { return Secret("") }
        guard !name.contains("/"), name != ".", name != ".." else {
            error(node, "the name of a systemd credential has no '/'")
            return nil
        }
        guard let folder = environment.variable("CREDENTIALS_DIRECTORY") else {
            error(
                node,
                "systemd passed no credentials: $CREDENTIALS_DIRECTORY is not set (LoadCredential= in the unit)"
            )
            return nil
        }
        return fileSecret(Path.joined(folder, name), node, what: "the systemd credential of this secret")
    }

    private mutating func literalSecret(_ node: YAMLNode) -> Secret? {
        guard let text = node.text else { return nil }
        // A written `value: ""` is an empty password on purpose; nothing at all was told by the schema's check.
        if node.isEmptyPlain || (node.isPlain && (text.hasPlaceholder)) { return nil }
        if let path = set.paths[node.start.file], files.isReadableByOthers(path) {
            warning(node, "a secret stands in this file, which other users can read: chmod o-r, or { file: PATH }")
        }
        if node.isPlain, commentFollows(node) {
            warning(node, "the secret ends before ' #', which begins a comment: quote it if it goes on")
        }
        return Secret(text)
    }

    /// Whether a comment stands behind a value on its line.
    private func commentFollows(_ node: YAMLNode) -> Bool {
        let source = collector.sources[node.end.file]
        let line = source.line(node.end.line)
        let end = source.offset(line: node.end.line, column: node.end.column)
        guard end <= line.endIndex, end >= line.startIndex else { return false }
        return line[end...].first { !ASCII.isBlank($0) } == UInt8(ascii: "#")
    }
}
