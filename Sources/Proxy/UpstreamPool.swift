internal import Bytes
internal import Events
internal import Exchange
internal import Rules

/// The upstream connections of one loop, by id, and the places that wait for one.
final class UpstreamPool {
    private var connections: [UpstreamConnection?] = []
    private var free: [Int] = []
    private var hops: [ObjectIdentifier: Hop] = [:]
    /// Attempts that wait for a place at their host's limit.
    var waiting: [ConnectionAttempt] = []

    func add(_ hop: Hop, _ make: (UpstreamID) -> UpstreamConnection) -> UpstreamConnection {
        let index = free.popLast() ?? connections.count
        if index == connections.count { connections.append(nil) }
        let connection = make(UpstreamID(index: index))
        connections[index] = connection
        hop.openCount += 1
        hops[ObjectIdentifier(hop)] = hop
        return connection
    }

    /// The connection leads to `hop` from now on, which is the same server's, or that of a tunnel through it.
    func turn(_ connection: UpstreamConnection, to hop: Hop) {
        let old = connection.hop
        guard old !== hop else { return }
        old.openCount -= 1
        if old.openCount == 0 { hops[ObjectIdentifier(old)] = nil }
        connection.hop = hop
        hop.openCount += 1
        hops[ObjectIdentifier(hop)] = hop
    }

    /// The connections that are open, in use or not.
    var openCount: Int { hops.values.reduce(0) { $0 + $1.openCount } }

    subscript(id: UpstreamID) -> UpstreamConnection? { connections[id.index] }

    func remove(_ connection: UpstreamConnection) -> Bool {
        let index = connection.id.index
        guard connections[index] === connection else { return false }
        connections[index] = nil
        free.append(index)
        let hop = connection.hop
        hop.openCount -= 1
        if let place = hop.idle.lastIndex(of: connection.id) { hop.idle.remove(at: place) }
        takeOwned(connection)
        if hop.openCount == 0 { hops[ObjectIdentifier(hop)] = nil }
        return true
    }

    /// How many idle connections belong to somebody, over all hops.
    private var ownedCount = 0
    /// How many of them are kept at most: of one hop, and of all.
    private static let ownedBound = (hop: 64, all: 1024)

    /// Keeps a connection for whom it belongs to; the one that has idled longest gives way.
    func keepOwned(_ connection: UpstreamConnection, worker: Worker) {
        connection.hop.owned.append(connection.id)
        ownedCount += 1
        if connection.hop.owned.count > Self.ownedBound.hop {
            closeFirstOwned(of: connection.hop, worker: worker)
        } else if ownedCount > Self.ownedBound.all, let hop = hops.values.min(by: { idleSince($0) < idleSince($1) }) {
            closeFirstOwned(of: hop, worker: worker)
        }
    }

    private func closeFirstOwned(of hop: Hop, worker: Worker) {
        if let id = hop.owned.first, let connection = connections[id.index] { worker.discard(connection) }
    }

    private func idleSince(_ hop: Hop) -> Instant {
        hop.owned.first.flatMap { connections[$0.index]?.idleSince } ?? .distantFuture
    }

    /// Takes it out of those that are kept.
    func takeOwned(_ connection: UpstreamConnection) {
        guard let place = connection.hop.owned.lastIndex(of: connection.id) else { return }
        connection.hop.owned.remove(at: place)
        ownedCount -= 1
    }

    /// Closes what has idled since before `moment`.
    func closeIdle(before moment: Instant, worker: Worker) {
        for hop in hops.values {
            for id in hop.idle + hop.owned {
                guard let connection = connections[id.index], connection.idleSince < moment else { continue }
                worker.discard(connection)
            }
        }
    }

    /// Closes the idle connections of hops that no destination leads to any more.
    func closeIdle(except hops: Set<ObjectIdentifier>, worker: Worker) {
        for hop in self.hops.values where !hops.contains(ObjectIdentifier(hop)) {
            for id in hop.idle + hop.owned { if let connection = connections[id.index] { worker.discard(connection) } }
        }
    }

    /// Closes one idle connection to this host, or to any where it is nil.
    func closeOneIdle(of host: String?, worker: Worker) {
        for hop in hops.values where host == nil || hop.serverKey == host {
            if let id = hop.idle.first ?? hop.owned.first, let connection = connections[id.index] {
                return worker.discard(connection)
            }
        }
    }

    /// Some attempt of this loop waits for a place at the host.
    func isWaited(for host: String) -> Bool { waiting.contains { $0.hop.serverKey == host } }

    func closeAll(worker: Worker) {
        for connection in connections { if let connection { worker.discard(connection) } }
    }
}

/// What a request needs of an idle connection.
struct Lease {
    /// Whose it may be (C-1).
    let wanted: ConnectionIdentity?
    let mayBeRepeated: Bool
    let reaching: Reaching
}

