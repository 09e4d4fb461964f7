internal import Authentication
internal import Bytes
internal import Exchange
internal import HTTP
internal import Rules
internal import Trust

extension Worker {
    /// More than that no exchange would try.
    private static let mostHops = 32

    func makeDestination(
        _ asked: Origin,
        _ way: DestinationTable.Way,
        _ terms: DestinationTerms = DestinationTerms()
    ) -> Destination {
        let route = configuration.routes.route(for: asked)
        let hops = (terms.hops ?? route.hops(to: asked)).prefix(Self.mostHops)
        var origin = asked
        if !way.isTunnel, asked.scheme == .http, let port = route.upgrade {
            origin = Origin(scheme: .https, host: asked.host, port: port)
        }
        let security = way.isTunnel || origin.scheme == .http ? nil : security(of: origin, terms.own)
        let candidates =
            way.isTunnel || terms.isDoubtful
            ? CandidateRules(origin: origin, isProxy: false, rules: [])
            : configuration.rules.candidates(for: origin, isProxy: false)
        let isOpened = way.isTunnel && configuration.interception?.opens(host: origin.host) == true
        return Destination(
            origin: origin,
            asked: asked,
            isTunnel: way.isTunnel,
            isTunnelled: way.isTunnelled,
            isOpened: isOpened,
            route: route,
            hopCount: hops.count,
            terms: terms,
            hop: hop(
                to: origin,
                by: route,
                hops.count > terms.place ? hops[terms.place] : .direct,
                security,
                way,
                terms
            ),
            candidates: candidates,
            tunnelTrust: way.isTunnel ? configuration.trust.policy(host: origin.host, port: origin.port) : nil,
            standing: DestinationStanding(
                of: asked,
                way.isTunnel ? isOpened ? .opened : .tunnel : .plain,
                under: configuration.access,
                isOwn: shared.ownAddresses.isOwn
            )
        )
    }

    private func hop(
        to origin: Origin,
        by route: Route,
        _ next: NextHop,
        _ security: HopSecurity?,
        _ way: DestinationTable.Way,
        _ terms: DestinationTerms
    ) -> Hop {
        switch next {
        case .direct:
            return hop(to: origin, by: route, security, terms)
        case .parent(let parent) where parent.kind == .socks5:
            return hop(to: origin, bySOCKS: parent, security, terms)
        case .parent(let parent):
            let plain = hop(of: parent, terms.parents[...], terms.parentRules)
            return security == nil && !way.isTunnelled ? plain : hop(to: origin, through: plain, security, terms)
        }
    }

    private func hop(
        to origin: Origin,
        by route: Route,
        _ security: HopSecurity?,
        _ terms: DestinationTerms
    ) -> Hop {
        let port = route.to?.port ?? origin.port
        let address = route.to?.address ?? terms.redirection?.address
        let key = "origin \(origin.host):\(port) \(address?.description ?? "") \(security?.key ?? "")"
        return destinations.hop(key) {
            Hop(
                key: key,
                host: origin.host,
                port: port,
                address: address,
                parent: nil,
                security: security,
                candidates: CandidateRules(origin: origin, isProxy: true, rules: [])
            )
        }
    }

    /// An origin that a SOCKS5 proxy connects to (R-2).
    private func hop(
        to origin: Origin,
        bySOCKS parent: ParentProxy,
        _ security: HopSecurity?,
        _ terms: DestinationTerms
    ) -> Hop {
        let key =
            "parent \(parent.name) origin \(origin.host):\(origin.port) \(security?.key ?? "") \(terms.parentRules)"
        return destinations.hop(key) {
            Hop(
                key: key,
                host: parent.origin.host,
                port: parent.origin.port,
                address: nil,
                parent: nil,
                socks: SOCKSProxy(
                    parent: parent,
                    host: origin.host,
                    port: origin.port,
                    candidates: configuration.rules.candidates(for: parent.origin, isProxy: true)
                ),
                carrier: carrier(to: parent, terms.parents.dropFirst(), terms.parentRules),
                security: security,
                candidates: CandidateRules(origin: origin, isProxy: true, rules: [])
            )
        }
    }

    /// An origin that a parent leads to by CONNECT, with TLS inside (H-1), or in the clear (I-3, R-5).
    private func hop(
        to origin: Origin,
        through parent: Hop,
        _ security: HopSecurity?,
        _ terms: DestinationTerms
    ) -> Hop {
        let key = "\(parent.key) origin \(origin.host):\(origin.port) \(security?.key ?? "") \(terms.parentRules)"
        return destinations.hop(key) {
            Hop(
                key: key,
                host: parent.host,
                port: parent.port,
                address: parent.address,
                parent: parent.parent,
                carrier: parent.carrier,
                security: parent.security,
                tunnel: TunnelledOrigin(
                    parent: parent,
                    authority: Array(origin.authorityWithPort.utf8),
                    security: security
                ),
                candidates: parent.candidates
            )
        }
    }

    /// `certificates` are those for it and for the parents through which it is reached; apart by `rules` where one of
    /// those has some that aren't for all clients.
    func hop(of parent: ParentProxy, _ certificates: ArraySlice<Credential?> = [], _ rules: [Int] = []) -> Hop {
        let origin = parent.origin
        let certificate = certificates.first ?? nil
        let security = origin.scheme == .https ? security(of: origin, certificate) : nil
        let shown = certificates.compactMap { $0.map { " \($0.name)" } }.joined(separator: "\n")
        let key = "parent \(parent.name)\(shown)\(parent.via == nil || rules.isEmpty ? "" : " \(rules)")"
        return destinations.hop(key) {
            Hop(
                key: key,
                host: origin.host,
                port: origin.port,
                address: nil,
                parent: parent,
                carrier: carrier(to: parent, certificates.dropFirst(), rules),
                security: security,
                candidates: configuration.rules.candidates(for: origin, isProxy: true)
            )
        }
    }

    /// The tunnel by which a parent is reached that stands behind another one (`via`).
    private func carrier(
        to parent: ParentProxy,
        _ certificates: ArraySlice<Credential?>,
        _ rules: [Int]
    ) -> Destination? {
        guard let via = parent.via else { return nil }
        let target = Origin(scheme: .https, host: parent.origin.host, port: parent.origin.port)
        var terms = DestinationTerms()
        terms.parents = Array(certificates)
        terms.parentRules = rules
        return Destination(
            origin: target,
            isTunnel: true,
            route: Route(via: [.parent(via)], to: nil, index: -1, place: via.place),
            terms: terms,
            hop: via.kind == .socks5
                ? hop(to: target, bySOCKS: via, nil, terms) : hop(of: via, certificates, rules),
            candidates: CandidateRules(origin: target, isProxy: false, rules: [])
        )
    }

    /// TLS to a host under its trust policy.
    func security(of origin: Origin, _ certificate: Credential?) -> HopSecurity {
        configuration.security(of: origin, showing: certificate)
    }
}

extension ServerConfiguration {
    /// TLS to a host under its trust policy, for exchanges and for requests of the proxy's own (T-7).
    func security(of origin: Origin, showing certificate: Credential?) -> HopSecurity {
        HopSecurity(
            policy: trust.policy(host: origin.host, port: origin.port),
            identity: IPAddress(origin.host).map(ReferenceIdentity.address) ?? .name(origin.host),
            clientIdentity: certificate
        )
    }
}
