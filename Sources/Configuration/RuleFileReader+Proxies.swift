internal import Authentication
internal import Bytes
internal import Crypto
internal import HTTP
internal import Rules

/// A proxy as the file has it.
struct ProxyEntry {
    let key: YAMLNode
    let node: YAMLNode
    /// Nil where it isn't made yet, or can't be; that was told.
    var parent: ParentProxy?
    var isRead = false
    var isUsed = false
}

extension RuleFileReader {
    /// How many proxies may stand between this one and an origin.
    private static let longestChain = 8

    /// Those that can be made, in the order of the file, and behind them those of the environment.
    var parents: [ParentProxy] {
        proxyNames.compactMap { proxies[$0]?.parent } + environmentParents
    }

    mutating func readProxies(_ node: YAMLNode?) {
        for entry in node?.entries ?? [] {
            guard let name = entry.key.text, !entry.key.isFaulty, proxies[name] == nil else { continue }
            if name == "direct" { error(entry.key, "'direct' is what a route says for no proxy: give it another name") }
            proxyNames.append(name)
            proxies[name] = ProxyEntry(key: entry.key, node: entry.value)
        }
        for name in proxyNames { _ = parent(name, after: []) }
    }

    /// The proxy of a name, made when it is first asked for, since another may be reached through it.
    ///
    /// `chain` are those that led to it, the nearest to the origin first.
    private mutating func parent(_ name: String, after chain: [String]) -> ParentProxy? {
        guard let entry = proxies[name], !entry.isRead else { return proxies[name]?.parent }
        proxies[name]?.isRead = true
        guard entry.node.entries != nil else { return nil }
        let made = readProxy(name, entry.node, after: chain)
        proxies[name]?.parent = made
        return made
    }

    private mutating func readProxy(_ name: String, _ node: YAMLNode, after chain: [String]) -> ParentProxy? {
        let used = (node["use"]?.elementsOrSelf ?? []).compactMap { node -> Credential? in
            guard node.entries == nil, let name = text(node, as: .reference) else { return nil }
            return credential(named: name, at: node)
        }
        if node["use"] == nil {
            for key in ["method", "cleartext", "preempt", "max_failures", "withhold"] {
                if let entry = node.entry(key) { error(entry.key, "'\(key)' says nothing without 'use'") }
            }
        }
        let url = text(node["url"], as: .proxyURL).flatMap { try? ProxyURL.read($0).get() }
        let terms = readTerms(node, methods: node["method"], credentials: used)
        if url?.kind == .socks5 {
            refuseBesideSOCKS(node, used, terms)
        } else {
            for credential in used {
                refuseColon(credential, methods: terms?.methods ?? methods(node["method"]))
                refuseForeignField(credential, isProxy: true, node["use"] ?? node)
            }
        }
        let before = readChain(node["via"], after: chain + [name])
        guard let terms, let url, node["via"] == nil || before != nil else { return nil }
        return ParentProxy(
            name: name,
            place: place(node),
            kind: url.kind,
            origin: Origin(scheme: url.scheme, host: url.host, port: url.port),
            via: before,
            credentials: used,
            methods: terms.methods,
            cleartext: terms.cleartext,
            preempt: terms.preempt,
            maxFailures: terms.maxFailures,
            withholdFor: terms.withholdFor
        )
    }

    /// The proxy through which one is reached; nil where there is none, or none that can be had, which is told.
    private mutating func readChain(_ node: YAMLNode?, after chain: [String]) -> ParentProxy? {
        guard let node, let name = text(node, as: .reference) else { return nil }
        if name == "direct" {
            error(node, "'via' of a proxy names another proxy: leave it out for one that is reached directly")
            return nil
        }
        guard proxies[name] != nil else {
            error(node, unknownProxyMessage(name))
            return nil
        }
        proxies[name]?.isUsed = true
        if let start = chain.firstIndex(of: name) {
            let loop = (chain[start...] + [name]).joined(separator: ", ")
            error(node, "this chain of proxies comes back to where it began: \(loop)")
            return nil
        }
        // Counted before it is followed, so that no file is too deep to be read.
        let parent = chain.count < Self.longestChain ? parent(name, after: chain) : nil
        let length = sequence(first: parent, next: { $0?.via }).prefix { $0 != nil }.count
        if chain.count >= Self.longestChain || length >= Self.longestChain {
            error(node, "a chain has at most \(Self.longestChain) proxies")
            return nil
        }
        return parent
    }

    /// What a SOCKS5 proxy can't be told: it asks for a username and a password, which go as basic's do [RFC 1929].
    private mutating func refuseBesideSOCKS(_ node: YAMLNode, _ used: [Credential], _ terms: AnswerTerms?) {
        let hasMethod = (terms?.methods).map { $0 != [.basic] } ?? false
        for key in (hasMethod ? ["method"] : []) + ["preempt"] {
            if let entry = node.entry(key), node["use"] != nil {
                error(entry.key, "'\(key)' is about challenges of HTTP: a SOCKS5 proxy asks for a login and no more")
            }
        }
        if let terms, !terms.cleartext.isEmpty, !terms.cleartext.isSuperset(of: MethodSet([.basic])),
            let key = node.entry("cleartext")?.key
        {
            error(key, "the login of a SOCKS5 proxy goes as basic's does: write 'cleartext: [basic]' to have it sent")
        }
        let places = (node["use"]?.elementsOrSelf ?? []).filter { $0.text != nil }
        for (credential, place) in zip(used, places) {
            let name = Quoting.quoted(credential.name)
            guard let length = credential.longestPart else {
                error(place, "a SOCKS5 proxy asks for a username and a password, which \(name) doesn't have")
                continue
            }
            if length > 255 {
                error(place, "username and password for a SOCKS5 proxy have at most 255 bytes each")
            } else if case .password = credential.kind, !credential.canAnswerBasic {
                error(place, "a username with a colon can't be sent to a SOCKS5 proxy")
            }
        }
    }
}

extension Credential {
    /// The bytes of its username or its password, whichever is longer; nil where it has no such pair.
    fileprivate var longestPart: Int? {
        switch kind {
        case .password(let username, _, let password): max(username.count, password.count)
        case .deferred(let deferred): deferred.answers.contains(.basic) ? 0 : nil
        case .ntHash, .digestHash, .kerberos, .token, .header, .clientCertificate: nil
        }
    }
}
