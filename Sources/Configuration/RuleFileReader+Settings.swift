internal import Bytes
internal import Rules

extension RuleFileReader {
    func limits(_ node: YAMLNode?) -> LimitsConfiguration {
        var limits = LimitsConfiguration()
        guard let node else { return limits }
        if let value = integer(node["connections"], 1...10_000_000) { limits.connections = value }
        if let value = size(node["head"]) { limits.head = value }
        if let value = integer(node["fields"], 1...10_000) { limits.fields = value }
        if let value = size(node["target"]) { limits.target = value }
        if let value = size(node["replay_memory"]) { limits.replayMemory = value }
        if let value = size(node["replay_disk"]) { limits.replayDisk = value }
        if let value = size(node["replay_total"]) { limits.replayTotal = value }
        if let value = integer(node["upstream_connections_per_host"], 1...1_000_000) {
            limits.upstreamConnectionsPerHost = value
        }
        if let value = size(node["drain_on_challenge"]) { limits.drainOnChallenge = value }
        return limits
    }

    func timeouts(_ node: YAMLNode?) -> TimeoutsConfiguration {
        var timeouts = TimeoutsConfiguration()
        guard let node else { return timeouts }
        let keys: [(String, WritableKeyPath<TimeoutsConfiguration, Nanoseconds>)] = [
            ("connect", \.connect), ("handshake", \.handshake), ("request_head", \.requestHead),
            ("request_body", \.requestBody), ("response_head", \.responseHead), ("response_body", \.responseBody),
            ("client_idle", \.clientIdle), ("upstream_idle", \.upstreamIdle), ("tunnel_idle", \.tunnelIdle),
            ("tunnel_half", \.tunnelHalf), ("drain", \.drain), ("drain_hard", \.drainHard), ("dns", \.dns),
        ]
        for (key, path) in keys {
            if let value = duration(node[key], zero: key.hasPrefix("drain")) { timeouts[keyPath: path] = value }
        }
        return timeouts
    }

    func log(_ node: YAMLNode?) -> LogConfiguration {
        var log = LogConfiguration()
        guard let node else { return log }
        if node["format"]?.text == "json" { log.format = .json }
        switch node["level"]?.text {
        case "error": log.level = .error
        case "warning": log.level = .warning
        case "debug": log.level = .debug
        default: break
        }
        log.access = boolean(node["access"]) ?? log.access
        log.query = boolean(node["query"]) ?? log.query
        return log
    }

    func http(_ node: YAMLNode?) -> HTTPConfiguration {
        var http = HTTPConfiguration()
        guard let node else { return http }
        http.via = text(node["via"], as: .token)
        if let upgrades = node["upgrades"], upgrades.entries == nil {
            http.upgrades = upgrades.elementsOrSelf.compactMap { text($0, as: .token)?.lowercased() }
        }
        http.userinfo = boolean(node["userinfo"]) ?? false
        http.trace = boolean(node["trace"]) ?? false
        return http
    }

    /// Who looks names up.
    mutating func dns(_ node: YAMLNode?) -> DNSConfiguration {
        let asksSystem = node?["resolver"]?.text == "system"
        if asksSystem, let key = node?.entry("servers")?.key {
            error(key, "'servers' belongs to 'resolver: c-ares': the system's resolver has its own")
        }
        let servers = node?["servers"]?.elementsOrSelf ?? []
        return DNSConfiguration(
            kind: asksSystem ? .system : .cares,
            servers: servers.compactMap { text($0, as: .nameServer).flatMap(ScalarValue.nameServer) }
        )
    }

    /// Where the ledger is kept (A-7b).
    func state(_ node: YAMLNode?) -> StateLocation {
        StateLocation(state: path(node)) { environment.variable($0) }
    }

    /// Where bodies are kept for a second answer (B-1).
    func spool(_ node: YAMLNode?) -> String { path(node) ?? environment.variable("TMPDIR") ?? "/tmp" }
}
