internal import Authentication
internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules
internal import Trust

extension Worker {
    /// The destination of a request: its route, its rules, and what was learned of it.
    ///
    /// The connections of one that `isAnonymous` show the origin no certificate of ours.
    /// `redirection` says what is dialled in place of the host's own addresses.
    /// One that `upgrades` goes through a tunnel of its parent's, whatever its port; `hops` are those of a PAC file.
    func destination(
        for head: borrowing RequestHead,
        of client: Client,
        isAnonymous: Bool,
        upgrades: Bool = false,
        by hops: [NextHop]? = nil,
        at redirection: Redirection? = nil
    ) -> Destination {
        let target = head.target
        let isTunnel = target.form == .authority
        let way = DestinationTable.Way(
            scheme: isTunnel ? .https : target.scheme ?? .http,
            isTunnel: isTunnel,
            isTunnelled: upgrades && !isTunnel
        )
        let found = destinations.find(head.bytes(target.host), target.port, way) {
            let host = String(copying: head.bytes(target.host))
            return makeDestination(Origin(scheme: way.scheme, host: host, port: target.port), way)
        }
        return destination(found, of: client, isAnonymous, hops, at: redirection)
    }

    /// The destination of all requests in a tunnel that is opened.
    ///
    /// `place` is that of the hop by which the tunnel's own connection goes; nil where any hop will do.
    func destination(
        in tunnel: OpenedTunnel,
        of client: Client,
        isAnonymous: Bool = false,
        by hops: [NextHop]? = nil,
        at place: Int? = nil
    ) -> Destination {
        let origin = tunnel.origin
        let way = DestinationTable.Way(scheme: origin.scheme, isTunnelled: origin.scheme == .http)
        let host = origin.host.utf8
        let found = destinations.find(host.span, origin.port, way) { makeDestination(origin, way) }
        return destination(found, of: client, isAnonymous, hops, place, at: tunnel.redirection)
    }

    private func destination(
        _ found: Destination,
        of client: Client,
        _ isAnonymous: Bool,
        _ hops: [NextHop]?,
        _ place: Int? = nil,
        at redirection: Redirection?
    ) -> Destination {
        guard found.hopCount <= 1, hops == nil, redirection == nil else {
            return upToDate(choose(found, client, isAnonymous, hops, place, redirection))
        }
        guard configuration.rules.hasClientCertificates || found.hop.isForSomeClients else { return upToDate(found) }
        return upToDate(variant(of: found, for: client, isAnonymous))
    }

    private func upToDate(_ found: Destination) -> Destination {
        let version = shared.learned.currentVersion
        if found.learnedVersion != version { adoptLearned(found, version) }
        return found
    }

    /// The destination by the first of several hops that isn't known to be dead.
    private func choose(
        _ found: Destination,
        _ client: Client,
        _ isAnonymous: Bool,
        _ hops: [NextHop]?,
        _ place: Int?,
        _ redirection: Redirection?
    ) -> Destination {
        var base = found
        if hops != nil || redirection != nil {
            var terms = DestinationTerms()
            terms.hops = hops
            terms.redirection = redirection
            base = variant(of: found, terms)
        }
        let place = place ?? (shared.ways.isEmpty ? 0 : firstAlive(of: base, except: 0) ?? 0)
        return variant(of: way(place, of: base), for: client, isAnonymous)
    }

    /// The first hop that isn't known to be dead and isn't one of `tried`, by its place; nil where there is none.
    private func firstAlive(of destination: Destination, except tried: UInt64) -> Int? {
        (0..<destination.hopCount).first { place in
            tried & 1 << UInt64(place) == 0
                && shared.ways.mayBeTried(way(place, of: destination).hop.wayName, now: loop.now)
        }
    }

    /// The way to the same destination by another hop, for an exchange whose hops `tried` failed it; nil where no hop is
    /// left. When all are dead, the first is tried before the request fails.
    func furtherWay(of destination: Destination, for client: Client, isAnonymous: Bool, tried: UInt64) -> Destination? {
        guard destination.hopCount > 1 else { return nil }
        guard let place = firstAlive(of: destination, except: tried) ?? (tried & 1 == 0 ? 0 : nil) else { return nil }
        return upToDate(variant(of: way(place, of: destination), for: client, isAnonymous))
    }

    private func way(_ place: Int, of destination: Destination) -> Destination {
        var terms = destination.terms
        terms.place = place
        return variant(of: destination, terms)
    }

    /// The destination as this client's connections reach it: with which certificates of ours (T-6), and through tunnels
    /// that parents opened for which rules.
    private func variant(of found: Destination, for client: Client, _ isAnonymous: Bool) -> Destination {
        let rules = configuration.rules
        var terms = found.terms
        terms.own = nil
        if !isAnonymous, !terms.isDoubtful {
            terms.own = rules.clientCertificateRule(for: found.origin, isProxy: false, client: client)?.credential
        }
        terms.parents = []
        var parent = found.hop.parent ?? found.hop.socks?.parent
        while let next = parent, rules.hasClientCertificates {
            let rule = rules.clientCertificateRule(for: next.origin, isProxy: true, client: client)
            terms.parents.append(rule?.credential)
            parent = next.via
        }
        terms.parentRules = found.hop.isForSomeClients ? found.hop.places(for: client) : []
        return variant(of: found, terms)
    }

    private func variant(of found: Destination, _ terms: DestinationTerms) -> Destination {
        guard terms.key != found.terms.key else { return found }
        let root = found.root ?? found
        guard terms.key != root.terms.key else { return root }
        if let known = root.variants[terms.key] { return known }
        let made = makeDestination(found.asked, found.way, terms)
        if !terms.isDoubtful { made.learned = found.learned }
        made.root = root
        if root.variants.count >= Self.mostVariants { root.variants.removeAll() }
        root.variants[terms.key] = made
        return made
    }

    private static let mostVariants = 64
}
