internal import Authentication
internal import Bytes
internal import Exchange
internal import HTTP
internal import Rules
internal import Trust

/// The destinations of one loop, found by the bytes of the target without making text of them.
final class DestinationTable {
    private static let slotCount = 8192
    private static let bound = 4096

    private var slots = [Destination?](repeating: nil, count: slotCount)
    private var count = 0
    private var hops: [String: Hop] = [:]

    /// What the destinations of one host and port are told apart by.
    struct Way: Equatable {
        let scheme: Scheme
        /// The target of a CONNECT.
        var isTunnel = false
        /// In the clear inside a client's CONNECT.
        var isInside = false
    }

    /// The destination of this host and port, made by `make` where it isn't known.
    func find(_ host: Span<UInt8>, _ port: UInt16?, _ way: Way, _ make: () -> Destination) -> Destination {
        var slot = Self.hash(host, port ?? 0, way.isTunnel)
        for _ in 0..<16 {
            guard let found = slots[slot] else { break }
            if found.isTunnel == way.isTunnel, found.isInside == way.isInside,
                found.asked.matches(scheme: way.scheme, host: host, port: port)
            {
                return found
            }
            slot = (slot + 1) % Self.slotCount
        }
        if count >= Self.bound || slots[slot] != nil { clear() }
        let made = make()
        slots[slot] = made
        count += 1
        return made
    }

    private static func hash(_ host: Span<UInt8>, _ port: UInt16, _ isTunnel: Bool) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in 0..<host.count {
            hash = (hash ^ UInt64(ASCII.lowercased(host[index]))) &* 0x100_0000_01b3
        }
        hash = (hash ^ UInt64(port) ^ (isTunnel ? 0x1_0000 : 0)) &* 0x100_0000_01b3
        return Int(truncatingIfNeeded: (hash ^ hash >> 29) % UInt64(slotCount))
    }

    func hop(_ key: String, _ make: () -> Hop) -> Hop {
        if let hop = hops[key] { return hop }
        let hop = make()
        hops[key] = hop
        return hop
    }

    private func clear() {
        slots = [Destination?](repeating: nil, count: Self.slotCount)
        count = 0
        for (key, hop) in hops where hop.openCount == 0 && !hop.isParent {
            hop.isCurrent = false
            hops[key] = nil
        }
    }

    func evict(before now: Instant) {
        if count >= Self.bound * 3 / 4 { clear() }
    }

    /// A nonce of a closed connection goes back to the space that it belongs to.
    func giveBack(_ nonce: HeldNonce) {
        guard let destination = nonce.destination else { return }
        destination.learned.giveBack(nonce)
    }

    /// Ties what was learned to the new rules; what has no rule any more is forgotten.
    func rebind(to policy: Policy, worker: Worker) {
        let known = slots.compactMap(\.self).filter { !$0.learned.isEmpty }
        let oldHops = hops
        for hop in hops.values { hop.isCurrent = false }
        slots = [Destination?](repeating: nil, count: Self.slotCount)
        hops = [:]
        count = 0
        worker.shared.learned.clear()
        for old in known {
            let new = worker.makeDestination(old.asked, old.way)
            new.learned = old.learned
            new.learned.rebind { Self.binding($0, in: new.candidates, policy) }
            guard !new.learned.isEmpty else { continue }
            insert(new)
        }
        for (key, old) in oldHops where old.isParent && !old.learned.isEmpty {
            guard let parent = policy.configuration.parents.first(where: { "parent \($0.name)" == key }) else {
                continue
            }
            let new = worker.hop(of: parent)
            new.learned = old.learned
            new.learned.rebind { Self.binding($0, in: new.candidates, policy) }
        }
        worker.pool.closeIdle(except: Set(hops.values.map(ObjectIdentifier.init)), worker: worker)
    }

    private func insert(_ destination: Destination) {
        let host = Array(destination.asked.host.utf8)
        for port in [destination.asked.port, 0] {
            guard port != 0 || destination.asked.port == destination.asked.scheme.defaultPort else { continue }
            var slot = Self.hash(host.span, port, destination.isTunnel)
            for _ in 0..<16 where slots[slot] != nil { slot = (slot + 1) % Self.slotCount }
            if slots[slot] == nil { slots[slot] = destination }
            count += 1
        }
    }

    /// The same name with the same secret under a rule that still gives it for that space.
    private static func binding(
        _ space: LearnedSpace,
        in candidates: CandidateRules,
        _ policy: Policy
    ) -> (credential: Credential, ruleIndex: Int)? {
        for rule in candidates.rules {
            guard let credential = rule.credential, credential.name == space.credential.name else { continue }
            guard credential.hasSameSecret(as: space.credential), rule.methods.contains(space.method) else { continue }
            guard rule.space.realm.matches(space.realm) else { continue }
            return (credential, rule.index)
        }
        return nil
    }
}

