internal import Bytes
package import HTTP

/// The routes of a rule file with an index by host; the first that matches decides.
package struct RouteTable: Sendable {
    /// In file order.
    package let routes: [RoutePattern]
    private let index: HostIndex

    /// A table of routes in file order.
    package init(_ routes: [RoutePattern]) {
        var index = HostIndex()
        for (place, route) in routes.enumerated() {
            index.insert(place, hosts: route.hosts ?? [HostPattern(form: .any)])
        }
        self.routes = routes
        self.index = index
    }

    /// The route of what the client asked for, a CONNECT being for an https origin; direct where none matches.
    package func route(for origin: Origin) -> Route {
        let entries = index.entries(host: origin.host, address: IPAddress(origin.host))
        return entries.lazy.map { self.routes[$0] }.first { $0.matchesSchemeAndPort(of: origin) }?.route ?? .direct
    }

    /// The ports at which a client's http requests to this host go over TLS; none where they don't.
    package func upgradePorts(of host: String) -> [UInt16] {
        index.entries(host: host, address: IPAddress(host)).compactMap { routes[$0].route.upgrade }
    }
}
