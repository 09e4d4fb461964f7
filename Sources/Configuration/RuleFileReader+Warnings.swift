internal import Authentication
internal import Bytes
internal import HTTP
internal import Rules

extension RuleFileReader {
    /// Tells what is legal but unsafe or useless.
    mutating func warn(_ root: YAMLNode, state: StateLocation, spool: String) {
        warnOfUnreachableListeners()
        refuseLoginForParents()
        warnOfWhatNeverActs(root)
        warnOfTrust(opensOtherwise: opensOtherwise(root))
        warnOfParents()
        // Where something can't be read, what it would have used is not known.
        if !collector.hasErrors { warnOfUnused(root) }
        let used = rules.compactMap(\.rule.credential) + proxies.values.flatMap { $0.parent?.credentials ?? [] }
        // Neither certificates nor fields are ever in the ledger.
        let usesPassword = used.contains { !$0.isClientCertificate && !$0.isHeader }
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
        let isComplete = !(root["routes"]?.elements ?? []).contains { $0["pac"] != nil }
        for name in proxyNames where isComplete {
            guard let entry = proxies[name], entry.parent != nil, !entry.isUsed else { continue }
            collector.warning(entry.key.start, "no route goes by the proxy \(Quoting.quoted(name))")
        }
        // `state` has its use without challenges, too: the control socket is made there.
        if credentialNames.isEmpty, rules.isEmpty, let entry = root.entry("spool") {
            collector.warning(entry.key.start, "nothing uses 'spool' where no challenge is answered")
        }
    }

    // MARK: never acting

    private mutating func warnOfWhatNeverActs(_ root: YAMLNode) {
        let opensOtherwise = opensOtherwise(root)
        let parents = parents
        // What a PAC file and the environment of the running proxy name isn't known here.
        let namesOthers = (root["routes"]?.elements ?? []).contains { $0["pac"] != nil || $0["environment"] != nil }
        let hasAllParents = !namesOthers && proxyNames.allSatisfy { proxies[$0]?.parent != nil }
        let everything = NeverActing.find(
            rules: rules.map(\.rule),
            routes: routes.map(\.route),
            parents: parents,
            interception: interception,
            fixed: fixedOrigins
        )
        for found in everything {
            switch found.reason {
            case .tunnelled where opensOtherwise || saysHTTP(found): continue
            case .heldBack where opensOtherwise: continue
            case .noParent where !hasAllParents: continue
            case .parentPort where !hasAllParents: continue
            default: warning(node(of: found), found.message)
            }
        }
    }

    /// Whether requests to https hosts may be seen in a way that isn't known here: through a listener, by an authority or
    /// by a route that can't be read.
    private func opensOtherwise(_ root: YAMLNode) -> Bool {
        let written = root["routes"]?.elements ?? []
        let modes = (root["listeners"]?.elements ?? []).compactMap { $0["mode"]?.text }
        return modes.contains { Schema.listenerMode.problem($0, isPlain: true) != nil }
            || modes.count { $0 == "fixed" } != fixedOrigins.count
            || interception == nil && root["interception"]?["authority"] != nil
            || written.count != routes.count && written.contains { $0["upgrade"] != nil }
    }

    /// Whether it is a rule about http, which is an error where it gives a client certificate.
    private func saysHTTP(_ found: NeverActing) -> Bool {
        guard case .rule(let place) = found.subject else { return false }
        return rules[place].rule.space.scheme == .http
    }

    private func node(of found: NeverActing) -> YAMLNode {
        switch found.subject {
        case .route(let place): return routes[place].node
        case .rule(let place):
            let entry = rules[place]
            switch found.reason {
            case .hidden: return entry.node
            case .tunnelled, .upgraded: return entry.space["protocol"] ?? entry.space
            case .heldBack: return entry.space["method"] ?? entry.node
            case .noParent: return entry.space.entry("proxy")?.key ?? entry.space
            case .parentPort: return entry.space["port"] ?? entry.space
            }
        }
    }

    // MARK: parents

    private mutating func warnOfParents() {
        let parents = proxyNames.compactMap { proxies[$0]?.parent }
        for entry in rules where !entry.rule.space.isProxy {
            warnOfMissingProxyKey(entry, parents)
        }
        for name in proxyNames {
            guard let entry = proxies[name], let parent = entry.parent, !parent.credentials.isEmpty else { continue }
            warnOfCleartext(parent, entry.node)
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
        guard !parent.isReachedSecurely, parent.via != nil || parent.origin.host != "localhost" else { return }
        let kinds = parent.credentials.reduce(MethodSet()) { $0.union(MethodSet($1.answers)) }
        let isSOCKS = parent.kind == .socks5
        let answered = isSOCKS ? MethodSet([.basic]) : parent.methods.map { kinds.intersection(MethodSet($0)) } ?? kinds
        let heldBack = answered.intersection(.exposing).subtracting(parent.cleartext)
        let place = node["url"] ?? node
        if !parent.cleartext.isSuperset(of: .header), let fields = parent.credentials.first(where: \.isHeader) {
            let name = Quoting.quoted(fields.name)
            warning(place, "the way to it isn't TLS: the fields of \(name) aren't sent without 'cleartext: [header]'")
        }
        guard !heldBack.isEmpty else { return }
        let list = heldBack.words.joined(separator: ", ")
        if heldBack == answered {
            let needs = heldBack.words.count == 1 ? "needs" : "need"
            let what = isSOCKS ? "its login is never sent" : "its 407 is never answered"
            warning(place, "\(what): the way to it isn't TLS, so \(list) \(needs) 'cleartext: [\(list)]'")
        } else if parent.methods == nil, node["cleartext"] == nil {
            warning(
                place,
                "the way to it isn't TLS: a demand for \(heldBack.words.joinedAsChoice) isn't answered. "
                    + "Write 'cleartext' with what may go that way, or 'method: [digest]' if it demands digest"
            )
        }
    }
}
