internal import Authentication
internal import Bytes
internal import HTTP
internal import Rules

/// A proxy as the file has it.
struct ProxyEntry {
    let key: YAMLNode
    let node: YAMLNode
    /// Nil where it can't be made, or where its kind isn't built yet; that was told.
    let parent: ParentProxy?
    var isUsed = false
}

/// A route with the places of what it says.
struct RouteEntry {
    let node: YAMLNode
    let hosts: [(pattern: HostPattern, mark: Mark)]
    let route: RoutePattern
}

extension RuleFileReader {
    mutating func readProxies(_ node: YAMLNode?) {
        for entry in node?.entries ?? [] {
            guard let name = entry.key.text, !entry.key.isFaulty, proxies[name] == nil else { continue }
            if name == "direct" { error(entry.key, "'direct' is what a route says for no proxy: give it another name") }
            proxyNames.append(name)
            let parent = entry.value.entries == nil ? nil : readProxy(name, entry.value)
            proxies[name] = ProxyEntry(key: entry.key, node: entry.value, parent: parent)
        }
    }

    private mutating func readProxy(_ name: String, _ node: YAMLNode) -> ParentProxy? {
        let used = (node["use"]?.elementsOrSelf ?? []).compactMap { node -> Credential? in
            guard node.entries == nil, let name = text(node, as: .reference) else { return nil }
            return credential(named: name, at: node)
        }
        if node["use"] == nil {
            for key in ["method", "cleartext", "preempt", "max_failures", "withhold"] {
                if let entry = node.entry(key) { error(entry.key, "'\(key)' says nothing without 'use'") }
            }
        }
        let terms = readTerms(node, methods: node["method"], credentials: used)
        for credential in used {
            refuseColon(credential, methods: terms?.methods ?? methods(node["method"]))
            refuseForeignField(credential, isProxy: true, node["use"] ?? node)
        }
        guard let terms, let text = text(node["url"], as: .proxyURL), case .success(let url) = ProxyURL.read(text)
        else {
            return nil
        }
        return ParentProxy(
            name: name,
            place: place(node),
            origin: Origin(scheme: url.scheme, host: url.host, port: url.port),
            credentials: used,
            methods: terms.methods,
            cleartext: terms.cleartext,
            preempt: terms.preempt,
            maxFailures: terms.maxFailures,
            withholdFor: terms.withholdFor
        )
    }

    mutating func readRoutes(_ node: YAMLNode?) {
        for node in node?.elements ?? [] where node.entries != nil { readRoute(node) }
    }

    private mutating func readRoute(_ node: YAMLNode) {
        let hosts = node["host"].map { hostPatterns($0) }
        let via = readVia(node["via"])
        let to = readDestination(node["to"])
        guard let via, node["host"] == nil || hosts?.isEmpty == false || !readsSecrets else { return }
        let route = RoutePattern(
            hosts: hosts?.map(\.pattern),
            port: node["port"].map { portPattern($0) } ?? .any,
            scheme: scheme(node["protocol"]),
            route: Route(
                via: [via],
                to: to,
                upgrade: readUpgrade(node["upgrade"]),
                index: routes.count,
                place: place(node)
            )
        )
        routes.append(RouteEntry(node: node, hosts: hosts ?? [], route: route))
    }

    /// The port of `https` or `https:PORT`.
    private mutating func readUpgrade(_ node: YAMLNode?) -> UInt16? {
        guard let node, let text = text(node, as: .upgrade) else { return nil }
        guard let colon = text.firstIndex(of: ":") else { return 443 }
        return UInt16(text[text.index(after: colon)...])
    }

    /// The next hop; nil where it can't be told.
    private mutating func readVia(_ node: YAMLNode?) -> NextHop? {
        guard let node else { return .direct }
        guard !node.isFaulty, node.entries == nil else { return nil }
        let elements = node.elementsOrSelf
        let hops = elements.map { readHop($0) }
        if elements.isEmpty { error(node, "'via' names no way: write direct or a proxy's name") }
        if elements.count > 1 {
            error(node, "'via' with more than one way (fail-over) is not built yet")
            return nil
        }
        return hops.first ?? nil
    }

    private mutating func readHop(_ node: YAMLNode) -> NextHop? {
        guard let text = text(node, as: .routeVia) else { return nil }
        if text == "direct" { return .direct }
        guard let entry = proxies[text] else {
            error(node, unknownProxyMessage(text))
            return nil
        }
        proxies[text]?.isUsed = true
        return entry.parent.map(NextHop.parent)
    }

    private func unknownProxyMessage(_ text: String) -> String {
        if text.contains("://") {
            return "'via' takes 'direct' or a name: describe the proxy under 'proxies' and name it here"
        }
        if ["none", "no", "false", "off"].contains(text.lowercased()) {
            return "no proxy has the name \(Quoting.quoted(text)); did you mean 'direct'?"
        }
        let meant = Suggestion.nearest(to: text, in: proxyNames + ["direct"]).map { "did you mean '\($0)'?" }
        let names = (["direct"] + proxyNames.prefix(10)).joined(separator: ", ")
        return "no proxy has the name \(Quoting.quoted(text)); \(meant ?? "there are \(names)")"
    }

    private mutating func readDestination(_ node: YAMLNode?) -> Route.Destination? {
        guard let node, node.entries != nil else { return nil }
        let address = text(node["address"], as: .ipAddress).flatMap { IPAddress($0) }
        let port = text(node["port"], as: .port).flatMap(ScalarValue.port)
        if node["address"] == nil, node["port"] == nil { error(node, "'to' needs 'address', 'port' or both") }
        return address == nil && port == nil ? nil : Route.Destination(address: address, port: port)
    }
}
