package import Authentication
package import Bytes

/// Everything that a rule file says, immutable and replaced as a whole.
///
/// It stands here and not beside the file's reader, so that the proxy needs to know nothing of files.
package final class ServerConfiguration: Sendable {
    package let listeners: [ListenerConfiguration]
    package let credentials: [Credential]
    package let rules: RuleTable
    package let routes: RouteTable
    package let parents: [ParentProxy]
    /// Who may use the proxy; nil: loopback and unix sockets.
    package let access: [ClientPattern]?
    package let limits: LimitsConfiguration
    package let timeouts: TimeoutsConfiguration
    package let log: LogConfiguration
    package let http: HTTPConfiguration
    package let state: StateLocation
    /// The folder for bodies that are kept for a further leg.
    package let spool: String
    /// The files whose change calls for a reload.
    package let watched: [String]

    package init(
        listeners: [ListenerConfiguration],
        credentials: [Credential],
        rules: RuleTable,
        routes: RouteTable,
        parents: [ParentProxy],
        access: [ClientPattern]?,
        limits: LimitsConfiguration,
        timeouts: TimeoutsConfiguration,
        log: LogConfiguration,
        http: HTTPConfiguration,
        state: StateLocation,
        spool: String,
        watched: [String]
    ) {
        self.listeners = listeners
        self.credentials = credentials
        self.rules = rules
        self.routes = routes
        self.parents = parents
        self.access = access
        self.limits = limits
        self.timeouts = timeouts
        self.log = log
        self.http = http
        self.state = state
        self.spool = spool
        self.watched = watched
    }

    /// Whether this client may use the listener that it came by.
    package func admits(_ client: Client, by listener: ListenerConfiguration) -> Bool {
        guard let patterns = listener.clients ?? access else { return client.isLocal }
        return patterns.contains { $0.matches(client) }
    }
}

/// Where the proxy listens.
package struct ListenerConfiguration: Sendable {
    package enum Address: Sendable, Equatable {
        case tcp(IPAddress, UInt16)
        case unix(String)
    }

    package let address: Address
    package let name: String?
    /// Who may connect; nil: as `access` says.
    package let clients: [ClientPattern]?

    package init(address: Address, name: String?, clients: [ClientPattern]?) {
        self.address = address
        self.name = name
        self.clients = clients
    }
}
