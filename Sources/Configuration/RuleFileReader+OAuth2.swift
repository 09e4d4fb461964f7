internal import Authentication
internal import Bytes
internal import Crypto
internal import HTTP

extension RuleFileReader {
    /// The parameters of a token request that other keys give [RFC 6749 s.2.3.1, s.4.4.2].
    private static let ownParameters = [
        "client_id": "client_id", "client_secret": "client_secret", "scope": "scopes",
    ]

    mutating func oauth2Kind(_ node: YAMLNode?) -> Credential.Kind? {
        guard let node, !node.isFaulty, node.entries != nil else { return nil }
        let authentication = clientAuthentication(node)
        let endpoint = tokenEndpoint(node["token_endpoint"])
        let certificate = clientCertificate(node)
        let clientID = textOrSecret(node["client_id"])
        let secret = secretPart(node["client_secret"], fits: { !$0.isEmpty && !$0.hasControl })
        if let known = secret?.known, known.hasControl, let written = node["client_secret"] {
            error(written, "a client's secret can't hold a control character, such as a second line")
        }
        let parameters = parameters(node["parameters"])
        let scopes = scopes(node["scopes"])
        guard let endpoint, let clientID, let parameters, let scopes else { return nil }
        for (key, isRead) in [("client_certificate", certificate != nil), ("client_secret", secret != nil)] {
            guard node[key] == nil || isRead else { return nil }
        }
        let names = parameters.map(\.name)
        let hasSecret = secret != nil
        return CredentialRecipe(
            parts: [clientID] + [secret].compactMap(\.self) + parameters.map(\.part),
            answers: [.bearer],
            words: ["oauth2", endpoint, "\(authentication)", certificate?.name ?? ""] + scopes + ["\(hasSecret)"]
                + names,
            make: { secrets in
                let values = secrets.dropFirst(hasSecret ? 2 : 1)
                let client = OAuth2Credential(
                    tokenEndpoint: endpoint,
                    clientID: secrets[0],
                    clientSecret: hasSecret ? secrets[1] : nil,
                    scopes: scopes,
                    authentication: authentication,
                    clientCertificate: certificate,
                    parameters: zip(names, values).map { OAuth2Credential.Parameter(name: $0, value: $1) }
                )
                return .deferred(.oauth2(client))
            }
        ).kind
    }

    /// How the client shows who it is; tells where what that takes is missing or too much.
    private mutating func clientAuthentication(_ node: YAMLNode) -> OAuth2Credential.ClientAuthentication {
        let word = node["auth"]?.text
        let authentication: OAuth2Credential.ClientAuthentication =
            switch word {
            case "post": .post
            case "none": .none
            case "mtls": .mtls
            default: .basic
            }
        let isMisspelt = hasUnknownKey(node, Schema.oauth2)
        switch authentication {
        case .basic, .post:
            if node["client_secret"] == nil, !isMisspelt {
                error(node, "'oauth2' needs 'client_secret', or 'auth: none' or 'auth: mtls' where there is none")
            }
        case .none, .mtls:
            if let key = node.entry("client_secret")?.key {
                error(key, "'client_secret' is never sent with 'auth: \(word ?? "")'")
            }
        }
        if authentication == .mtls, node["client_certificate"] == nil, !isMisspelt {
            error(node["auth"] ?? node, "'auth: mtls' needs 'client_certificate'")
        }
        return authentication
    }

    private mutating func tokenEndpoint(_ node: YAMLNode?) -> String? {
        guard let node, let text = text(node, as: .url) else { return nil }
        let bytes = Array(text.utf8)
        guard !bytes.contains(UInt8(ascii: "#")),
            let target = RequestTarget.parse(bytes.span, in: bytes.indices, method: .post)
        else {
            error(node, "a token endpoint has no fragment ('#')")
            return nil
        }
        let host = String(decoding: bytes[target.host], as: UTF8.self)
        let isLoopback = IPAddress(host)?.isLoopback ?? (host == "localhost")
        guard target.scheme == .https || isLoopback else {
            error(
                node,
                "secrets and tokens would go in the clear: a token endpoint is https, but for one on this machine"
            )
            return nil
        }
        return text
    }

    /// The credential whose certificate is shown to the endpoint.
    private mutating func clientCertificate(_ node: YAMLNode) -> Credential? {
        guard let written = node["client_certificate"], let name = text(written, as: .reference) else { return nil }
        guard let credential = credential(named: name, at: written) else { return nil }
        guard credential.isClientCertificate else {
            error(written, "'client_certificate' names a credential with 'certificate' or 'pkcs12'")
            return nil
        }
        if node["token_endpoint"]?.text?.hasPrefix("http://") == true {
            error(written, "a client certificate is shown over https only")
        }
        return credential
    }

    private mutating func textOrSecret(_ node: YAMLNode?) -> SecretPart? {
        guard let node, !node.isFaulty else { return nil }
        if node.entries == nil { return text(node, as: .nonEmptyText).map { .known(Secret($0)) } }
        return secretPart(node, fits: { !$0.isEmpty })
    }

    /// The scopes, from a text with blanks between them or a list [RFC 6749 s.3.3].
    private mutating func scopes(_ node: YAMLNode?) -> [String]? {
        guard let node else { return [] }
        let texts = node.elementsOrSelf.compactMap { text($0, as: .text) }
        guard !node.isFaulty, texts.count == node.elementsOrSelf.count else { return nil }
        let scopes = texts.flatMap { $0.split(separator: " ").map(String.init) }
        let isRight = scopes.allSatisfy { scope in
            scope.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        }
        if !isRight { error(node, "a scope is of visible ASCII characters without quotes and backslashes") }
        return isRight ? scopes : nil
    }

    private mutating func parameters(_ node: YAMLNode?) -> [(name: String, part: SecretPart)]? {
        guard let node else { return [] }
        guard !node.isFaulty, let entries = node.entries else { return nil }
        var parameters: [(name: String, part: SecretPart)] = []
        for entry in entries {
            guard let name = entry.key.text, !name.isEmpty else { continue }
            if name == "grant_type" {
                error(entry.key, "'grant_type' is client_credentials here, always")
            } else if let own = Self.ownParameters[name] {
                error(entry.key, "'\(name)' is no further parameter: '\(own)' gives it")
            } else if let part = textOrSecret(entry.value) {
                parameters.append((name, part))
            }
        }
        return parameters.count == entries.count ? parameters : nil
    }
}
