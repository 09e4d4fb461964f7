/// How a scalar is written.
enum YAMLScalarStyle: Sendable { case plain, quoted, block }

/// A value of a rule file with the place where it stands.
struct YAMLNode: Sendable {
    enum Content: Sendable {
        case scalar(String, YAMLScalarStyle)
        case mapping([YAMLEntry])
        case sequence([YAMLNode])
    }

    var content: Content
    var start: Mark
    var end: Mark
    /// Written with `{` or `[`.
    var isFlow: Bool = false
    /// An error about this value itself (an alias, an anchor, a tag) was told already: nothing more is said of it.
    var isFaulty: Bool = false

    var text: String? {
        if case .scalar(let text, _) = content { return text }
        return nil
    }

    /// A value of which nothing is written: `key:` and no more.
    var isEmptyPlain: Bool {
        if case .scalar(let text, let style) = content { return text.isEmpty && style == .plain }
        return false
    }

    var isPlain: Bool {
        if case .scalar(_, .plain) = content { return true }
        return false
    }

    var entries: [YAMLEntry]? {
        if case .mapping(let entries) = content { return entries }
        return nil
    }

    var elements: [YAMLNode]? {
        if case .sequence(let elements) = content { return elements }
        return nil
    }

    /// The elements of a list; a single value is a list of one.
    var elementsOrSelf: [YAMLNode] { elements ?? [self] }

    /// The value under a key, the first where it is written twice.
    subscript(key: String) -> YAMLNode? { entry(key)?.value }

    func entry(_ key: String) -> YAMLEntry? { entries?.first { $0.key.text == key } }
}

/// A key of a mapping and what stands under it.
struct YAMLEntry: Sendable {
    var key: YAMLNode
    var value: YAMLNode
}
