internal import Authentication
internal import Bytes
internal import HTTP
internal import Rules

extension RuleFileReader {
    /// Tells what is legal but unsafe or useless.
    mutating func warn(_ root: YAMLNode, state: StateLocation, spool: String) {
        warnOfUnreachableListeners(root["listeners"])
        warnOfHiddenRules()
        warnOfHiddenRoutes()
        warnOfRulesThatNeverAct(root)
        warnOfParents()
        // Where something can't be read, what it would have used is not known.
        if !collector.hasErrors { warnOfUnused(root) }
        let usesPassword =
            rules.contains { $0.rule.credential != nil }
            || proxies.values.contains { $0.parent?.credentials.isEmpty == false }
        let start = root.entry("version")?.key.start ?? root.start
        if state.folder == nil, usesPassword {
            collector.warning(
                start,
                "there is no folder for what is known of wrong passwords, so a restart forgets it: write 'state: PATH'"
            )
        }
        if readsSecrets, usesPassword, files.isInMemory(spool) {
            collector.warning(
                root.entry("spool")?.value.start ?? start,
                "'spool' (\(Quoting.quoted(spool))) is kept in memory (tmpfs), so large uploads take it: name a folder on a disk"
            )
        }
    }

    // MARK: unused

    private mutating func warnOfUnused(_ root: YAMLNode) {
        for name in credentialNames {
            guard let entry = credentials[name], entry.credential != nil, !entry.isUsed else { continue }
            collector.warning(entry.key.start, "nothing uses the credential \(Quoting.quoted(name))")
        }
        let isComplete = !(root["routes"]?.elements ?? []).contains { $0["pac"] != nil || $0["environment"] != nil }
        for name in proxyNames where isComplete {
            guard let entry = proxies[name], entry.parent != nil, !entry.isUsed else { continue }
            collector.warning(entry.key.start, "no route goes by the proxy \(Quoting.quoted(name))")
        }
        guard credentialNames.isEmpty, rules.isEmpty else { return }
        for key in ["state", "spool"] {
            if let entry = root.entry(key) {
                collector.warning(entry.key.start, "nothing uses '\(key)' where no challenge is answered")
            }
        }
    }

    // MARK: hidden

    private mutating func warnOfHiddenRules() {
        var earlier = HidingIndex()
        for (number, entry) in rules.enumerated() {
            let hidden = earlier.candidates(for: entry.hosts.map(\.pattern)).first { rules[$0].rule.hides(entry.rule) }
            if let hidden {
                let line = rules[hidden].node.start.line + 1
                warning(entry.node, "this rule never acts: the one in line \(line) matches all that it does")
            }
            earlier.insert(number, hosts: entry.hosts.map(\.pattern))
        }
    }

    private mutating func warnOfHiddenRoutes() {
        var earlier = HidingIndex()
        for (number, entry) in routes.enumerated() {
            let hosts = entry.route.hosts ?? [HostPattern(form: .any)]
            let hidden = earlier.candidates(for: hosts).first { routes[$0].route.hides(entry.route) }
            if let hidden {
                let line = routes[hidden].node.start.line + 1
                warning(entry.node, "this route is never taken: the one in line \(line) matches all that it does")
            }
            earlier.insert(number, hosts: hosts)
        }
    }

    // MARK: never acting

    private mutating func warnOfRulesThatNeverAct(_ root: YAMLNode) {
        let opensHTTPS =
            root["interception"] != nil || (root["routes"]?.elements ?? []).contains { $0["upgrade"] != nil }
            || (root["listeners"]?.elements ?? []).contains { $0["mode"] != nil && $0["mode"]?.text != "forward" }
        let reachesLoopback = routes.contains { $0.route.route.to?.address?.isLoopback ?? false }
        for entry in rules {
            guard !entry.rule.space.isProxy, let credential = entry.rule.credential else { continue }
            if entry.rule.space.scheme == .https, !opensHTTPS {
                let mark = entry.space.entry("protocol")?.value ?? entry.space
                warning(mark, "this rule never acts: an https host is tunnelled, the proxy sees none of its requests")
            } else if !opensHTTPS, entry.rule.needsTLS, !reachesLoopback,
                !entry.hosts.contains(where: { $0.pattern.mightBeLoopback })
            {
                warning(entry.space["method"] ?? entry.node, cleartextMessage(credential))
            }
        }
    }

    private func cleartextMessage(_ credential: Credential) -> String {
        "\(Quoting.quoted(credential.name)) is never sent here: basic goes over TLS only unless 'cleartext: [basic]' stands in the rule"
    }

    // MARK: parents

    private mutating func warnOfParents() {
        let parents = proxyNames.compactMap { proxies[$0]?.parent }
        for entry in rules {
            if entry.rule.space.isProxy {
                warnOfProxyRule(entry, parents)
            } else {
                warnOfMissingProxyKey(entry, parents)
            }
        }
        for name in proxyNames {
            guard let entry = proxies[name], let parent = entry.parent, !parent.credentials.isEmpty else { continue }
            warnOfCleartext(parent, entry.node)
        }
    }

    private mutating func warnOfProxyRule(_ entry: RuleEntry, _ parents: [ParentProxy]) {
        guard proxyNames.allSatisfy({ proxies[$0]?.parent != nil }) else { return }
        let named = parents.filter { parent in
            let address = IPAddress(parent.origin.host)
            return entry.hosts.contains { $0.pattern.matches(host: parent.origin.host, address: address) }
        }
        if named.isEmpty, let mark = entry.space.entry("proxy")?.key {
            warning(mark, "this rule never acts: no proxy under 'proxies' has this host")
        } else if case .number(let port) = entry.rule.space.port, !named.contains(where: { $0.origin.port == port }),
            let mark = entry.space["port"]
        {
            let ports = named.map { "\($0.origin.port)" }.joinedAsChoice
            warning(mark, "this rule never acts: the proxy's port is \(ports)")
        }
    }

    /// A rule for exactly a parent's host that doesn't say that it is about the parent.
    private mutating func warnOfMissingProxyKey(_ entry: RuleEntry, _ parents: [ParentProxy]) {
        for (pattern, mark) in entry.hosts {
            let parent = parents.first { parent in
                let address = IPAddress(parent.origin.host)
                let form = address.map { HostPattern.Form.address($0.unmapped) } ?? .exact(parent.origin.host)
                guard pattern.form == form, address?.isLoopback != true else { return false }
                switch entry.rule.space.port {
                case .number(let port): return port == parent.origin.port
                case .protocolDefault, .any: return true
                }
            }
            guard let parent else { continue }
            collector.warning(
                mark,
                "this is the host of the proxy \(Quoting.quoted(parent.name)): a rule for its 407 needs 'proxy: true' in the space"
            )
        }
    }

    private mutating func warnOfCleartext(_ parent: ParentProxy, _ node: YAMLNode) {
        let isLoopback = IPAddress(parent.origin.host)?.isLoopback ?? (parent.origin.host == "localhost")
        guard !isLoopback, !parent.cleartext.contains(.basic) else { return }
        let place = node["url"] ?? node
        if let methods = parent.methods, !methods.contains(.digest) {
            warning(
                place,
                "its 407 is never answered: the way to it isn't TLS, so basic needs 'cleartext: [basic]'"
            )
        } else if parent.methods == nil, node["cleartext"] == nil {
            warning(
                place,
                "the way to it isn't TLS: a demand for basic isn't answered. Write 'cleartext: [basic]' to allow it, "
                    + "or 'method: [digest]' if it demands digest"
            )
        }
    }
}
