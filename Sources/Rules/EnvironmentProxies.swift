package import HTTP

/// What HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY say, with curl's meaning.
package struct EnvironmentProxies: Sendable {
    /// The proxy of http origins; nil: they are reached directly.
    package let http: ParentProxy?
    /// The proxy of https origins; nil: they are reached directly.
    package let https: ParentProxy?
    /// The hosts that are reached directly all the same.
    package let exempt: ExemptHosts

    /// Proxies from all that the variables say.
    package init(http: ParentProxy?, https: ParentProxy?, exempt: ExemptHosts = ExemptHosts("")) {
        self.http = http
        self.https = https
        self.exempt = exempt
    }

    /// How this origin is reached.
    package func hops(to origin: Origin) -> [NextHop] {
        let proxy = origin.scheme == .http ? http : https
        guard let proxy, !exempt.contains(host: origin.host) else { return [.direct] }
        return [.parent(proxy)]
    }
}
