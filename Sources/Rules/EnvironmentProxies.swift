package import HTTP

/// What HTTP_PROXY, HTTPS_PROXY and NO_PROXY say, with curl's meaning.
package struct EnvironmentProxies: Sendable {
    /// The proxy of http origins; nil: they are reached directly.
    package let http: ParentProxy?
    /// The proxy of https origins; nil: they are reached directly.
    package let https: ParentProxy?

    /// Proxies from all that the variables say.
    package init(http: ParentProxy?, https: ParentProxy?) {
        self.http = http
        self.https = https
    }

    /// How this origin is reached.
    package func hops(to origin: Origin) -> [NextHop] {
        switch origin.scheme {
        case .http: [http.map(NextHop.parent) ?? .direct]
        case .https: [https.map(NextHop.parent) ?? .direct]
        }
    }
}
