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
        case "never": terms.preempt = .never
        default: break
        }
        guard !credentials.isEmpty else { return terms }
        let kinds = credentials.reduce(MethodSet()) { $0.union(MethodSet($1.answers)) }
        let answered = terms.methods.map { kinds.intersection(MethodSet($0)) } ?? kinds
        if answered.isEmpty, let methods {
            let isBuilt = methods.elementsOrSelf.allSatisfy { AuthenticationWords.builtMethods.contains($0.text ?? "") }
            if isBuilt { error(methods, "'method' leaves nothing that the credential answers (\(words(kinds)))") }
            return nil
        }
        terms.cleartext = cleartext(node, answered)
        checkPreempt(node, terms, answered)
        return terms
    }

    func words(_ methods: MethodSet) -> String {
        AuthenticationWords.methods
            .filter { word in AuthenticationMethod(word: word).map { methods.contains($0) } ?? false }
            .joined(separator: ", ")
    }

    private mutating func cleartext(_ node: YAMLNode, _ answered: MethodSet) -> MethodSet {
        guard let written = node["cleartext"], !written.isFaulty else { return [] }
        if let all = boolean(written) {
            if all, answered.isDisjoint(with: .exposing) {
                warning(written, "'cleartext' changes nothing: \(words(answered)) may go without TLS anyway")
            }
            let cleartext = all ? answered.intersection(.exposing) : []
            warnOfBasic(cleartext, written)
            return cleartext
        }
        guard let elements = written.elements else { return [] }
        let named = MethodSet(elements.compactMap { $0.text.flatMap(AuthenticationMethod.init(word:)) })
        let isBuilt = elements.allSatisfy { AuthenticationWords.builtCleartext.contains($0.text ?? "") }
        if isBuilt, !elements.isEmpty, named.isDisjoint(with: answered) {
            error(written, "'cleartext' names nothing that is answered here (\(words(answered)))")
        }
        warnOfBasic(named.intersection(answered), written)
        return named.intersection(answered)
    }

    private mutating func warnOfBasic(_ cleartext: MethodSet, _ node: YAMLNode) {
        guard cleartext.contains(.basic) else { return }
        warning(node, "basic in cleartext: whoever is on the way can read the password")
    }

    private mutating func checkPreempt(_ node: YAMLNode, _ terms: AnswerTerms, _ answered: MethodSet) {
        guard terms.preempt == .always, let written = node["preempt"] else { return }
        if let first = terms.methods?.first, first == .basic || first == .bearer, answered.contains(first) { return }
        error(
            written,
            "'preempt: always' sends without a challenge, which only basic can here: write 'method: [basic, …]' with basic first"
        )
    }

    /// What can be said of a credential only together with the rule that uses it.
    mutating func check(
        _ credential: Credential,
        _ space: ProtectionSpacePattern,
        _ terms: AnswerTerms,
        _ node: YAMLNode
    ) {
        if terms.preempt == .always, space.realm != .any, let realm = node["space"]?.entry("realm")?.key {
            error(realm, "'realm' is known from a challenge only: it can't stand beside 'preempt: always'")
        }
        refuseColon(credential, methods: terms.methods)
        let answersDigest = terms.methods?.contains(.digest) ?? true
        if let verify = node.entry("verify_server"), boolean(verify.value) == true, !answersDigest {
            warning(verify.key, "'verify_server' is about digest, which this rule doesn't answer")
        }
    }

    /// A user-id with a colon where basic could carry it [RFC 7617 s.2].
    mutating func refuseColon(_ credential: Credential, methods: [AuthenticationMethod]?) {
        guard !credential.canAnswerBasic, methods?.contains(.basic) ?? true else { return }
        guard let node = credentials[credential.name]?.username else { return }
        error(
            node,
            "a username with a colon can't go by basic: write 'method: [digest]' where it is used, or take the colon out"
        )
    }
}
