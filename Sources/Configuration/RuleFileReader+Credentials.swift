internal import Authentication
internal import Bytes
internal import Crypto

/// A credential as the file has it.
struct CredentialEntry {
    let key: YAMLNode
    /// Where its username stands.
    let username: YAMLNode?
    /// Nil where it can't be made; that was told.
    let credential: Credential?
    var isUsed = false
}

extension RuleFileReader {
    /// The keys of which one says what kind a credential is, and those that may stand beside it.
    private static let companions: [(kind: String, keys: [String])] = [
        ("digest_ha1", ["username", "realm"]), ("kerberos", []), ("token", []), ("oauth2", []), ("header", []),
        ("certificate", ["private_key", "passphrase"]), ("pkcs12", ["passphrase"]), ("netrc", []), ("helper", []),
    ]

    mutating func readCredentials(_ node: YAMLNode?) {
        // Those that name another credential come behind all others, wherever they stand.
        for namesOthers in [false, true] {
            for entry in node?.entries ?? []
            where (entry.value["oauth2"]?.entry("client_certificate") != nil) == namesOthers {
                guard let name = entry.key.text, !entry.key.isFaulty, credentials[name] == nil else { continue }
                let credential = entry.value.entries == nil ? nil : readCredential(name, entry.value)
                credentials[name] = CredentialEntry(
                    key: entry.key,
                    username: entry.value["username"],
                    credential: credential
                )
            }
        }
        for entry in node?.entries ?? [] {
            guard let name = entry.key.text, credentials[name]?.key.start == entry.key.start else { continue }
            credentialNames.append(name)
        }
    }

    private mutating func readCredential(_ name: String, _ node: YAMLNode) -> Credential? {
        let kinds = Self.companions.compactMap { node.entry($0.kind)?.key }
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
        guard let kind = kinds.first?.text else {
            if let key = ["private_key", "passphrase"].compactMap({ node.entry($0)?.key }).first {
                error(key, "'\(key.text ?? "")' belongs to a 'certificate' or 'pkcs12', which is missing")
                return nil
            }
            return passwordKind(node).map { Credential(name: name, kind: $0, persistence: persistence(node)) }
        }
        refuseStrangers(beside: kind, node)
        return readKind(kind, node).map { Credential(name: name, kind: $0, persistence: persistence(node)) }
    }

    private mutating func readKind(_ kind: String, _ node: YAMLNode) -> Credential.Kind? {
        switch kind {
        case "digest_ha1": return digestHashKind(node)
        case "kerberos": return kerberosKind(node["kerberos"])
        case "token": return tokenKind(node["token"])
        case "oauth2": return oauth2Kind(node["oauth2"])
        case "header": return headerKind(node["header"])
        case "netrc": return path(node["netrc"]).map { .deferred(.netrc($0)) }
        case "helper": return node["helper"].flatMap { program($0) }.map { .deferred(.helper($0)) }
        default: return certificateKind(node)
        }
    }

    /// Tells keys that belong to another kind of credential.
    private mutating func refuseStrangers(beside kind: String, _ node: YAMLNode) {
        let known = Self.companions.first { $0.kind == kind }?.keys ?? []
        for key in ["username", "domain", "password_form", "realm", "private_key", "passphrase"] {
            guard let entry = node.entry(key), !known.contains(key) else { continue }
            if key == "private_key", kind == "pkcs12" {
                error(entry.key, "'private_key' has no place beside 'pkcs12', which holds the key")
            } else {
                error(entry.key, "'\(key)' has no place beside '\(kind)'")
            }
        }
    }

    func persistence(_ node: YAMLNode) -> Credential.Persistence {
        text(node["persistence"], as: .choice(["session", "none"])) == "none" ? .none : .session
    }

    // MARK: passwords

    private mutating func passwordKind(_ node: YAMLNode) -> Credential.Kind? {
        if let realm = node.entry("realm")?.key {
            error(realm, "'realm' belongs to 'digest_ha1'; a rule's space has its own")
        }
        let username = username(node)
        let form = PasswordForm(text: node["password_form"]?.text)
        let password = secretPart(node["password"], fits: form.fits)
        if let password = password?.known, let written = node["password"] {
            check(password, written, form: form, isWritten: node["password_form"] != nil)
        }
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
        return CredentialRecipe(
            parts: [username, password],
            answers: form == .ntHash ? [.ntlm] : [.basic, .digest, .ntlm, .negotiate],
            words: ["password", domain ?? "", "\(form)"],
            make: { secrets in
                let name = secrets[0].bytes
                guard form == .ntHash else { return .password(username: name, domain: domain, password: secrets[1]) }
                return secrets[1].decodingHex.map { .ntHash(username: name, domain: domain, hash: $0) }
            }
        ).kind
    }

