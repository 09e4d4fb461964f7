package import Bytes
package import HTTP

/// Where a request goes next.
package enum NextHop: Sendable {
    /// To the origin itself.
    case direct
    /// To a parent.
    case parent(ParentProxy)
}

extension NextHop: Equatable {
    /// Two hops are the same where they lead to the same proxy of the same rule file.
    package static func == (left: NextHop, right: NextHop) -> Bool {
        switch (left, right) {
        case (.direct, .direct): true
        case (.parent(let left), .parent(let right)): left === right
        case (.direct, .parent), (.parent, .direct): false
        }
    }
}

/// Where a route's hops are found.
package enum RouteChoice: Sendable {
    /// In the rule file, in the order of fail-over.
    case listed([NextHop])
    /// In a PAC file's answer; `instead` while that can't be had.
    case pac(PACConfiguration, instead: [NextHop])
    /// In the variables of the environment.
    case environment(EnvironmentProxies)
}

/// Where a PAC file is had from.
package struct PACConfiguration: Hashable, Sendable {
    /// A file of this machine, or one to be fetched.
    package enum Location: Hashable, Sendable {
        /// Its path.
        case file(String)
        /// Its URL, fetched again after so long.
        case url(String, refresh: Nanoseconds)
    }

    package let location: Location

    /// A configuration from its part.
    package init(_ location: Location) { self.location = location }
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

    /// Which hops there are.
    package let choice: RouteChoice
    /// Where to connect instead; nil: to the host itself.
    package let to: Destination?
    /// The port at which a client's http request goes over TLS; nil: it stays in the clear.
    package let upgrade: UInt16?
    /// Its place in the file; -1 for the default route.
    package let index: Int
    /// Where it stands.
    package let place: SourcePlace

    /// A route from all its parts.
    package init(choice: RouteChoice, to: Destination?, upgrade: UInt16? = nil, index: Int, place: SourcePlace) {
        self.choice = choice
        self.to = to
        self.upgrade = upgrade
        self.index = index
        self.place = place
    }

    /// What holds where no route matches.
    package static let direct = Route(via: [.direct], to: nil, index: -1, place: SourcePlace(line: 0))

    /// A route whose hops the rule file lists.
    package init(via: [NextHop], to: Destination?, upgrade: UInt16? = nil, index: Int, place: SourcePlace) {
        self.init(choice: .listed(via), to: to, upgrade: upgrade, index: index, place: place)
    }

    /// The hops to this origin, in the order of fail-over, as far as they can be told without asking a PAC file; of
    /// one that has to be asked, what holds while it can't be had.
    package func hops(to origin: Origin) -> [NextHop] {
        switch choice {
        case .listed(let hops): hops
        case .pac(_, let instead): instead
        case .environment(let proxies): proxies.hops(to: origin)
        }
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
