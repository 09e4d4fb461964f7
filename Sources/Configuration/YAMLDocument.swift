/// Bounds on what a rule file may be, so that no file exhausts memory or stack.
enum YAMLLimits {
    /// Bytes of one file.
    static let size = 16 << 20
    /// How deep values may be nested; the schema needs eight.
    static let depth = 32
    /// Values of one file, keys included.
    static let nodes = 1_000_000
}

/// One YAML file as a tree, with what is wrong with it as YAML.
struct YAMLDocument {
    /// Nil where nothing is written, or where the file can't be parsed.
    private(set) var root: YAMLNode?
    /// The tree as far as it was read, for the secrets in it; values that were still open reach to the end of the file.
    private(set) var partial: YAMLNode?
    /// What stopped the parser.
    private(set) var failure: (mark: Mark, message: String)?
    /// What could be read but may not stand in a rule file.
    private(set) var problems: [(mark: Mark, message: String)] = []

    /// Parses a whole file.
    init(_ source: SourceText, file: Int) {
        let end = Mark(file: file, line: source.lineCount, column: 0)
        guard source.bytes.count <= YAMLLimits.size else {
            fail(Mark(file: file, line: 0, column: 0), "the file is larger than 16 MiB")
            return
        }
        var events = YAMLEvents(source.bytes, file: file)
        var builder = YAMLTreeBuilder()
        var documents = 0
        while failure == nil {
            let placed = events.next()
            switch placed.event {
            case .failed(let error):
                let trap = YAMLTrap(error, in: source)
                fail(trap.mark, trap.message)
            case .streamEnd:
                root = builder.root
                partial = root
                return
            case .streamStart, .documentEnd: continue
            case .documentStart(let hasTagDirectives):
                documents += 1
                if documents > 1 { fail(placed.start, "a rule file is one YAML document; a second one begins here") }
                if hasTagDirectives { problems.append((placed.start, "tags can't be used in a rule file")) }
            default: add(placed, to: &builder)
            }
        }
        partial = builder.closingAll(at: end)
    }

    private mutating func add(_ placed: YAMLPlacedEvent, to builder: inout YAMLTreeBuilder) {
        var isFaulty = false
        if case .alias = placed.event {
            problems.append((placed.start, "a text that begins with '*' is an alias in YAML: quote it, \"*…\""))
            isFaulty = true
        } else if placed.hasAnchor {
            problems.append((placed.start, "a text that begins with '&' is an anchor in YAML: quote it, \"&…\""))
            isFaulty = true
        } else if placed.hasTag {
            problems.append((placed.start, "a text that begins with '!' is a tag in YAML: quote it, \"!…\""))
            isFaulty = true
        }
        builder.add(placed, isFaulty: isFaulty)
        if let mark = builder.mergeKey {
            problems.append((mark, "merge keys ('<<') can't be used in a rule file: write the keys out"))
            builder.mergeKey = nil
        }
        if builder.depth > YAMLLimits.depth {
            fail(placed.start, "values are nested more than \(YAMLLimits.depth) deep here")
        } else if builder.nodeCount > YAMLLimits.nodes {
            fail(placed.start, "the file holds more than \(YAMLLimits.nodes) values")
        }
    }

    private mutating func fail(_ mark: Mark, _ message: String) { failure = (mark, message) }
}

/// Puts events together to a tree.
struct YAMLTreeBuilder {
    private struct Frame {
        var node: YAMLNode
        var elements: [YAMLNode] = []
        var entries: [YAMLEntry] = []
        var key: YAMLNode?
        var isMapping: Bool
    }

    private var frames: [Frame] = []
    private(set) var root: YAMLNode?
    private(set) var nodeCount = 0
    /// Where a `<<` stood as a key; the caller tells it and clears this.
    var mergeKey: Mark?

    var depth: Int { frames.count }

    mutating func add(_ placed: YAMLPlacedEvent, isFaulty: Bool) {
        var node = YAMLNode(content: .scalar("", .plain), start: placed.start, end: placed.end, isFaulty: isFaulty)
        switch placed.event {
        case .scalar(let text, let style):
            node.content = .scalar(text, style)
            take(node)
        case .alias:
            take(node)
        case .sequenceStart(let isFlow):
            node.content = .sequence([])
            node.isFlow = isFlow
            frames.append(Frame(node: node, isMapping: false))
        case .mappingStart(let isFlow):
            node.content = .mapping([])
            node.isFlow = isFlow
            frames.append(Frame(node: node, isMapping: true))
        case .sequenceEnd, .mappingEnd: close(at: placed.end)
        default: return
        }
    }

    /// The tree with every value that is still open reaching to `end`.
    mutating func closingAll(at end: Mark) -> YAMLNode? {
        while let frame = frames.last {
            if frame.isMapping, frame.key != nil {
                take(YAMLNode(content: .scalar("", .plain), start: frame.key?.end ?? end, end: end))
            }
            close(at: end)
        }
        return root
    }

    private mutating func close(at end: Mark) {
        guard let frame = frames.popLast() else { return }
        var node = frame.node
        node.content = frame.isMapping ? .mapping(frame.entries) : .sequence(frame.elements)
        node.end = end
        take(node)
    }

    private mutating func take(_ node: YAMLNode) {
        nodeCount += 1
        guard let last = frames.indices.last else {
            root = root ?? node
            return
        }
        guard frames[last].isMapping else {
            frames[last].elements.append(node)
            return
        }
        guard let key = frames[last].key else {
            if node.isPlain, node.text == "<<" { mergeKey = node.start }
            frames[last].key = node
            return
        }
        frames[last].entries.append(YAMLEntry(key: key, value: node))
        frames[last].key = nil
    }
}
