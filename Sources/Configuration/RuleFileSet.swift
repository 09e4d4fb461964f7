/// A rule file and the files that it includes, parsed, checked against the schema and merged.
struct RuleFileSet {
    private static let maximumFiles = 1000
    private static let maximumDepth = 8

    private(set) var collector = DiagnosticCollector()
    /// The folder of each file in the collector, against which its relative paths count.
    private(set) var folders: [String] = []
    /// The path of each file as it was opened; nil for a text that came from no file.
    private(set) var paths: [String?] = []
    /// All files that were read or looked for, and the folders of globs.
    private(set) var watched: [String] = []
    private let files: any FileReading
    private let home: String?
    private var merged = MergedFiles()
    /// False where a file can't be read or parsed: what others say of it would be guesses.
    private(set) var isComplete = true
    /// Whether the first file couldn't be read at all.
    private(set) var isUnreadable = false

    init(files: any FileReading, home: String?) {
        self.files = files
        self.home = home
    }

    /// What all files say together.
    var root: YAMLNode? { merged.root }

    /// Reads the file that the user named.
    mutating func read(path: String) {
        watched.append(path)
        do throws(FileError) {
            let bytes = try files.contents(of: path, limit: YAMLLimits.size)
            read(bytes, name: path, path: path, chain: [path])
        } catch {
            isUnreadable = true
            isComplete = false
            collector.error(file: path, "the rule file can't be read: \(error.message)")
        }
    }

    /// Reads a text that comes from no file.
    mutating func read(text: [UInt8], name: String) { read(text, name: name, path: nil, chain: []) }

    /// Keeps the folder of a file that isn't a rule file but that diagnostics can point at.
    mutating func addFolder(of path: String) {
        folders.append(Path.folder(of: path))
        paths.append(path)
    }

    private mutating func read(_ bytes: [UInt8], name: String, path: String?, chain: [String]) {
        var source = SourceText(name: name, bytes: bytes)
        let file = collector.add(source)
        folders.append(path.map(Path.folder) ?? "")
        paths.append(path)
        let document = YAMLDocument(source, file: file)
        Masking.mask(&source, tree: document.partial, isParsed: document.failure == nil)
        collector.replace(source, at: file)
        for problem in document.problems { collector.error(problem.mark, problem.message) }
        if let failure = document.failure {
            isComplete = false
            return collector.error(failure.mark, failure.message)
        }
        let start = Mark(file: file, line: 0, column: 0)
        guard let root = document.root, !root.isEmptyPlain else {
            if chain.count < 2 { collector.error(start, "the rule file is empty: it begins with 'version: 1'") }
            return
        }
        guard let entries = root.entries else {
            isComplete = false
            return collector.error(root.start, "a rule file is a mapping: it begins with 'version: 1'")
        }
        var check = SchemaCheck(collector: collector)
        check.check(root, .section(chain.count < 2 ? Schema.top : Schema.included), .init(key: "the file"))
        collector = check.collector
        merged.add(entries, root: root, &collector)
        if let include = root["include"], !include.isFaulty { readIncluded(include, file: file, chain: chain) }
    }

    private mutating func readIncluded(_ include: YAMLNode, file: Int, chain: [String]) {
        for node in include.elementsOrSelf where !node.isFaulty {
            guard let text = node.text, !text.isEmpty, paths[file] != nil else {
                if node.text != nil {
                    collector.error(node.start, "a text that comes from no file can't include others")
                }
                continue
            }
            guard chain.count < Self.maximumDepth else {
                collector.error(node.start, "files include each other more than \(Self.maximumDepth) deep")
                continue
            }
            let path = resolved(text, in: folders[file])
            for found in expanded(path, at: node.start) { readIncluded(found, at: node.start, chain: chain) }
        }
    }

    private mutating func readIncluded(_ path: String, at mark: Mark, chain: [String]) {
        guard !paths.contains(path) else { return collector.error(mark, "\(Quoting.quoted(path)) is included twice") }
        guard paths.count < Self.maximumFiles else {
            return collector.error(mark, "more than \(Self.maximumFiles) files are included")
        }
        watched.append(path)
        do throws(FileError) {
            let bytes = try files.contents(of: path, limit: YAMLLimits.size)
            read(bytes, name: path, path: path, chain: chain + [path])
        } catch {
            isComplete = false
            collector.error(mark, "the included file \(Quoting.quoted(path)) can't be read: \(error.message)")
        }
    }

    /// The files that a path with stars names, in name order.
    private mutating func expanded(_ path: String, at mark: Mark) -> [String] {
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        let folder = Path.folder(of: path)
        guard !folder.contains("*") else {
            collector.error(mark, "a star can stand in the file's name only, not in a folder's")
            return []
        }
        guard name.contains(where: { $0 == "*" || $0 == "?" }) else { return [path] }
        watched.append(folder.isEmpty ? "." : folder)
        do throws(FileError) {
            let names = try files.names(in: folder).filter { Path.matches($0, glob: name) }
            if names.isEmpty { collector.warning(mark, "no file fits this") }
            return names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
                .map { folder == "/" ? "/" + $0 : Path.joined(folder, $0) }
        } catch {
            collector.error(mark, "the folder \(Quoting.quoted(folder)) can't be read: \(error.message)")
            return []
        }
    }

    /// A path of the file as one that can be opened.
    func resolved(_ path: String, in folder: String) -> String {
        if let home, path == "~" || path.hasPrefix("~/") { return home + path.dropFirst() }
        return Path.joined(folder, path)
    }
}

/// The top-level values of several files as one: lists follow each other, mappings join, anything else may be set once.
struct MergedFiles {
    private var entries: [YAMLEntry] = []
    private var start: YAMLNode?

    var root: YAMLNode? {
        guard var root = start else { return nil }
        root.content = .mapping(entries)
        return root
    }

    mutating func add(_ added: [YAMLEntry], root: YAMLNode, _ collector: inout DiagnosticCollector) {
        if start == nil { start = root }
        var own: Set<String> = []
        for entry in added {
            // A key that stands twice in one file was told already.
            guard let name = entry.key.text, own.insert(name).inserted, name != "include" else { continue }
            guard let index = entries.firstIndex(where: { $0.key.text == name }) else {
                entries.append(entry)
                continue
            }
            switch (entries[index].value.content, entry.value.content) {
            case (.sequence(let first), .sequence(let second)): entries[index].value.content = .sequence(first + second)
            case (.mapping(let first), .mapping(let second)):
                entries[index].value.content = .mapping(joined(first, second, &collector))
            case _ where name == "version": continue
            default: tellTwice(entry.key, name, first: entries[index].key, &collector)
            }
        }
    }

    private func joined(
        _ first: [YAMLEntry],
        _ second: [YAMLEntry],
        _ collector: inout DiagnosticCollector
    ) -> [YAMLEntry] {
        let keys = Dictionary(
            first.compactMap { entry in entry.key.text.map { ($0, entry.key) } },
            uniquingKeysWith: { earlier, _ in earlier }
        )
        return first
            + second.filter { entry in
                guard let name = entry.key.text, let twin = keys[name] else { return true }
                tellTwice(entry.key, name, first: twin, &collector)
                return false
            }
    }

    private func tellTwice(
        _ key: YAMLNode,
        _ name: String,
        first: YAMLNode,
        _ collector: inout DiagnosticCollector
    ) {
        let file = collector.sources[first.start.file].name
        collector.error(key.start, "\(Quoting.quoted(name)) stands in \(file):\(first.start.line + 1), too")
    }
}
