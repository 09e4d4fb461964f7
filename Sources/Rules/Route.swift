package import Bytes
package import HTTP

/// Where a request goes next.
package enum NextHop: Sendable {
    /// To the origin itself.
    case direct
    /// To a parent.
    case parent(ParentProxy)
}

/// How an upstream is reached.
package struct Route: Sendable {
    /// An address and port in place of the host's own (`to`).
    package struct Destination: Sendable {
        /// nil: the host's own.
        package let address: IPAddress?
        /// nil: the one asked for.
        package let port: UInt16?

        /// A destination from its parts.
        package init(address: IPAddress?, port: UInt16?) {
            self.address = address
            self.port = port
        }
    }

    /// In the order of fail-over.
    package let via: [NextHop]
    /// Where to connect instead; nil: to the host itself.
    package let to: Destination?
    /// The port at which a client's http request goes over TLS; nil: it stays in the clear.
    package let upgrade: UInt16?
    /// Its place in the file; -1 for the default route.
    package let index: Int
    /// Where it stands.
    package let place: SourcePlace

    /// A route from all its parts.
    package init(via: [NextHop], to: Destination?, upgrade: UInt16? = nil, index: Int, place: SourcePlace) {
        self.via = via
        self.to = to
        self.upgrade = upgrade
        self.index = index
        self.place = place
    }

    /// What holds where no route matches.
    package static let direct = Route(via: [.direct], to: nil, index: -1, place: SourcePlace(line: 0))

    /// The parent that comes first, if it is one.
    package var parent: ParentProxy? {
        if case .parent(let parent)? = via.first { parent } else { nil }
    }

    /// For the log, as `routes[1]`.
    package var name: String { index < 0 ? "default" : "routes[\(index)]" }
}

/// One entry of `routes`: which requests it is about, and the route that they take.
package struct RoutePattern: Sendable {
    /// The hosts; nil: any.
    package let hosts: [HostPattern]?
    /// The ports.
    package let port: PortPattern
    /// The protocol; nil: any.
    package let scheme: Scheme?
    /// The way they take.
    package let route: Route

    /// A pattern from all its parts.
    package init(hosts: [HostPattern]?, port: PortPattern, scheme: Scheme?, route: Route) {
        self.hosts = hosts
        self.port = port
        self.scheme = scheme
        self.route = route
    }

    /// Whether scheme and port of what the client asked for are meant; the host is looked at by the table's index.
    func matchesSchemeAndPort(of origin: Origin) -> Bool {
        if let scheme, scheme != origin.scheme { return false }
        switch port {
        case .any: return true
        case .number(let number): return number == origin.port
        case .protocolDefault: return origin.port == origin.scheme.defaultPort
        }
    }
}
