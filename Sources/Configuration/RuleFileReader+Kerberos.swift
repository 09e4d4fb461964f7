internal import Authentication
internal import Crypto

extension RuleFileReader {
    mutating func kerberosKind(_ node: YAMLNode?) -> Credential.Kind? {
        guard let node, !node.isFaulty, node.entries != nil else { return nil }
        let principal = text(node["principal"], as: .nonEmptyText)
        if let principal, let written = node["principal"] {
            refuseControlCharacters(in: principal, written, key: "principal")
        }
        let serviceName = serviceName(node["spn"])
        let sources = ["keytab", "password", "ccache"].compactMap { node.entry($0)?.key }
        guard sources.count <= 1 else {
            error(
                sources[1],
                "a ticket comes from one place: '\(sources[0].text ?? "")' and '\(sources[1].text ?? "")' can't stand together"
            )
            return nil
        }
        if node["password"] != nil {
            return passwordLogin(node, principal: principal, serviceName: serviceName)
        }
        guard let source = ticketSource(node), node["principal"] == nil || principal != nil else { return nil }
        guard let serviceName else { return nil }
        return .kerberos(KerberosCredential(principal: principal, source: source, serviceName: serviceName))
    }

    private mutating func passwordLogin(
        _ node: YAMLNode,
        principal: String?,
        serviceName: KerberosCredential.ServiceName?
    ) -> Credential.Kind? {
        if node["principal"] == nil, let key = node.entry("password")?.key {
            error(key, "'password' needs 'principal': whose it is")
        }
        guard let part = secretPart(node["password"], fits: PasswordForm.plain.fits) else { return nil }
        if part.known?.hasControl == true, let written = node["password"] {
            error(written, "a password can't hold a control character, such as a second line or a tab")
        }
        guard let principal, let serviceName else { return nil }
        return CredentialRecipe(
            parts: [part],
            answers: [.negotiate],
            words: ["kerberos", principal, "\(serviceName)"],
            make: {
                .kerberos(
                    KerberosCredential(principal: principal, source: .password($0[0]), serviceName: serviceName)
                )
            }
        ).kind
    }

    private mutating func ticketSource(_ node: YAMLNode) -> KerberosCredential.Source? {
        if let written = node["keytab"] { return keytab(written) }
        guard let written = node["ccache"] else { return .defaultCache }
        guard let name = text(written, as: .nonEmptyText) else { return nil }
        refuseControlCharacters(in: name, written, key: "ccache")
        // `TYPE:residual`, else a path.
        let type = name.prefix { $0 != ":" }
        let isTyped = type.count < name.count && type.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber) }
        return .cache(isTyped ? name : set.resolved(name, in: set.folders[written.start.file]))
    }

    private mutating func keytab(_ written: YAMLNode) -> KerberosCredential.Source? {
        guard let path = path(ScalarValue.path(written)), var file = content(written, what: "the keytab") else {
            return nil
        }
        warnIfReadableByOthers(ScalarValue.path(written), what: "keytab")
        // The version of the format: 5, and 2 or in very old files 1.
        guard !readsSecrets || file.bytes.count > 2 && file.bytes[0] == 5 && (1...2).contains(file.bytes[1]) else {
            Wiping.wipe(&file.bytes)
            error(written, "this is no keytab, as ktutil or kadmin writes them")
            return nil
        }
        return .keytab(path, content: Secret(wiping: &file.bytes))
    }

    private mutating func serviceName(_ node: YAMLNode?) -> KerberosCredential.ServiceName? {
        guard let node else { return .asGiven }
        guard let text = text(node, as: .nonEmptyText) else { return nil }
        switch text {
        case "as-given": return .asGiven
        case "canonical": return .canonical
        default: break
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isWhole = parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
        guard isWhole, !text.contains(where: \.isWhitespace), !text.hasControl else {
            let meant = Suggestion.nearest(to: text, in: ["as-given", "canonical"]).map { "; did you mean '\($0)'?" }
            error(node, "'spn' is 'as-given', 'canonical' or SERVICE/HOST, such as HTTP/web.example.com\(meant ?? "")")
            return nil
        }
        return .literal(text)
    }
}
