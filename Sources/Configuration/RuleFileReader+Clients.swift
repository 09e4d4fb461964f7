internal import Authentication
internal import Bytes
internal import Rules

extension RuleFileReader {
    /// Who is meant by a `clients` list; nil where none is written.
    mutating func clients(_ node: YAMLNode?) -> [ClientPattern]? {
        guard let node, !node.isFaulty, !node.isEmptyPlain, node.entries == nil else { return nil }
        let nodes = node.elementsOrSelf
        if nodes.isEmpty { warning(node, "an empty list of clients admits nobody") }
        return nodes.compactMap { node in
            guard let text = text(node, as: .client), let client = client(text, node) else { return nil }
            if case .listener(let name) = client { checkListener(name, node) }
            if case .login = client { logins.append(node) }
            return client
        }
    }

    private mutating func client(_ text: String, _ node: YAMLNode) -> ClientPattern? {
        do throws(ClientPatternError) {
            return try ClientPattern(text, accounts: accounts)
        } catch {
            // Who has an account lies outside the rule file.
            if readsSecrets { self.error(node, error.message) }
            return nil
        }
    }

    private mutating func checkListener(_ name: String, _ node: YAMLNode) {
        guard !listenerNames.contains(name) else { return }
        let advice = Suggestion.nearest(to: name, in: listenerNames).map { "; did you mean '\($0)'?" } ?? ""
        error(node, "no listener has the name \(Quoting.quoted(name))\(advice)")
    }

    // MARK: access

    mutating func readAccess(_ node: YAMLNode?) {
        let destinations = node?["destinations"]
        let deny = destinations?["deny"].map { readDestinations($0, warnsOfOneLabel: true) } ?? []
        access = AccessConfiguration(
            clients: clients(node?["clients"]),
            require: readRequire(node?["require"]) ?? LoginRequirement.none,
            destinations: DestinationRules(allow: destinations?["allow"].map { readDestinations($0) }, deny: deny),
            connectPorts: ports(node?["ports"]?["connect"]),
            plainPorts: ports(node?["ports"]?["plain"])
        )
    }

    /// Nil for any.
    private mutating func ports(_ node: YAMLNode?) -> Set<UInt16>? {
        guard let node, !node.isFaulty, node.entries == nil else { return nil }
        let nodes = node.elementsOrSelf
        if nodes.contains(where: { $0.text == "any" }) { return nil }
        if nodes.isEmpty { warning(node, "an empty list of ports lets nothing through") }
        return Set(nodes.compactMap { text($0, as: .port).flatMap(ScalarValue.port) })
    }

    // MARK: destinations

    private mutating func readDestinations(
        _ node: YAMLNode,
        warnsOfOneLabel: Bool = false
    ) -> [DestinationRules.Entry] {
        if node.elements?.isEmpty == true { warning(node, "an empty list of destinations matches nothing") }
        var entries: [DestinationRules.Entry] = []
        for node in node.elementsOrSelf where !node.isFaulty {
            let hosts = destinationHosts(node)
            if warnsOfOneLabel { warnOfOneLabel(hosts, key: "deny") }
            entries += self.entries(hosts, node)
        }
        return entries
    }

    /// The hosts of an entry; any where it only says something else.
    private mutating func destinationHosts(_ node: YAMLNode) -> [(pattern: HostPattern, mark: Mark)] {
        if let file = node.entry("file")?.key, node.entries?.count ?? 0 > 1 {
            error(file, "beside other keys a file of hosts stands under 'host': { host: { file: PATH } }")
            return []
        }
        if node.entries == nil || node["file"] != nil { return hostPatterns(node) }
        guard node["host"] != nil else {
            if !["port", "protocol", "path"].contains(where: { node[$0] != nil }) {
                if !hasUnknownKey(node, Schema.destination) {
                    error(node, "a destination needs 'host', 'port', 'protocol' or 'path'")
                }
                return []
            }
            return [(HostPattern(form: .any), node.start)]
        }
        return hostPatterns(node["host"])
    }

    private func entries(_ hosts: [(pattern: HostPattern, mark: Mark)], _ node: YAMLNode) -> [DestinationRules.Entry] {
        hosts.map { pattern, mark in
            DestinationRules.Entry(
                host: pattern,
                port: node["port"].map { portPattern($0) } ?? .any,
                scheme: scheme(node["protocol"]),
                path: text(node["path"], as: .pathPrefix).flatMap { try? PathPattern($0) },
                place: SourcePlace(file: collector.sources[mark.file].name, line: mark.line + 1)
            )
        }
    }
}
