package import Authentication
internal import Bytes
package import Crypto
package import HTTP

/// The request for a token by the client's own credentials [RFC 6749, section 4.4.2].
package struct TokenRequest {
    /// Where it goes.
    package let resource: ResourceURL
    /// The whole message, head and body.
    package let message: Secret

    /// The request that `client` has to send; nil where its endpoint is no http or https URL.
    ///
    /// A parameter that the rule file names stands in the place of the one that would be sent otherwise: none may come
    /// twice [RFC 6749, section 3.2].
    package init?(for client: OAuth2Credential) {
        guard let resource = ResourceURL(client.tokenEndpoint) else { return nil }
        self.resource = resource
        var body = Self.body(of: client)
        defer { Wiping.wipe(&body) }
        var message = Self.empty(capacity: 4096 + 12 * Self.size(of: client) + body.count)
        Self.append("POST ", into: &message)
        message.append(contentsOf: resource.target)
        Self.append(" HTTP/1.1\r\nHost: \(resource.origin.authority)\r\nUser-Agent: countersign\r\n", into: &message)
        Self.append("Accept: application/json\r\n", into: &message)
        if client.authentication == .basic { Self.appendAuthorization(of: client, into: &message) }
        Self.append("Content-Type: application/x-www-form-urlencoded\r\n", into: &message)
        Self.append("Content-Length: \(body.count)\r\nConnection: close\r\n\r\n", into: &message)
        message.append(contentsOf: body)
        self.message = Secret(wiping: &message)
    }

    private static func body(of client: OAuth2Credential) -> [UInt8] {
        var body = empty(capacity: 4096 + 3 * size(of: client))
        func add(_ name: String, _ value: Secret) {
            if !body.isEmpty { body.append(UInt8(ascii: "&")) }
            FormEncoding.append(Array(name.utf8).span, into: &body)
            body.append(UInt8(ascii: "="))
            value.withBytes { FormEncoding.append($0, into: &body) }
        }
        var usual = [("grant_type", Secret("client_credentials"))]
        if !client.scopes.isEmpty { usual.append(("scope", Secret(client.scopes.joined(separator: " ")))) }
        if client.authentication != .basic { usual.append(("client_id", client.clientID)) }
        if client.authentication == .post, let secret = client.clientSecret { usual.append(("client_secret", secret)) }
        let named = Set(client.parameters.map(\.name))
        for (name, value) in usual where !named.contains(name) { add(name, value) }
        for parameter in client.parameters { add(parameter.name, parameter.value) }
        return body
    }

    /// Both parts are encoded before they are joined [RFC 6749, section 2.3.1].
    private static func appendAuthorization(of client: OAuth2Credential, into message: inout [UInt8]) {
        var pair = empty(capacity: 1 + 3 * size(of: client))
        client.clientID.withBytes { FormEncoding.append($0, into: &pair) }
        pair.append(UInt8(ascii: ":"))
        client.clientSecret?.withBytes { FormEncoding.append($0, into: &pair) }
        var encoded = Base64.encode(pair.span)
        append("Authorization: Basic ", into: &message)
        message.append(contentsOf: encoded)
        append("\r\n", into: &message)
        Wiping.wipe(&pair)
        Wiping.wipe(&encoded)
    }

    /// An array that is large enough from the beginning, so that it leaves no copies behind.
    private static func empty(capacity: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(capacity)
        return bytes
    }

    private static func size(of client: OAuth2Credential) -> Int {
        let parameters = client.parameters.reduce(0) { $0 + $1.name.utf8.count + $1.value.count + 2 }
        let scopes = client.scopes.reduce(0) { $0 + $1.utf8.count + 1 }
        return client.tokenEndpoint.utf8.count + client.clientID.count + (client.clientSecret?.count ?? 0) + scopes
            + parameters
    }

    private static func append(_ text: String, into message: inout [UInt8]) {
        message.append(contentsOf: text.utf8)
    }
}
