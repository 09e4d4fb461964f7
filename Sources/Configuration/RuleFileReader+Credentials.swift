internal import Authentication
internal import Bytes
internal import Crypto

/// A credential as the file has it.
struct CredentialEntry {
    let key: YAMLNode
    /// Where its username stands.
    let username: YAMLNode?
    /// Nil where it can't be made, or where its kind isn't built yet; that was told.
    let credential: Credential?
    var isUsed = false
}

extension RuleFileReader {
    private static let kinds = [
        "digest_ha1", "kerberos", "token", "oauth2", "header", "certificate", "pkcs12", "netrc", "helper",
    ]

    mutating func readCredentials(_ node: YAMLNode?) {
        for entry in node?.entries ?? [] {
            guard let name = entry.key.text, !entry.key.isFaulty, credentials[name] == nil else { continue }
            credentialNames.append(name)
            let credential = entry.value.entries == nil ? nil : readCredential(name, entry.value)
            credentials[name] = CredentialEntry(
                key: entry.key,
                username: entry.value["username"],
                credential: credential
            )
        }
    }

    private mutating func readCredential(_ name: String, _ node: YAMLNode) -> Credential? {
        let kinds = Self.kinds.compactMap { node.entry($0)?.key }
        if node["password"] != nil, let other = kinds.first {
            error(other, "a credential is of one kind: 'password' and '\(other.text ?? "")' can't stand together")
            return nil
        }
        if kinds.count > 1 {
            error(
                kinds[1],
                "a credential is of one kind: '\(kinds[0].text ?? "")' and '\(kinds[1].text ?? "")' can't stand together"
            )
            return nil
        }
        if let kind = kinds.first?.text, ["certificate", "pkcs12"].contains(kind) {
            return certificateCredential(name, node)
        }
        guard kinds.isEmpty else { return nil }
        if let key = ["private_key", "passphrase"].compactMap({ node.entry($0)?.key }).first {
            error(key, "'\(key.text ?? "")' belongs to a 'certificate' or 'pkcs12', which is missing")
            return nil
        }
        return passwordCredential(name, node)
    }

    private mutating func passwordCredential(_ name: String, _ node: YAMLNode) -> Credential? {
        if let realm = node.entry("realm")?.key {
            error(realm, "'realm' belongs to 'digest_ha1'; a rule's space has its own")
        }
        let username = username(node)
        let password = secret(node["password"])
        if let password, let written = node["password"] { check(password, written, form: node["password_form"]) }
        if node["password"] == nil {
            // What misspelt keys hide was told; a credential without any kind is told here.
            let isMisspelt = hasUnknownKey(node, Schema.credential)
            if !isMisspelt { error(node, "a credential with 'username' needs 'password'") }
        }
        if node["username"] == nil, node["password"] != nil {
            error(node, "a credential with 'password' needs 'username'")
        }
        let domain = text(node["domain"], as: .nonEmptyText)
        if let domain, let written = node["domain"] { refuseControlCharacters(in: domain, written, key: "domain") }
        guard let username, let password, node["domain"] == nil || domain != nil else { return nil }
        let kind = Credential.Kind.password(username: username, domain: domain, password: password)
        return Credential(name: name, kind: kind, persistence: persistence(node))
    }

    func persistence(_ node: YAMLNode) -> Credential.Persistence {
        text(node["persistence"], as: .choice(["session", "none"])) == "none" ? .none : .session
    }

    private mutating func username(_ node: YAMLNode) -> [UInt8]? {
        guard let written = node["username"], !written.isFaulty else { return nil }
        if written.entries != nil {
            guard let secret = secret(written) else { return nil }
            let bytes = secret.withBytes { span in span.indices.map { span[$0] } }
            if String(validating: bytes, as: UTF8.self) == nil { error(written, "the username isn't UTF-8 text") }
            refuseControlCharacters(in: String(decoding: bytes, as: UTF8.self), written, key: "username")
            return bytes
        }
        guard let text = text(written, as: .nonEmptyText) else { return nil }
        refuseControlCharacters(in: text, written, key: "username")
        return Array(text.utf8)
    }

    /// A control character, which `"CORP\alice"` makes without a word.
    private mutating func refuseControlCharacters(in text: String, _ node: YAMLNode, key: String) {
        let others: [Unicode.Scalar] = ["\u{A0}", "\u{2028}", "\u{2029}"]
        guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control || others.contains($0) })
        else { return }
        let isEscape = if case .scalar(_, .quoted) = node.content { true } else { false }
        let cure =
            isEscape
            ? ": in double quotes a backslash begins an escape; write 'CORP\\alice' in single quotes, or domain: CORP"
            : ""
        error(node, "a \(key) can't hold a control character\(cure)")
    }

    private mutating func check(_ password: Secret, _ node: YAMLNode, form: YAMLNode?) {
        let facts = password.withBytes { bytes in
            var hasControl = false
            var isHex = bytes.count == 32
            for index in bytes.indices {
                hasControl = hasControl || ASCII.isControl(bytes[index])
                isHex = isHex && ASCII.isHexDigit(bytes[index])
            }
            let isText = String(validating: bytes.indices.map { bytes[$0] }, as: UTF8.self) != nil
            return (hasControl: hasControl, isHex: isHex, isText: isText)
        }
        if facts.hasControl {
            error(node, "a password can't hold a control character, such as a second line or a tab")
        } else if !facts.isText {
            error(node, "the password isn't UTF-8 text")
        }
        if form?.text == "md5-hex" {
            let isKnown = readsSecrets || node["value"] != nil
            if !facts.isHex, isKnown { error(node, "'password_form: md5-hex' needs 32 hex digits") }
        } else if facts.isHex, form == nil {
            warning(
                node,
                "32 hex digits look like a hash: write the password, or 'password_form: md5-hex' (plain, if it is one)"
            )
        }
    }
}
