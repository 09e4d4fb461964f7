package import Authentication
package import HTTP

/// Which ports a rule or a route is about.
package enum PortPattern: Hashable, Sendable {
    /// The port that goes without saying: the one that an upgrade or a fixed origin gives the host, else the protocol's
    /// own; for a parent the one that it is reached by.
    case protocolDefault
    /// That port alone.
    case number(UInt16)
    /// Any port.
    case any

    /// Whether every port that the other pattern matches is matched by this one, too.
    package func covers(_ other: PortPattern) -> Bool {
        self == .any || self == other
    }
}

/// The protection spaces that a rule is about [RFC 9110 s.11.5].
package struct ProtectionSpacePattern: Sendable {
    /// One of them must match.
    package let hosts: [HostPattern]
    /// The ports that it is about.
    package let port: PortPattern
    /// The protocol; nil: any.
    package let scheme: Scheme?
    /// Whether it is about challenges of parent proxies, the hosts being theirs, and not about those of origins.
    package let isProxy: Bool
    /// The realms that it is about.
    package let realm: RealmPattern
    /// The written order of methods; nil: all that the credential answers.
    package let methods: [AuthenticationMethod]?
    /// The part of the origin; nil: all of it.
    package let path: PathPattern?

    /// A pattern from all its parts; what is left out is the rule file's default.
    package init(
        hosts: [HostPattern],
        port: PortPattern = .protocolDefault,
        scheme: Scheme? = nil,
        isProxy: Bool = false,
        realm: RealmPattern = .any,
        methods: [AuthenticationMethod]? = nil,
        path: PathPattern? = nil
    ) {
        self.hosts = hosts
        self.port = port
        self.scheme = scheme
        self.isProxy = isProxy
        self.realm = realm
        self.methods = methods
        self.path = path
    }

    /// Whether scheme and port of an origin or a parent are meant; the host is looked at by the table's index.
    ///
    /// `usualPorts` are those at which upgrades and fixed listeners reach the host, and then go without saying.
    func matchesSchemeAndPort(of origin: Origin, usualPorts: [UInt16] = []) -> Bool {
        if let scheme, scheme != origin.scheme { return false }
        switch port {
        case .any: return true
        case .number(let number): return number == origin.port
        case .protocolDefault:
            if isProxy { return true }
            return usualPorts.isEmpty ? origin.port == origin.scheme.defaultPort : usualPorts.contains(origin.port)
        }
    }
}
