internal import Bytes
internal import Events
internal import Exchange
internal import Synchronization

/// The ways that failed lately, for all loops: parents by their names, and what was dialled directly.
final class WayTable: Sendable {
    private static let bound = 10_000
    /// How long one request has a way to itself that may be alive again: what a connection with its handshake may take.
    private static let tryLength: Nanoseconds = .seconds(20)

    private let dead = Locked<[String: WayHealth]>([:])
    private let count = Atomic<Int>(0)

    /// None failed: asked for far more often than it changes.
    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    func mayBeTried(_ way: String, now: Instant) -> Bool {
        dead.withLock { $0[way]?.mayBeTried(at: now, tryLength: Self.tryLength) ?? true }
    }

    /// It failed lately, and nobody tries it yet, or has come to an end with that.
    func isResting(_ way: String, now: Instant) -> Bool {
        !isEmpty && dead.withLock { $0[way].map { now < $0.restsUntil } ?? false }
    }

    /// Those that rest now, by name, with the moment at which they may be tried again.
    func resting(now: Instant) -> [String: Instant] {
        dead.withLock { $0.filter { now < $0.value.restsUntil }.mapValues(\.restsUntil) }
    }

    func failed(_ way: String, now: Instant) {
        dead.withLock { dead in
            if dead[way] != nil {
                dead[way]?.failed(at: now)
            } else {
                if dead.count >= Self.bound { dead = dead.filter { $0.value.restsUntil > now } }
                if dead.count >= Self.bound { dead.removeAll() }
                dead[way] = WayHealth(failedAt: now)
            }
            count.store(dead.count, ordering: .relaxed)
        }
    }

    /// A request that went by it ended, for whatever reason.
    func tryEnded(_ way: String, now: Instant) {
        dead.withLock { $0[way]?.tryEnded(at: now) }
    }

    /// It is alive: whatever it responds.
    func responded(_ way: String) {
        dead.withLock { dead in
            guard dead.removeValue(forKey: way) != nil else { return }
            count.store(dead.count, ordering: .relaxed)
        }
    }
}
