internal import Authentication
internal import Bytes
internal import Crypto
internal import Rules

/// Makes values of a rule file's tree; what fits the schema but makes no sense is told on the way.
///
/// Each section's reader skips what the schema's check has told already, so that all errors of a file come in one go.
struct RuleFileReader {
    var set: RuleFileSet
    let files: any FileReading
    let environment: EnvironmentSecrets
    let readsSecrets: Bool
    /// Looks into keys and certificates; nil: nobody does.
    let materials: (any MaterialChecking)?
    let accounts: Accounts
    /// Makes an authority for these hosts where the file has none; nil: there is none then.
    let makeAuthority: RuleFile.AuthorityMaking?
    /// What `add` and `error` go to.
    var collector: DiagnosticCollector
    /// Files whose change is a reason to read everything again, beside the rule files themselves.
    var watched: [String] = []

    var credentials: [String: CredentialEntry] = [:]
    /// The credentials' names in the order of the file.
    var credentialNames: [String] = []
    var listeners: [ListenerConfiguration] = []
    /// Where each of `listeners` stands; empty where none is written.
    var listenerNodes: [YAMLNode] = []
    /// Those of the file, also of listeners that can't be read.
    var listenerNames: [String] = []
    /// Where `login:` is written under `clients`.
    var logins: [YAMLNode] = []
    /// Whether some client has to log in at the proxy.
    var isLoginAsked = false
    var access = AccessConfiguration()
    var proxies: [String: ProxyEntry] = [:]
    var proxyNames: [String] = []
    /// What the variables of the environment say, once a route has asked.
    var environmentProxies: EnvironmentProxies?
    var environmentParents: [ParentProxy] = []
    var rules: [RuleEntry] = []
    var routes: [RouteEntry] = []
    var policies: [TrustEntry] = []
    var interception: InterceptionConfiguration?
    /// Seconds of Unix time, for what expires.
    let now: Int64

    init(
        _ set: RuleFileSet,
        files: any FileReading,
        environment: EnvironmentSecrets,
        readsSecrets: Bool,
        materials: (any MaterialChecking)? = nil,
        accounts: Accounts,
        makeAuthority: RuleFile.AuthorityMaking? = nil,
        now: Int64
    ) {
        self.accounts = accounts
        self.makeAuthority = makeAuthority
        self.materials = materials
        self.now = now
        self.set = set
        self.files = files
        self.environment = environment
        self.readsSecrets = readsSecrets
        collector = set.collector
    }

    // MARK: values

    mutating func error(_ node: YAMLNode, _ message: String) { collector.error(node.start, message) }

    mutating func warning(_ node: YAMLNode, _ message: String) { collector.warning(node.start, message) }

    /// The text of a value that the schema's check accepted; nil for anything else.
    func text(_ node: YAMLNode?, as type: ScalarType) -> String? {
        guard let node, !node.isFaulty, !node.isEmptyPlain, let text = node.text else { return nil }
        return type.problem(text, isPlain: node.isPlain) == nil ? text : nil
    }

    func boolean(_ node: YAMLNode?) -> Bool? { text(node, as: .boolean).flatMap(ScalarValue.boolean) }

    func duration(_ node: YAMLNode?, zero: Bool = false) -> Nanoseconds? {
        text(node, as: .duration(zero: zero)).flatMap(ScalarValue.duration)
    }

    func size(_ node: YAMLNode?) -> Int? { text(node, as: .size).flatMap(ScalarValue.size) }

    func integer(_ node: YAMLNode?, _ range: ClosedRange<Int>) -> Int? {
        text(node, as: .integer(range)).flatMap(ScalarValue.integer)
    }

    /// A path of the file as one that can be opened.
    func path(_ node: YAMLNode?) -> String? {
        guard let node = node.flatMap(ScalarValue.path), let text = text(node, as: .path) else { return nil }
        return set.resolved(text, in: set.folders[node.start.file])
    }

    func place(_ node: YAMLNode) -> SourcePlace {
        SourcePlace(file: collector.sources[node.start.file].name, line: node.start.line + 1)
    }

    /// Adds a file to those that are watched for changes.
    mutating func watch(_ path: String) {
        if !watched.contains(path) { watched.append(path) }
    }

    /// Whether a key is there that the section doesn't have; what it was meant to be was told.
    func hasUnknownKey(_ node: YAMLNode, _ section: SchemaSection) -> Bool {
        (node.entries ?? []).contains { entry in entry.key.text.map { section.key($0) == nil } ?? true }
    }

    // MARK: host patterns

    /// Host patterns with the places where they stand; those of a pattern file stand there.
    mutating func hostPatterns(_ node: YAMLNode?) -> [(pattern: HostPattern, mark: Mark)] {
        guard let node, !node.isFaulty else { return [] }
        var patterns: [(pattern: HostPattern, mark: Mark)] = []
        for node in node.elementsOrSelf where !node.isFaulty {
            if node.entries != nil {
                patterns += hostPatternFile(node)
            } else if let text = node.text, !(node.isPlain && text.hasPlaceholder), let pattern = try? HostPattern(text)
            {
                patterns.append((pattern, node.start))
            }
        }
        if node.elements?.isEmpty == true { warning(node, "an empty list of hosts matches nothing") }
        return patterns
    }

    private mutating func hostPatternFile(_ node: YAMLNode) -> [(pattern: HostPattern, mark: Mark)] {
        guard let path = path(node), readsSecrets else { return [] }
        watch(path)
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try files.contents(of: path, limit: YAMLLimits.size)
        } catch {
            collector.error(node.start, "the file of host patterns can't be read: \(error.message)")
            return []
        }
        let source = SourceText(name: path, bytes: bytes)
        let file = collector.add(source)
        set.addFolder(of: path)
        var patterns: [(pattern: HostPattern, mark: Mark)] = []
        for number in 0..<source.lineCount {
            let line = String(decoding: source.line(number), as: UTF8.self)
            let written = line.prefix { $0 != "#" }
            let text = written.drop { $0.isWhitespace }
            guard let end = text.lastIndex(where: { !$0.isWhitespace }) else { continue }
            let mark = Mark(file: file, line: number, column: written.count - text.count)
            do throws(HostPatternError) {
                patterns.append((try HostPattern(String(text[...end])), mark))
            } catch {
                collector.error(mark, "\(Quoting.quoted(String(text[...end]))) is no host pattern: \(error.message)")
            }
        }
        return patterns
    }
}
