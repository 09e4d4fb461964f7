internal import Authentication
internal import Rules

extension RuleFileReader {
    /// Reads what a rule and a proxy's `use` both say; nil where it makes no sense, which is told.
    mutating func readTerms(_ node: YAMLNode, methods: YAMLNode?, credentials: [Credential]) -> AnswerTerms? {
        var terms = AnswerTerms()
        terms.methods = self.methods(methods)
        terms.maxFailures = integer(node["max_failures"], 1...1000) ?? 1
        if let withhold = node["withhold"], let text = text(withhold, as: .withholding), text != "until-changed" {
            terms.withholdFor = ScalarValue.duration(text)
            warning(withhold, "after this time a wrong password is sent again, which may lock the account")
        }
        switch node["preempt"]?.text {
        case "always": terms.preempt = .always
        case "learned": terms.preempt = .learned
        case "never": terms.preempt = .never
        default: break
        }
        guard !credentials.isEmpty else { return terms }
        let kinds = credentials.reduce(MethodSet()) { $0.union(MethodSet($1.answers)) }
        let answered = terms.methods.map { kinds.intersection(MethodSet($0)) } ?? kinds
        if answered.isEmpty, let methods {
            // A word that is none was told.
            guard methods.elementsOrSelf.allSatisfy({ AuthenticationWords.methods.contains($0.text ?? "") }) else {
                return nil
            }
            let what = kinds.isEmpty ? "nothing: it adds fields" : words(kinds)
            error(methods, "'method' leaves nothing that the credential answers (\(what))")
            return nil
        }
        let fields: MethodSet = credentials.contains(where: \.isHeader) ? .header : []
        terms.cleartext = cleartext(node, answered.union(fields))
        checkPreempt(node, terms, credentials)
        return terms
    }

    func words(_ methods: MethodSet) -> String { methods.words.joined(separator: ", ") }

    private mutating func cleartext(_ node: YAMLNode, _ sent: MethodSet) -> MethodSet {
        guard let written = node["cleartext"], !written.isFaulty else { return [] }
        if let all = boolean(written) {
            if all, sent.isDisjoint(with: .exposing) {
                warning(written, "'cleartext' changes nothing: \(words(sent)) may go without TLS anyway")
            }
            let cleartext = all ? sent.intersection(.exposing) : []
            warnOfExposed(cleartext, written)
            return cleartext
        }
        guard let elements = written.elements else { return [] }
        let named = elements.reduce(MethodSet()) { methods, node in
            if node.text == "header" { return methods.union(.header) }
            return methods.union(MethodSet([node.text.flatMap(AuthenticationMethod.init(word:))].compactMap(\.self)))
        }
        let isKnown = elements.allSatisfy { AuthenticationWords.cleartext.contains($0.text ?? "") }
        if isKnown, !elements.isEmpty, named.isDisjoint(with: sent) {
            let isHeader = sent == .header
            error(
                written,
                "'cleartext' names nothing that is \(isHeader ? "sent" : "answered") here (\(words(sent)))"
            )
        }
        warnOfExposed(named.intersection(sent), written)
        return named.intersection(sent)
    }

    /// What anyone on the way can take as it is; of ntlm only the password's strength is at stake.
    private mutating func warnOfExposed(_ cleartext: MethodSet, _ node: YAMLNode) {
        let exposed = [
            (MethodSet([AuthenticationMethod.basic]), "password"), (MethodSet([.bearer]), "token"), (.header, "secret"),
        ]
        for (method, what) in exposed where cleartext.isSuperset(of: method) {
            warning(node, "\(words(method)) in cleartext: whoever is on the way can read the \(what)")
        }
    }

    private mutating func checkPreempt(_ node: YAMLNode, _ terms: AnswerTerms, _ credentials: [Credential]) {
        guard terms.preempt == .always, let written = node["preempt"] else { return }
        let canSend = credentials.contains {
            $0.isHeader || $0.methodWithoutChallenge(among: terms.methods) != nil
        }
        guard !canSend else { return }
        let answersBearer = credentials.contains { $0.answers.contains(.bearer) }
        let method = answersBearer ? "bearer" : "basic"
        error(
            written,
            "'preempt: always' sends without a challenge, which only \(method) can here: write 'method: [\(method), …]' "
                + "with \(method) first"
        )
    }

    /// What can be said of a credential only together with the rule that uses it.
    mutating func check(
        _ credential: Credential,
        _ space: ProtectionSpacePattern,
        _ terms: AnswerTerms,
        _ node: YAMLNode
    ) {
        if credential.isHeader { return refuseBesideHeader(credential, space, node) }
        if terms.preempt == .always, space.realm != .any, let realm = node["space"]?.entry("realm")?.key {
            error(realm, "'realm' is known from a challenge only: it can't stand beside 'preempt: always'")
        }
        refuseColon(credential, methods: terms.methods)
        let methods = terms.methods.map { MethodSet($0) } ?? .all
        let answersDigest = credential.answers.contains(.digest) && methods.contains(.digest)
        if let verify = node.entry("verify_server"), boolean(verify.value) == true, !answersDigest {
            warning(verify.key, "'verify_server' is about digest, which this rule doesn't answer")
        }
    }

    /// What a rule whose credential adds fields can't say: they answer no challenge (A-16).
    private mutating func refuseBesideHeader(
        _ credential: Credential,
        _ space: ProtectionSpacePattern,
        _ node: YAMLNode
    ) {
        let keys =
            [node["space"]?.entry("realm")]
            + ["preempt", "max_failures", "withhold", "charset", "verify_server"].map { node.entry($0) }
        for entry in keys {
            guard let key = entry?.key else { continue }
            if key.text == "preempt", entry?.value.text == "always" { continue }
            error(
                key,
                "'\(key.text ?? "")' can't stand here: '\(credential.name)' adds fields to each request and answers no challenge"
            )
        }
        refuseForeignField(credential, isProxy: space.isProxy, node["use"] ?? node)
    }

    /// A field for the parent in an origin's space, or the other way round.
    mutating func refuseForeignField(_ credential: Credential, isProxy: Bool, _ node: YAMLNode) {
        let foreign = isProxy ? "Authorization" : "Proxy-Authorization"
        guard credential.fieldNames.contains(foreign.lowercased()) else { return }
        let whose = isProxy ? "an origin's, and this space is a proxy's" : "a proxy's, and this space is an origin's"
        error(node, "'\(credential.name)' sets \(foreign), which is \(whose)")
    }

    /// A user-id with a colon where basic could carry it [RFC 7617 s.2].
    mutating func refuseColon(_ credential: Credential, methods: [AuthenticationMethod]?) {
        guard case .password = credential.kind, !credential.canAnswerBasic, methods?.contains(.basic) ?? true else {
            return
        }
        guard let node = credentials[credential.name]?.username else { return }
        error(
            node,
            "a username with a colon can't go by basic: write 'method: [digest]' where it is used, or take the colon out"
        )
    }
}
