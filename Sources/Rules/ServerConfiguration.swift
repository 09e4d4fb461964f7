package import Authentication
package import HTTP

/// Everything that a rule file says, immutable and replaced as a whole.
///
/// It stands here and not beside the file's reader, so that the proxy needs to know nothing of files.
package final class ServerConfiguration: Sendable {
    /// Never empty.
    package let listeners: [ListenerConfiguration]
    /// In file order, used or not.
    package let credentials: [Credential]
    /// Those of the file and, behind them, those of the parents.
    package let rules: RuleTable
    /// How upstreams are reached.
    package let routes: RouteTable
    /// In file order, used or not.
    package let parents: [ParentProxy]
    /// What must hold of upstreams and parents that speak TLS.
    package let trust: TrustTable
    /// Whose TLS is opened; nil: nobody's.
    package let interception: InterceptionConfiguration?
    /// Who may use the proxy, and for which destinations.
    package let access: AccessConfiguration
    /// How much of everything is taken.
    package let limits: LimitsConfiguration
    /// How long everything may take.
    package let timeouts: TimeoutsConfiguration
    /// What is told.
    package let log: LogConfiguration
    /// Where operators look at the process; nil: nowhere.
    package let admin: AdminConfiguration?
    /// How names are resolved.
    package let dns: DNSConfiguration
    /// How HTTP is spoken.
    package let http: HTTPConfiguration
    /// Where the ledger is kept.
    package let state: StateLocation
    /// The folder for bodies that are kept for a further leg.
    package let spool: String
    /// The files whose change calls for a reload.
    package let watched: [String]

    /// A configuration from all its parts.
    package init(
        listeners: [ListenerConfiguration],
        credentials: [Credential],
        rules: RuleTable,
        routes: RouteTable,
        parents: [ParentProxy],
        trust: TrustTable = TrustTable([]),
        interception: InterceptionConfiguration? = nil,
        access: AccessConfiguration,
        limits: LimitsConfiguration,
        timeouts: TimeoutsConfiguration,
        log: LogConfiguration,
        admin: AdminConfiguration? = nil,
        dns: DNSConfiguration = DNSConfiguration(),
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
        self.trust = trust
        self.interception = interception
        self.access = access
        self.limits = limits
        self.timeouts = timeouts
        self.log = log
        self.admin = admin
        self.dns = dns
        self.http = http
        self.state = state
        self.spool = spool
        self.watched = watched
    }

    /// The same configuration with its ledger elsewhere.
    package func keepingState(at location: StateLocation) -> ServerConfiguration {
        ServerConfiguration(
            listeners: listeners,
            credentials: credentials,
            rules: rules,
            routes: routes,
            parents: parents,
            trust: trust,
            interception: interception,
            access: access,
            limits: limits,
            timeouts: timeouts,
            log: log,
            admin: admin,
            dns: dns,
            http: http,
            state: location,
            spool: spool,
            watched: watched
        )
    }

    /// The same configuration for one program, which reaches it by `listener` alone.
    package func serving(
        _ listener: ListenerConfiguration,
        log: LogConfiguration
    ) -> ServerConfiguration {
        ServerConfiguration(
            listeners: [listener],
            credentials: credentials,
            rules: rules,
            routes: routes,
            parents: parents,
            trust: trust,
            interception: interception,
            access: access,
            limits: limits,
            timeouts: timeouts,
            log: log,
            dns: dns,
            http: http,
            state: state,
            spool: spool,
            watched: []
        )
    }

    /// The origins of its fixed listeners.
    package var fixedOrigins: [Origin] { listeners.compactMap(\.fixedOrigin) }

    /// Something in it is about TLS upstreams, so that one is to be expected.
    package var speaksTLS: Bool {
        interception != nil || !trust.patterns.isEmpty || parents.contains { $0.origin.scheme == .https }
            || routes.routes.contains { $0.route.upgrade != nil } || fixedOrigins.contains { $0.scheme == .https }
    }

    /// Some `clients` list asks for a user of this machine.
    package var namesUsers: Bool {
        let lists = [access.clients] + listeners.map(\.clients) + rules.rules.map(\.clients)
        return lists.contains { $0?.contains(where: \.isUser) == true }
    }

    /// Whether this client may use the listener that it came by; `onceLoggedIn`: by whatever name it may log in.
    package func admits(
        _ client: Client,
        by listener: ListenerConfiguration,
        onceLoggedIn: Bool = false
    ) -> Bool {
        guard let patterns = listener.clients ?? access.clients else { return client.isLocal }
        return patterns.contains { $0.matches(client) || onceLoggedIn && $0.isLogin }
    }
}
