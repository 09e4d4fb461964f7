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
    private static let hopBound = 4 * bound

    private var slots = [Destination?](repeating: nil, count: slotCount)
    private var count = 0
    private var hops: [String: Hop] = [:]

    /// What the destinations of one host and port are told apart by.
    struct Way: Equatable {
        let scheme: Scheme
        /// The target of a CONNECT.
        var isTunnel = false
        /// Through a tunnel of a parent's even in the clear (I-3, R-5).
        var isTunnelled = false
    }

    /// The destination of this host and port, made by `make` where it isn't known.
    func find(_ host: Span<UInt8>, _ port: UInt16?, _ way: Way, _ make: () -> Destination) -> Destination {
        var slot = Self.hash(host, port ?? 0, way.isTunnel)
        for _ in 0..<16 {
            guard let found = slots[slot] else { break }
            if found.isTunnel == way.isTunnel, found.isTunnelled == way.isTunnelled,
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
        // Of one host there may be hops to many addresses, to which clients were going.
        if hops.count >= Self.hopBound { clear() }
        let hop = make()
        hops[key] = hop
        return hop
    }

    /// Lets go of everything.
    func close() {
        for destination in slots { destination?.variants.removeAll() }
        slots = [Destination?](repeating: nil, count: Self.slotCount)
        hops = [:]
    }

    private func clear() {
        // They hold what they are variants of.
        for destination in slots { destination?.variants.removeAll() }
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

    /// Those of which something was learned; one that can be asked for in two ways comes once.
    var known: [Destination] {
        var seen: Set<ObjectIdentifier> = []
        return slots.compactMap(\.self).filter { !$0.learned.isEmpty && seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// The parents of which something was learned.
    var knownParents: [Hop] { hops.values.filter { $0.isParent && !$0.learned.isEmpty } }

    /// Ties what was learned to the new rules; what has no rule any more is forgotten.
    func rebind(to policy: Policy, worker: Worker) {
        let known = known
        let oldHops = hops
        for hop in hops.values { hop.isCurrent = false }
        for destination in slots { destination?.variants.removeAll() }
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
