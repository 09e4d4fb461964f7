internal import Authentication
internal import Bytes
internal import HTTP
internal import Rules

/// A rule with the places of what it says.
struct RuleEntry {
    let node: YAMLNode
    let space: YAMLNode
    let hosts: [(pattern: HostPattern, mark: Mark)]
    let rule: Rule
}

extension AuthenticationMethod {
    /// The method of a word of the rule file.
    init?(word: String) {
        switch word {
        case "basic": self = .basic
        case "digest": self = .digest
        case "ntlm": self = .ntlm
        case "negotiate": self = .negotiate
        case "bearer": self = .bearer
        case "client-certificate": self = .clientCertificate
        default: return nil
        }
    }

    /// Its word in the rule file.
    var word: String { AuthenticationWords.methods[Int(AuthenticationWords.index(of: self))] }
}

extension AuthenticationWords {
    static func index(of method: AuthenticationMethod) -> Int {
        methods.firstIndex { AuthenticationMethod(word: $0) == method } ?? 0
    }
}

/// What a rule and a proxy's `use` both say.
struct AnswerTerms {
    var methods: [AuthenticationMethod]?
    /// Nil: as is usual for the credential.
    var preempt: Preemption?
    var maxFailures = 1
    var withholdFor: Nanoseconds?
    var cleartext: MethodSet = []
}

extension RuleFileReader {
    mutating func readRules(_ node: YAMLNode?) {
        for node in node?.elements ?? [] where node.entries != nil { readRule(node) }
    }

    private mutating func readRule(_ node: YAMLNode) {
        let clients = clients(node["clients"])
        var space: ProtectionSpacePattern?
        var hosts: [(pattern: HostPattern, mark: Mark)] = []
        if let written = node["space"], written.entries != nil {
            hosts = hostPatterns(written["host"])
            space = readSpace(written, hosts: hosts.map(\.pattern))
        }
        guard let disposition = readDisposition(node) else { return }
        let credential: Credential? = if case .useCredential(let used) = disposition { used } else { nil }
        guard let space, let written = node["space"] else { return }
        if credential == nil { refuseWithoutUse(node) }
        if let credential, credential.isClientCertificate {
            refuseBesideCertificate(node, written)
        } else if let credential, !space.isProxy {
            refuseTooWide(hosts, credential)
        }
        guard let terms = readTerms(node, methods: written["method"], credentials: [credential].compactMap { $0 })
        else { return }
        if let credential, !credential.isClientCertificate { check(credential, space, terms, node) }
        let rule = Rule(
            index: rules.count,
            name: "rules[\(rules.count)]",
            place: place(node),
            space: space,
            disposition: disposition,
            clients: clients,
            preempt: terms.preempt ?? credential?.usualPreemption(namesRealm: space.realm != .any) ?? .learned,
            maxFailures: terms.maxFailures,
            withholdFor: terms.withholdFor,
            cleartext: terms.cleartext,
            allowsCrossSite: boolean(node["cross_site"]) ?? false,
            clientCredential: clientCredential(node, isForHeader: credential?.isHeader == true),
            placeholder: text(node["placeholder"], as: .nonEmptyText).map { Array($0.utf8) },
            charset: node["charset"]?.text == "latin-1" ? .latin1 : .utf8,
            verifiesServer: boolean(node["verify_server"]) ?? false
        )
        rules.append(RuleEntry(node: node, space: written, hosts: hosts, rule: rule))
    }

    private func clientCredential(_ node: YAMLNode, isForHeader: Bool) -> ClientCredentialPolicy {
        switch node["client_credential"]?.text {
        case "keep": .keep
        case "replace": .replace
        case "refuse": .refuse
        default: isForHeader ? .replace : .keep
        }
    }

    private mutating func readSpace(_ node: YAMLNode, hosts: [HostPattern]) -> ProtectionSpacePattern? {
        // Nil where something in it can't be read: the rule would say something else than was meant.
        guard node["host"] != nil, !hosts.isEmpty || !readsSecrets || node["host"]?.elements?.isEmpty == true else {
            return nil
        }
        return ProtectionSpacePattern(
            hosts: hosts,
            port: portPattern(node["port"]),
            scheme: scheme(node["protocol"]),
            isProxy: boolean(node["proxy"]) ?? false,
            realm: realm(node["realm"]),
            methods: methods(node["method"]),
            path: text(node["path"], as: .pathPrefix).flatMap { try? PathPattern($0) }
        )
    }

