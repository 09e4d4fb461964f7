internal import Authentication
internal import Bytes
internal import HTTP
internal import Rules

/// A route with the places of what it says.
struct RouteEntry {
    let node: YAMLNode
    let hosts: [(pattern: HostPattern, mark: Mark)]
    let route: RoutePattern
}

extension RuleFileReader {
    /// More than that no request would try.
    private static let mostHops = 32

    mutating func readRoutes(_ node: YAMLNode?) {
        for node in node?.elements ?? [] where node.entries != nil { readRoute(node) }
    }

    private mutating func readRoute(_ node: YAMLNode) {
        let hosts = node["host"].map { hostPatterns($0) }
        let choice = readChoice(node)
        let to = readDestination(node["to"])
        if let choice, to != nil, !choice.mightGoDirect, let key = node.entry("to")?.key {
            warning(key, "'to' says where this proxy connects itself: another proxy looks the host up on its own")
        }
        guard let choice, node["host"] == nil || hosts?.isEmpty == false || !readsSecrets else { return }
        let route = RoutePattern(
            hosts: hosts?.map(\.pattern),
            port: node["port"].map { portPattern($0) } ?? .any,
            scheme: scheme(node["protocol"]),
            route: Route(
                choice: choice,
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

    /// Where the hops are found; nil where that can't be told.
    private mutating func readChoice(_ node: YAMLNode) -> RouteChoice? {
        let asksEnvironment = boolean(node["environment"]) == true
        if asksEnvironment, let other = node.entry("pac") ?? node.entry("via") {
            error(other.key, "'environment' says how to go itself: '\(other.key.text ?? "")' can't stand beside it")
        }
        let via = readVia(node["via"])
        if asksEnvironment { return .environment(readEnvironment(node)) }
        guard let written = node["pac"] else { return via.map(RouteChoice.listed) }
        guard let pac = readPAC(written), let via else { return nil }
        return .pac(pac, instead: via)
    }

    /// The hops in the order of fail-over; nil where one can't be told.
    private mutating func readVia(_ node: YAMLNode?) -> [NextHop]? {
        guard let node else { return [.direct] }
        guard !node.isFaulty, node.entries == nil else { return nil }
        let elements = node.elementsOrSelf
        if elements.isEmpty {
            error(node, "'via' names no way: write direct or a proxy's name")
            return nil
        }
        if elements.count > Self.mostHops { error(node, "'via' has at most \(Self.mostHops) ways") }
        var hops: [NextHop] = []
        for element in elements {
            guard let hop = readHop(element) else { continue }
            if hops.contains(hop) {
                warning(element, "\(Quoting.quoted(element.text ?? "")) stands in this list already")
            } else {
                hops.append(hop)
            }
        }
        return hops.isEmpty ? nil : hops
    }

    private mutating func readPAC(_ node: YAMLNode) -> PACConfiguration? {
        guard node.entries != nil else { return nil }
        if let file = node["file"], let url = node.entry("url") {
            error(max(file.start, url.key.start) == file.start ? file : url.key, "a PAC is 'file' or 'url', not both")
            return nil
        }
        if node["file"] != nil, let refresh = node.entry("refresh") {
            error(refresh.key, "'refresh' belongs to 'url': a file is read again when it changes")
        }
        if let file = node["file"] {
            guard let path = path(file) else { return nil }
            watch(path)
            if readsSecrets { warnOfMissingPAC(path, file) }
            return PACConfiguration(.file(path))
        }
        if let url = node["url"] {
            let refresh = duration(node["refresh"]) ?? Nanoseconds.seconds(3600)
            return text(url, as: .url).map { PACConfiguration(.url($0, refresh: refresh)) }
        }
        if !hasUnknownKey(node, Schema.pac) { error(node, "'pac' needs 'file' or 'url'") }
        return nil
    }

    private mutating func warnOfMissingPAC(_ path: String, _ node: YAMLNode) {
        do throws(FileError) {
            _ = try files.contents(of: path, limit: YAMLLimits.size)
        } catch {
            warning(node, "the PAC file can't be read, so 'via' decides until it can: \(error.message)")
        }
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

    func unknownProxyMessage(_ text: String) -> String {
        if text.contains("://") {
            return "'via' takes 'direct' or a name: describe the proxy under 'proxies' and name it here"
        }
        if ["none", "no", "false", "off"].contains(text.lowercased()) {
            return "no proxy has the name \(Quoting.quoted(text)); did you mean 'direct'?"
        }
        let meant = Suggestion.nearest(to: text, in: proxyNames + ["direct"]).map { "did you mean '\($0)'?" }
        let names = (["direct"] + proxyNames.prefix(10).map(Quoting.withoutLogin)).joined(separator: ", ")
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

extension RouteChoice {
    /// Whether some request may be connected to its host by this proxy itself.
    fileprivate var mightGoDirect: Bool {
        if case .listed(let hops) = self { hops.contains(.direct) } else { true }
    }
}
