package import Bytes
package import HTTP

/// Where a request goes next.
package enum NextHop: Sendable {
    case direct
    case parent(ParentProxy)
}

/// How an upstream is reached.
package struct Route: Sendable {
    /// An address and port in place of the host's own (`to`).
    package struct Destination: Sendable {
        package let address: IPAddress?
        package let port: UInt16?

        package init(address: IPAddress?, port: UInt16?) {
            self.address = address
            self.port = port
        }
    }

    /// In the order of fail-over.
    package let via: [NextHop]
    package let to: Destination?
    /// Its place in the file; −1 for the default route.
    package let index: Int
    package let place: SourcePlace

    package init(via: [NextHop], to: Destination?, index: Int, place: SourcePlace) {
        self.via = via
        self.to = to
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
    /// nil: any host.
    package let hosts: [HostPattern]?
    package let port: PortPattern
    /// nil: any.
    package let scheme: Scheme?
    package let route: Route

    package init(hosts: [HostPattern]?, port: PortPattern, scheme: Scheme?, route: Route) {
        self.hosts = hosts
        self.port = port
        self.scheme = scheme
        self.route = route
    }

    /// Whether it is about what the client asked for.
    package func matches(_ origin: Origin) -> Bool {
        if let scheme, scheme != origin.scheme { return false }
        if case .number(let number) = port, number != origin.port { return false }
        guard let hosts else { return true }
        let address = IPAddress(origin.host)
        return hosts.contains { $0.matches(host: origin.host, address: address) }
    }
}

/// The routes of a rule file; the first that matches decides.
package struct RouteTable: Sendable {
    package let routes: [RoutePattern]

    package init(_ routes: [RoutePattern]) {
        self.routes = routes
    }

    /// The route of what the client asked for; direct where none matches.
    package func route(for origin: Origin) -> Route {
        routes.first { $0.matches(origin) }?.route ?? .direct
    }
}
