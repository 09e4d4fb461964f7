internal import Bytes
internal import Rules

extension RuleFileReader {
    mutating func readListeners(_ node: YAMLNode?) {
        if let node, node.elements?.isEmpty == true { error(node, "without a listener nobody can reach the proxy") }
        var addresses: [(address: ListenerConfiguration.Address, mark: Mark)] = []
        for node in node?.elements ?? [] where node.entries != nil {
            guard let written = node["address"], let text = text(written, as: .listenerAddress),
                case .success(let read) = ListenerAddress.read(text)
            else { continue }
            let address = ListenerConfiguration.Address.tcp(read.address, read.port)
            if read.port != 0, let twin = addresses.first(where: { $0.address == address }) {
                error(written, "another listener has this address, in line \(twin.mark.line + 1)")
            }
            addresses.append((address, written.start))
            listeners.append(readListener(node, address))
        }
        if node == nil {
            listeners = [ListenerConfiguration(address: .tcp(.loopbackV4, 3128), name: nil, clients: nil)]
        }
    }

    private mutating func readListener(
        _ node: YAMLNode,
        _ address: ListenerConfiguration.Address
    ) -> ListenerConfiguration {
        let name = text(node["name"], as: .nonEmptyText)
        if let name, let written = node["name"], listeners.contains(where: { $0.name == name }) {
            error(written, "another listener has this name")
        }
        return ListenerConfiguration(address: address, name: name, clients: clients(node["clients"]))
    }

    /// A listener that the network reaches while only this machine may use it.
    mutating func warnOfUnreachableListeners(_ node: YAMLNode?) {
        guard accessClients == nil else { return }
        for node in node?.elements ?? [] where node.entries != nil && node["clients"] == nil {
            guard let written = node["address"], let text = text(written, as: .listenerAddress),
                case .success(let read) = ListenerAddress.read(text), !read.address.isLoopback
            else { continue }
            warning(
                written,
                "only this machine may use the proxy unless 'clients' says who else: access: { clients: [10.0.0.0/8] }"
            )
        }
    }

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

    /// Where the ledger is kept (A-7b).
    func state(_ node: YAMLNode?) -> StateLocation {
        StateLocation(state: path(node)) { environment.variable($0) }
    }

    /// Where bodies are kept for a second answer (B-1).
    func spool(_ node: YAMLNode?) -> String { path(node) ?? environment.variable("TMPDIR") ?? "/tmp" }
}