extension Worker {
    /// The destination of a request: its route, its rules, and what was learned of it.
    ///
    /// The connections of one that `isAnonymous` show the origin no certificate of ours (A-15).
    func destination(for head: borrowing RequestHead, of client: Client, isAnonymous: Bool) -> Destination {
        let target = head.target
        let isTunnel = target.form == .authority
        let way = DestinationTable.Way(scheme: isTunnel ? .https : target.scheme ?? .http, isTunnel: isTunnel)
        let found = destinations.find(head.bytes(target.host), target.port, way) {
            let host = String(copying: head.bytes(target.host))
            return makeDestination(Origin(scheme: way.scheme, host: host, port: target.port), way)
        }
        return destination(found, of: client, isAnonymous)
    }

    /// The destination of all requests in a tunnel that is opened.
    func destination(in tunnel: OpenedTunnel, of client: Client, isAnonymous: Bool = false) -> Destination {
        let origin = tunnel.origin
        let way = DestinationTable.Way(scheme: origin.scheme, isInside: origin.scheme == .http)
        let host = origin.host.utf8
        let found = destinations.find(host.span, origin.port, way) { makeDestination(origin, way) }
        return destination(found, of: client, isAnonymous)
    }

    private func destination(_ found: Destination, of client: Client, _ isAnonymous: Bool) -> Destination {
        let isShared = found.hop.tunnel == nil || !found.hop.candidates.namesClients
        guard configuration.rules.hasClientCertificates || !isShared else { return upToDate(found) }
        return upToDate(variant(of: found, for: client, isAnonymous))
    }

    private func upToDate(_ found: Destination) -> Destination {
        let version = shared.learned.currentVersion
        if found.learnedVersion != version { adoptLearned(found, version) }
        return found
    }

    /// The destination as this client's connections reach it: with which certificates of ours (T-6), and through tunnels
    /// that a parent opened for which rules.
    private func variant(of found: Destination, for client: Client, _ isAnonymous: Bool) -> Destination {
        let rules = configuration.rules
        var share = ClientShare()
        if !isAnonymous {
            share.own = rules.clientCertificateRule(for: found.origin, isProxy: false, client: client)?.credential
        }
        share.parent = found.hop.parent.flatMap {
            rules.clientCertificateRule(for: $0.origin, isProxy: true, client: client)?.credential
        }
        if found.hop.tunnel != nil, found.hop.candidates.namesClients {
            share.parentRules = found.hop.candidates.places(for: client)
        }
        guard !share.isEmpty else { return found }
        if let known = found.variants[share.key] { return known }
        let made = makeDestination(found.asked, found.way, share)
        made.learned = found.learned
        found.variants[share.key] = made
        return made
    }

    func makeDestination(
        _ asked: Origin,
        _ way: DestinationTable.Way,
        _ share: ClientShare = ClientShare()
    ) -> Destination {
        let route = configuration.routes.route(for: asked)
        let isTunnel = way.isTunnel
        var origin = asked
        if !isTunnel, asked.scheme == .http, let port = route.upgrade {
            origin = Origin(scheme: .https, host: asked.host, port: port)
        }
        let security = isTunnel || origin.scheme == .http ? nil : security(of: origin, share.own)
        let hop: Hop
        if case .parent(let parent)? = route.hops(to: asked).first {
            let plain = self.hop(of: parent, share.parent)
            hop = security == nil && !way.isInside ? plain : self.hop(to: origin, through: plain, security, share)
        } else {
            hop = self.hop(to: origin, by: route, security)
        }
        let candidates =
            isTunnel
            ? CandidateRules(origin: origin, isProxy: false, rules: [])
            : configuration.rules.candidates(for: origin, isProxy: false)
        return Destination(
            origin: origin,
            asked: asked,
            isTunnel: isTunnel,
            isInside: way.isInside,
            isOpened: isTunnel && configuration.interception?.opens(host: origin.host) == true,
            route: route,
            hop: hop,
            candidates: candidates,
            tunnelTrust: isTunnel ? configuration.trust.policy(host: origin.host, port: origin.port) : nil
        )
    }