    /// The username, as text or as a secret.
    mutating func username(_ node: YAMLNode) -> SecretPart? {
        guard let written = node["username"], !written.isFaulty else { return nil }
        if written.entries != nil {
            let part = secretPart(written, fits: { $0.isName })
            if let secret = part?.known {
                let bytes = secret.bytes
                if String(validating: bytes, as: UTF8.self) == nil { error(written, "the username isn't UTF-8 text") }
                refuseControlCharacters(in: String(decoding: bytes, as: UTF8.self), written, key: "username")
            }
            return part
        }
        guard let text = text(written, as: .nonEmptyText) else { return nil }
        refuseControlCharacters(in: text, written, key: "username")
        return .known(Secret(text))
    }

    /// A control character, which `"CORP\alice"` makes without a word.
    mutating func refuseControlCharacters(in text: String, _ node: YAMLNode, key: String) {
        guard text.hasControl else { return }
        let isEscape = if case .scalar(_, .quoted) = node.content { true } else { false }
        let cure =
            isEscape
            ? ": in double quotes a backslash begins an escape; write 'CORP\\alice' in single quotes, or domain: CORP"
            : ""
        error(node, "a \(key) can't hold a control character\(cure)")
    }

    private mutating func check(_ password: Secret, _ node: YAMLNode, form: PasswordForm, isWritten: Bool) {
        if password.hasControl {
            error(node, "a password can't hold a control character, such as a second line or a tab")
        } else if !password.isText {
            error(node, "the password isn't UTF-8 text")
        }
        let isHex = password.isHex(digits: 32)
        switch form {
        case .md5Hex, .ntHash:
            let isKnown = readsSecrets || node["value"] != nil
            if !isHex, isKnown { error(node, "'password_form: \(form.rawValue)' needs 32 hex digits") }
        case .plain:
            guard isHex, !isWritten else { return }
            warning(
                node,
                "32 hex digits look like a hash: write the password, or 'password_form: md5-hex' (plain, if it is one)"
            )
        }
    }

    // MARK: a digest's hash

    private mutating func digestHashKind(_ node: YAMLNode) -> Credential.Kind? {
        let username = username(node)
        let realm = node["realm"].flatMap { $0.isEmptyPlain ? nil : text($0, as: .text) }
        let hash = secretPart(node["digest_ha1"], fits: { $0.isHex(digits: 32) || $0.isHex(digits: 64) })
        if let written = node["digest_ha1"], let known = hash?.known, readsSecrets || written["value"] != nil,
            !known.isHex(digits: 32), !known.isHex(digits: 64)
        {
            error(written, "'digest_ha1' needs 32 hex digits (MD5) or 64 (SHA-256)")
        }
        for key in ["username", "realm"] where node[key] == nil && !hasUnknownKey(node, Schema.credential) {
            error(node, "a credential with 'digest_ha1' needs '\(key)', of which it is made")
        }
        guard let username, let realm, let hash else { return nil }
        return CredentialRecipe(
            parts: [username, hash],
            answers: [.digest],
            words: ["digest_ha1", realm],
            make: { secrets in
                .digestHash(username: secrets[0].bytes, realm: Array(realm.utf8), hash: secrets[1].lowercasingHex)
            }
        ).kind
    }
}

/// What a password's text is.
enum PasswordForm: String, Sendable {
    case plain
    /// The server keeps MD5(password) as its password.
    case md5Hex = "md5-hex"
    /// The NT hash of the password, for ntlm only.
    case ntHash = "nt-hash"

    init(text: String?) { self = text.flatMap(PasswordForm.init(rawValue:)) ?? .plain }

    /// Whether what a program printed can be such a password.
    var fits: @Sendable (Secret) -> Bool {
        switch self {
        case .plain: { !$0.isEmpty && !$0.hasControl && $0.isText }
        case .md5Hex, .ntHash: { $0.isHex(digits: 32) }
        }
    }
}