extension Worker {
    /// An idle connection to the destination's hop, the one used last; one that may not be repeated gets none that idled
    /// over 1 s (H-6), and none gets one that was dialled at an address that it may not have.
    ///
    /// One that belongs to whom it is wanted for goes before one that is nobody's (C-1).
    func lease(_ destination: Destination, _ lease: Lease) -> UpstreamConnection? {
        let hop = destination.hop
        if lease.wanted != nil, let owned = leaseOwned(destination, lease) { return owned }
        var place = hop.idle.count - 1
        while place >= 0 {
            let id = hop.idle[place]
            if let connection = pool[id] {
                guard admits(connection, to: destination, lease.reaching) else {
                    place -= 1
                    continue
                }
                if connection.isUsable {
                    guard lease.mayBeRepeated || isYoung(connection) else { return nil }
                    hop.idle.remove(at: place)
                    return connection
                }
                discard(connection)
            } else {
                hop.idle.remove(at: place)
            }
            // Others may have gone with it.
            place = min(place, hop.idle.count) - 1
        }
        return nil
    }

    private func leaseOwned(_ destination: Destination, _ lease: Lease) -> UpstreamConnection? {
        let wanted = lease.wanted
        var best: (connection: UpstreamConnection, fitness: Int)?
        for id in destination.hop.owned.reversed() {
            guard let connection = pool[id] else { continue }
            guard connection.isUsable else {
                discard(connection)
                continue
            }
            guard lease.mayBeRepeated || isYoung(connection), let fitness = connection.identity.fitness(for: wanted),
                admits(connection, to: destination, lease.reaching)
            else { continue }
            if fitness > best?.fitness ?? 0 { best = (connection, fitness) }
            // None can serve it better; all those that idle are worth no look.
            if fitness == wanted?.greatestFitness { break }
        }
        if let best { pool.takeOwned(best.connection) }
        return best?.connection
    }

    /// It has idled for a second at most, so that its peer will hardly have ended it (H-6).
    func isYoung(_ connection: UpstreamConnection) -> Bool {
        loop.now.since(connection.idleSince) <= .seconds(1)
    }

    /// The connection is free for the next exchange.
    func release(_ connection: UpstreamConnection) {
        connection.runner = nil
        guard connection.isUsable, !isDraining, connection.hop.isCurrent || connection.isBound else {
            return discard(connection)
        }
        connection.idleSince = loop.now
        if connection.isBound { return }
        let isMeant = { (attempt: ConnectionAttempt) in
            attempt.hop === connection.hop && connection.identity.fitness(for: attempt.wanted) != nil
                && self.admits(connection, to: attempt.destination, attempt.reaching)
        }
        if let attempt = stopWaiting(where: isMeant) { return attempt.handOver(connection) }
        // Its place is of use to another loop, or for another way to the same host.
        if shared.hosts.isWaited(for: connection.hop.serverKey) { return discard(connection) }
        if connection.identity != nil {
            if pool.isWaited(for: connection.hop.serverKey) { return discard(connection) }
            return pool.keepOwned(connection, worker: self)
        }
        connection.hop.idle.append(connection.id)
    }

    /// The connection ends; its nonces are idle for others (A-4b).
    func discard(_ connection: UpstreamConnection) {
        guard pool.remove(connection) else { return }
        if let nonce = connection.nonces.parent { connection.hop.teacher.learned.giveBack(nonce) }
        if let nonce = connection.nonces.origin { destinations.giveBack(nonce) }
        connection.nonces = ConnectionNonces()
        connection.close()
        givePlace(at: connection.hop.serverKey)
    }

    // MARK: places at a host's limit

    var placesPerHost: Int { configuration.limits.upstreamConnectionsPerHost }

    /// Asks all loops for the place of an idle connection to this host.
    func askForPlace(_ host: String) {
        closeOneIdleUpstream(of: host)
        shared.peers.forEach(except: index) { $0.closeOneIdleUpstream(of: host) }
    }

    /// A place is free again: the loops that wait for it learn of that.
    func givePlace(at host: String) {
        for loop in shared.hosts.give(host) {
            if loop == index {
                later { [self] in placeFreed(at: host) }
            } else {
                shared.peers.send(to: loop) { $0.placeFreed(at: host) }
            }
        }
    }

    /// Who has waited longest here for a place at the host takes it.
    func placeFreed(at host: String) {
        while let attempt = pool.waiting.first(where: { $0.hop.serverKey == host }) {
            // Who took it meanwhile may idle with it by now.
            guard shared.hosts.take(host, limit: placesPerHost, for: index) else { return askForPlace(host) }
            stopWaiting { $0 === attempt }
            attempt.placeTaken()
        }
    }

    /// Takes the first of those attempts out of the queue.
    @discardableResult
    func stopWaiting(where isMeant: (ConnectionAttempt) -> Bool) -> ConnectionAttempt? {
        guard let place = pool.waiting.firstIndex(where: isMeant) else { return nil }
        let attempt = pool.waiting.remove(at: place)
        let host = attempt.hop.serverKey
        if !pool.waiting.contains(where: { $0.hop.serverKey == host }) { shared.hosts.leave(host, index) }
        return attempt
    }

    func closeOneIdleUpstream(of host: String? = nil) {
        pool.closeOneIdle(of: host, worker: self)
    }
}
