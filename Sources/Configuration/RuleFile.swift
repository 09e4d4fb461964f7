package import Rules

/// What came of reading a rule file.
package struct LoadResult: Sendable {
    /// Nil where there is an error.
    package let configuration: ServerConfiguration?
    /// Errors and warnings in the order of files and lines.
    package let diagnostics: [Diagnostic]
    /// The files whose change is a reason to load again, also after a load that failed.
    package let watchedFiles: [String]
    /// Whether the file itself couldn't be read: `check` exits with 2 then.
    package let isUnreadable: Bool

    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

/// Reads rule files: YAML text to the values that the proxy runs by, or to diagnostics.
package enum RuleFile {
    /// Makes an authority for hosts; nil where it can't.
    package typealias AuthorityMaking = ([HostPattern]) -> InterceptionConfiguration.Authority?

    /// Reads a rule file, the files that it includes and the secrets that it names.
    ///
    /// - Parameters:
    ///   - path: as the user wrote it; diagnostics show it so.
    ///   - environment: keep one over reloads, since it keeps what was taken from the environment.
    ///   - readsSecrets: false leaves out whatever lies outside the rule files; such secrets are empty then.
    ///   - files: the file system.
    ///   - materials: looks into keys, certificates and lists, so that no fault is found only at a handshake.
    ///   - makeAuthority: makes an authority for the hosts to be opened where the file has none.
    ///   - accounts: the users and groups that `clients` may name.
    ///   - now: seconds of Unix time, for pins that expire.
    /// - Returns: the configuration unless there is an error, and all that is to be said of the files.
    package static func load(
        path: String,
        environment: EnvironmentSecrets,
        readsSecrets: Bool = true,
        files: any FileReading = SystemFiles(),
        materials: (any MaterialChecking)? = nil,
        makeAuthority: AuthorityMaking? = nil,
        accounts: Accounts = .system,
        now: Int64 = SystemFiles.now
    ) -> LoadResult {
        var set = RuleFileSet(files: files, home: environment.home)
        set.read(path: path)
        return result(
            of: set,
            files: files,
            environment: environment,
            readsSecrets: readsSecrets,
            materials: materials,
            makeAuthority: makeAuthority,
            accounts: accounts,
            now: now
        )
    }

    /// Reads a text that comes from no file, such as an embedded one; relative paths count from the current folder.
    package static func load(
        text: String,
        name: String,
        environment: EnvironmentSecrets,
        readsSecrets: Bool = true,
        files: any FileReading = SystemFiles(),
        now: Int64 = SystemFiles.now
    ) -> LoadResult {
        load(
            bytes: Array(text.utf8),
            name: name,
            environment: environment,
            readsSecrets: readsSecrets,
            files: files,
            now: now
        )
    }

    /// Reads arbitrary bytes as a rule file; whatever they are, it ends with a result.
    package static func load(
        bytes: [UInt8],
        name: String,
        environment: EnvironmentSecrets,
        readsSecrets: Bool = true,
        files: any FileReading = SystemFiles(),
        now: Int64 = SystemFiles.now
    ) -> LoadResult {
        var set = RuleFileSet(files: files, home: environment.home)
        set.read(text: bytes, name: name)
        return result(of: set, files: files, environment: environment, readsSecrets: readsSecrets, now: now)
    }

    private static func result(
        of set: RuleFileSet,
        files: any FileReading,
        environment: EnvironmentSecrets,
        readsSecrets: Bool,
        materials: (any MaterialChecking)? = nil,
        makeAuthority: AuthorityMaking? = nil,
        accounts: Accounts = .none,
        now: Int64
    ) -> LoadResult {
        var reader = RuleFileReader(
            set,
            files: files,
            environment: environment,
            readsSecrets: readsSecrets,
            materials: materials,
            accounts: accounts,
            makeAuthority: makeAuthority,
            now: now
        )
        var configuration: ServerConfiguration?
        if set.isComplete, let root = set.root {
            configuration = reader.read(root)
        }
        let hasErrors = reader.collector.hasErrors
        return LoadResult(
            configuration: hasErrors ? nil : configuration,
            diagnostics: reader.collector.diagnostics(),
            watchedFiles: set.watched + reader.watched,
            isUnreadable: set.isUnreadable
        )
    }
}

extension RuleFileReader {
    /// Reads all sections, those first that others name.
    mutating func read(_ root: YAMLNode) -> ServerConfiguration {
        readListeners(root["listeners"])
        let admin = readAdmin(root["admin"])
        readAccess(root["access"])
        readCredentials(root["credentials"])
        readRules(root["rules"])
        readProxies(root["proxies"])
        readRoutes(root["routes"])
        readTrust(root["trust"])
        readInterception(root["interception"])
        checkLogins(root)
        let state = state(root["state"])
        let spool = spool(root["spool"])
        warn(root, state: state, spool: spool)
        let routeTable = RouteTable(routes.map(\.route))
        let parents = parents
        return ServerConfiguration(
            listeners: listeners,
            credentials: credentialNames.compactMap { credentials[$0]?.credential },
            rules: RuleTable(rules: rules.map(\.rule), parents: parents, routes: routeTable, fixed: fixedOrigins),
            routes: routeTable,
            parents: parents,
            trust: TrustTable(policies.map(\.pattern)),
            interception: interception,
            access: access,
            limits: limits(root["limits"]),
            timeouts: timeouts(root["timeouts"]),
            log: log(root["log"]),
            admin: admin,
            dns: dns(root["dns"]),
            http: http(root["http"]),
            state: state,
            spool: spool,
            watched: set.watched + watched
        )
    }
}