    func portPattern(_ node: YAMLNode?) -> PortPattern {
        guard let text = text(node, as: .portOrAny) else { return .protocolDefault }
        return ScalarValue.port(text).map(PortPattern.number) ?? .any
    }

    func scheme(_ node: YAMLNode?) -> Scheme? {
        switch node?.text {
        case "http": .http
        case "https": .https
        default: nil
        }
    }

    private func realm(_ node: YAMLNode?) -> RealmPattern {
        guard let node, !node.isFaulty else { return .any }
        if node.entries != nil {
            return text(node["prefix"], as: .nonEmptyText).map { .prefix(Array($0.utf8)) } ?? .any
        }
        let realms = node.elementsOrSelf.compactMap { $0.isEmptyPlain ? nil : text($0, as: .text) }
        return realms.isEmpty ? .any : .oneOf(realms.map { Array($0.utf8) })
    }

    func methods(_ node: YAMLNode?) -> [AuthenticationMethod]? {
        guard let node, !node.isFaulty, node.entries == nil else { return nil }
        return node.elementsOrSelf.compactMap { $0.text.flatMap(AuthenticationMethod.init(word:)) }
    }

    /// What becomes of a challenge by this rule; nil where that can't be told.
    private mutating func readDisposition(_ node: YAMLNode) -> Disposition? {
        if let use = node.entry("use"), let disposition = node.entry("disposition") {
            let later = max(use.key.start, disposition.key.start)
            collector.error(later, "a rule has 'use' or 'disposition', not both")
            return nil
        }
        switch node["disposition"]?.text {
        case "default": return .performDefaultHandling
        case "reject": return .rejectProtectionSpace
        case "cancel": return .cancelAuthenticationChallenge
        default: break
        }
        guard let use = node["use"] else {
            let isMisspelt = hasUnknownKey(node, Schema.rule)
            if node["disposition"] == nil, !isMisspelt {
                error(node, "a rule needs 'use' (a credential's name) or 'disposition'")
            }
            return nil
        }
        guard let name = text(use, as: .reference) else { return nil }
        return credential(named: name, at: use).map(Disposition.useCredential)
    }

    /// The credential of a name; tells a name that none has. Nil also where it can't be made, which was told elsewhere.
    mutating func credential(named name: String, at node: YAMLNode) -> Credential? {
        guard let entry = credentials[name] else {
            let meant = Suggestion.nearest(to: name, in: credentialNames).map { "did you mean '\($0)'?" }
            let advice =
                meant
                ?? (credentialNames.isEmpty
                    ? "'credentials' holds none" : "there are \(credentialNames.prefix(10).joined(separator: ", "))")
            error(node, "no credential has the name \(Quoting.quoted(name)); \(advice)")
            return nil
        }
        credentials[name]?.isUsed = true
        return entry.credential
    }

    /// Keys that say something about an answer, in a rule that gives none.
    private mutating func refuseWithoutUse(_ node: YAMLNode) {
        let keys = [
            "preempt", "max_failures", "withhold", "cleartext", "cross_site", "placeholder", "charset", "verify_server",
        ]
        for key in keys {
            if let entry = node.entry(key) {
                error(entry.key, "'\(key)' says nothing beside 'disposition': it belongs to 'use'")
            }
        }
        if let entry = node.entry("client_credential"), node["disposition"]?.text != "default" {
            error(entry.key, "'client_credential' may stand beside 'use' or 'disposition: default'")
        }
    }

    private mutating func refuseTooWide(
        _ hosts: [(pattern: HostPattern, mark: Mark)],
        _ credential: Credential
    ) {
        guard !credential.choosesByHost else { return }
        let answers = credential.answers
        let what =
            credential.isHeader
            ? "fields" : answers == [.bearer] ? "token" : answers == [.negotiate] ? "ticket" : "password"
        for (pattern, mark) in hosts {
            let isEverything: Bool =
                if case .network(let network) = pattern.form { network.prefixLength == 0 } else { false }
            guard pattern.isTooWideForSecret || isEverything else { continue }
            collector.error(
                mark,
                "any server that asks would get the \(what) of \(Quoting.quoted(credential.name)): name the hosts it is for"
            )
        }
    }
}
