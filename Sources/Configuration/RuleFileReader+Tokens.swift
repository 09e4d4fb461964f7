internal import Authentication
internal import Bytes
internal import Crypto
internal import HTTP

extension RuleFileReader {
    mutating func tokenKind(_ node: YAMLNode?) -> Credential.Kind? {
        guard let node, let part = secretPart(node, fits: { $0.isToken }) else { return nil }
        if let token = part.known, readsSecrets || node["value"] != nil, !token.isToken {
            let hasScheme = token.withBytes { ASCII.hasPrefixIgnoringCase($0, "bearer ") }
            error(
                node,
                hasScheme
                    ? "a token stands without its scheme: take 'Bearer ' out"
                    : "a token is of visible ASCII characters, without blanks and lines"
            )
        }
        let file = path(node["file"])
        return CredentialRecipe(
            parts: [part],
            answers: [.bearer],
            words: ["token"],
            make: { .token($0[0], file: file) }
        ).kind
    }

    // MARK: header

    /// Fields that belong to a connection or to a message's framing, or that the proxy writes itself.
    private static let ownFields: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "host",
        "content-length", "expect", "via", "max-forwards", "proxy-authenticate", "proxy-authentication-info",
        "http2-settings",
    ]

    mutating func headerKind(_ node: YAMLNode?) -> Credential.Kind? {
        guard let node, !node.isFaulty, let entries = node.entries else { return nil }
        guard !entries.isEmpty else {
            error(node, "'header' names no field")
            return nil
        }
        var names: [String] = []
        var parts: [SecretPart] = []
        var prefixes: [String] = []
        for entry in entries {
            guard let name = entry.key.text, checkField(name, entry.key, after: names) else { continue }
            let prefix = text(entry.value["prefix"], as: .text) ?? ""
            if let written = entry.value["prefix"], !Secret(prefix).isFieldValue {
                error(written, "a field's value can't hold a control character")
            }
            guard let part = secretPart(entry.value, fits: { !$0.isEmpty && $0.isFieldValue }) else { continue }
            if part.known?.isFieldValue == false {
                error(entry.value, "a field's value can't hold a control character, such as a second line")
            }
            names.append(name)
            parts.append(part)
            prefixes.append(prefix)
        }
        guard names.count == entries.count else { return nil }
        return CredentialRecipe(
            parts: parts,
            answers: [],
            fieldNames: names.map { $0.lowercased() },
            words: ["header"] + names + prefixes,
            make: { [names, prefixes] secrets in
                .header(
                    names.indices.map { index in
                        let value =
                            prefixes[index].isEmpty ? secrets[index] : Secret.joining(prefixes[index], secrets[index])
                        return Credential.HeaderSecret(name: names[index], value: value)
                    }
                )
            }
        ).kind
    }

    /// Whether a credential may set this field; tells where it may not.
    private mutating func checkField(_ name: String, _ key: YAMLNode, after earlier: [String]) -> Bool {
        let folded = name.lowercased()
        guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isToken) else {
            // What isn't a name may be anything.
            if !name.isEmpty { error(key, "this is no field name: letters, digits and '-' stand before the colon") }
            return false
        }
        if Self.ownFields.contains(folded) {
            error(key, "'\(name)' can't be set: it belongs to the connection or the message, and the proxy writes it")
            return false
        }
        if earlier.contains(where: { $0.lowercased() == folded }) {
            error(key, "'\(name)' stands twice: the case of a field's name means nothing")
            return false
        }
        return true
    }
}