    private func hop(to origin: Origin, by route: Route, _ security: HopSecurity?) -> Hop {
        let port = route.to?.port ?? origin.port
        let address = route.to?.address
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

    /// An origin that a parent leads to by CONNECT, with TLS inside (H-1), or in the clear as the client has it (I-3).
    private func hop(to origin: Origin, through parent: Hop, _ security: HopSecurity?, _ share: ClientShare) -> Hop {
        let key = "\(parent.key) origin \(origin.host):\(origin.port) \(security?.key ?? "") \(share.parentRules)"
        return destinations.hop(key) {
            Hop(
                key: key,
                host: parent.host,
                port: parent.port,
                address: parent.address,
                parent: parent.parent,
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

    func hop(of parent: ParentProxy, _ certificate: Credential? = nil) -> Hop {
        let origin = parent.origin
        let security = origin.scheme == .https ? security(of: origin, certificate) : nil
        let key = "parent \(parent.name)\(certificate.map { " \($0.name)" } ?? "")"
        return destinations.hop(key) {
            Hop(
                key: key,
                host: origin.host,
                port: origin.port,
                address: nil,
                parent: parent,
                security: security,
                candidates: configuration.rules.candidates(for: origin, isProxy: true)
            )
        }
    }

    /// TLS to a host under its trust policy.
    func security(of origin: Origin, _ certificate: Credential?) -> HopSecurity {
        configuration.security(of: origin, showing: certificate)
    }

    private func adoptLearned(_ destination: Destination, _ version: UInt64) {
        destination.learnedVersion = version
        if !destination.isTunnel {
            destination.learned.adopt(
                missing: shared.learned.spaces(of: destination.serverName),
                under: destination.candidates
            )
        }
        if destination.hop.isParent {
            destination.hop.teacher.learned.adopt(
                missing: shared.learned.spaces(of: destination.hop.serverName),
                under: destination.hop.candidates
            )
        }
    }

    /// Lets the other loops start from what this one learned.
    func publishLearned(_ destination: Destination) {
        if !destination.learned.isEmpty {
            shared.learned.publish(destination.serverName, destination.learned.snapshot)
        }
        if destination.hop.isParent, !destination.hop.teacher.learned.isEmpty {
            shared.learned.publish(destination.hop.serverName, destination.hop.teacher.learned.snapshot)
        }
    }

    func replayLimits(mightBeAnswered: Bool, isIdempotent: Bool) -> ReplayLimits {
        let limits = configuration.limits
        guard mightBeAnswered || isIdempotent else { return .none }
        return ReplayLimits(
            memory: UInt64(limits.replayMemory),
            disk: mightBeAnswered ? UInt64(limits.replayDisk) : 0,
            folder: configuration.spool
        )
    }
}

extension Destination {
    /// How it was asked for.
    fileprivate var way: DestinationTable.Way {
        DestinationTable.Way(scheme: asked.scheme, isTunnel: isTunnel, isInside: isInside)
    }
}

/// What of ours one client's connections to one destination may use.
struct ClientShare {
    /// The certificate that the origin may be shown.
    var own: Credential?
    /// The certificate that its parent may be shown.
    var parent: Credential?
    /// The rules of the parent's that are for this client, where some aren't for all.
    var parentRules: [Int] = []

    var isEmpty: Bool { own == nil && parent == nil && parentRules.isEmpty }

    /// Tells them apart by names, neither of which holds a line feed.
    var key: String { "\(own?.name ?? "")\n\(parent?.name ?? "")\n\(parentRules)" }
}

extension LearnedSpaces {
    /// Learns those spaces of another loop that are not known here; order and nonces of what is known stay.
    ///
    /// An exchange that began before a reload teaches nothing that the rules in force don't give (S-4).
    mutating func adopt(missing snapshot: [LearnedSpace], under candidates: CandidateRules) {
        guard !snapshot.isEmpty else { return }
        let known = self.snapshot
        adopt(
            snapshot.filter { space in
                candidates.rule(at: space.ruleIndex)?.credential === space.credential
                    && !known.contains {
                        $0.credential === space.credential && $0.realm == space.realm && $0.method == space.method
                    }
            }
        )
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
