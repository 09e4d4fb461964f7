internal import Bytes
internal import HTTP
internal import Rules

extension RuleFileReader {
    /// What the variables of the environment say; the same for all routes that ask for them.
    mutating func readEnvironment(_ node: YAMLNode) -> EnvironmentProxies {
        if let environmentProxies { return environmentProxies }
        let own = listeners.map(\.address)
        let reading = EnvironmentProxies.read(
            place: place(node),
            isOwn: { origin in own.contains { $0.isReached(as: origin) } },
            variable: environment.variable
        )
        environmentProxies = reading.proxies
        environmentParents = reading.proxies.parents
        // The environment lies outside the rule file.
        guard readsSecrets, let key = node.entry("environment")?.key else { return reading.proxies }
        for fault in reading.faults { error(key, "\(fault.variable) can't be used: \(fault.message)") }
        for name in reading.passedOver {
            warning(key, "\(name) names this proxy itself, so it is passed over: what it is for goes direct")
        }
        for parent in environmentParents { warn(ofLoginTo: parent, key) }
        return reading.proxies
    }

    /// A login that curl would send in the clear, and this proxy doesn't (A-14).
    private mutating func warn(ofLoginTo parent: ParentProxy, _ key: YAMLNode) {
        guard !parent.credentials.isEmpty, !parent.isReachedSecurely else { return }
        let what = parent.kind == .socks5 ? "isn't sent" : "answers no demand for basic or ntlm"
        warning(
            key,
            "the way to the proxy of \(parent.name.dropFirst("environment ".count)) isn't TLS, so the login in it \(what): "
                + "for that describe the proxy under 'proxies', with 'use' and 'cleartext'"
        )
    }
}

extension ListenerConfiguration.Address {
    /// Whether a client that connects to this host and port comes to this listener.
    fileprivate func isReached(as origin: Origin) -> Bool {
        guard case .tcp(let own, let port) = self, port == origin.port else { return false }
        guard let address = IPAddress(origin.host)?.unmapped else {
            return origin.host == "localhost" && (own.isLoopback || own.isUnspecified)
        }
        return address == own.unmapped || own.isUnspecified && (address.isLoopback || address.isUnspecified)
    }
}
