package import HTTP

/// Where a credential applies [RFC 9110, section 11.5]: a value, so that it can be a key.
package struct ProtectionSpace: Hashable, Sendable {
    /// Lower case, no brackets; for a parent's space the parent's.
    package var host: String
    package var port: UInt16
    /// Nil for a parent's space.
    package var scheme: Scheme?
    /// Compared exactly; nil where the challenge has none, which differs from an empty one.
    package var realm: [UInt8]?
    /// Whether a parent asks (407), not an origin (401).
    package var isProxy: Bool
    package var method: AuthenticationMethod

    /// A space, from all its parts.
    package init(
        host: String,
        port: UInt16,
        scheme: Scheme?,
        realm: [UInt8]?,
        isProxy: Bool,
        method: AuthenticationMethod
    ) {
        self.host = host
        self.port = port
        self.scheme = scheme
        self.realm = realm
        self.isProxy = isProxy
        self.method = method
    }

    /// The space of a challenge by an origin [RFC 9110, section 11.6.1].
    package init(origin: Origin, realm: [UInt8]?, method: AuthenticationMethod) {
        self.init(
            host: origin.host,
            port: origin.port,
            scheme: origin.scheme,
            realm: realm,
            isProxy: false,
            method: method
        )
    }

    /// The space of a challenge by a parent [RFC 9110, section 11.7.1].
    package init(parent: Origin, realm: [UInt8]?, method: AuthenticationMethod) {
        self.init(host: parent.host, port: parent.port, scheme: nil, realm: realm, isProxy: true, method: method)
    }
}
