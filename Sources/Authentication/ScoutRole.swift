internal import Bytes

/// Who goes ahead with a credential that has yet to be confirmed, and who waits for the verdict.
///
/// There is one role in all, or one at each server; which, the caller says by `server`: nil is all of them together.
struct ScoutRole: Sendable {
    /// An exchange that was let go and has not told a verdict.
    struct Scout: Sendable {
        let waiter: Waiter
        var place: LedgerPlace
        let since: Instant
        /// It took so long that a second one may go.
        var isOverdue = false
        /// It was let go before the rejection that brought the doubt, so its confirmation doesn't end that.
        var predatesDoubt = false
    }

    /// An exchange that was woken to become the scout.
    struct Promise: Sendable {
        let waiter: Waiter
        let place: LedgerPlace
        let use: CredentialUse
        let since: Instant
    }

    /// An exchange that waits.
    struct Waiting: Sendable {
        var place: LedgerPlace
        var use: CredentialUse
        /// First come, first served.
        let turn: UInt64

        /// Light bodies before heavy ones.
        var weight: Int { use.isHeavy ? 1 : 0 }
    }

    /// After so long without a verdict a second scout goes.
    static let patience = Nanoseconds.seconds(5)
    /// After so long a promise that nobody took up is void.
    static let promiseLife = Nanoseconds.seconds(1)
    private static let shortestWait = Nanoseconds.milliseconds(20)

    private(set) var scouts: [Scout] = []
    private(set) var promises: [Promise] = []
    private(set) var waiting: [Waiter: Waiting] = [:]
    private var nextTurn: UInt64 = 0

    var isEmpty: Bool { scouts.isEmpty && promises.isEmpty && waiting.isEmpty }

    func scout(_ waiter: Waiter) -> Scout? {
        scouts.first { $0.waiter == waiter }
    }

    /// Where it is the scout, or was promised to be; nil where it is neither.
    func server(of waiter: Waiter) -> String? {
        scout(waiter)?.place.server ?? promises.first { $0.waiter == waiter }?.place.server
    }

    /// Whether one may be made a scout: there is none, or one that is overdue, and nobody was promised it.
    func isOpen(at server: String?) -> Bool {
        !promises.contains { Self.covers(server, $0.place) } && hasRoom(at: server)
    }

    /// The servers that somebody waits for.
    var awaitedServers: Set<String> {
        Set(waiting.values.map(\.place.server)).union(promises.map(\.place.server))
    }

    func isAwaited(at server: String?) -> Bool {
        waiting.values.contains { Self.covers(server, $0.place) }
    }

    func isAwaitedByLight(at server: String?, but waiter: Waiter) -> Bool {
        waiting.contains { $0.key != waiter && !$0.value.use.isHeavy && Self.covers(server, $0.value.place) }
    }

    /// Brings the role up to `now`: scouts that took too long are marked, promises that nobody took up are dropped.
    /// Returns whether that changed anything.
    mutating func advance(to now: Instant) -> Bool {
        var hasChanged = false
        for index in scouts.indices
        where !scouts[index].isOverdue && scouts[index].since.adding(nanoseconds: Self.patience) <= now {
            scouts[index].isOverdue = true
            hasChanged = true
        }
        let count = promises.count
        promises.removeAll { $0.since.adding(nanoseconds: Self.promiseLife) <= now }
        return hasChanged || promises.count != count
    }

    mutating func grant(_ waiter: Waiter, at place: LedgerPlace, now: Instant) {
        remove(waiter)
        scouts.append(Scout(waiter: waiter, place: place, since: now))
    }

    mutating func move(_ waiter: Waiter, to place: LedgerPlace) {
        for index in scouts.indices where scouts[index].waiter == waiter { scouts[index].place = place }
    }

    mutating func enqueue(_ waiter: Waiter, at place: LedgerPlace, use: CredentialUse) {
        if waiting[waiter] == nil {
            waiting[waiter] = Waiting(place: place, use: use, turn: nextTurn)
            nextTurn += 1
        } else {
            waiting[waiter]?.place = place
            waiting[waiter]?.use = use
        }
    }

    /// The promise that was given to it, taken up or withdrawn.
    mutating func takePromise(_ waiter: Waiter) -> Promise? {
        guard let index = promises.firstIndex(where: { $0.waiter == waiter }) else { return nil }
        return promises.remove(at: index)
    }

    /// Promises the role to the one whose turn it is, a request with a heavy body only where no other waits.
    mutating func promiseNext(at server: String?, now: Instant) -> Waiter? {
        var next: (waiter: Waiter, waiting: Waiting)?
        for (waiter, candidate) in waiting where Self.covers(server, candidate.place) {
            if let best = next?.waiting, (best.weight, best.turn) < (candidate.weight, candidate.turn) { continue }
            next = (waiter, candidate)
        }
        guard let (waiter, waiting) = next else { return nil }
        self.waiting[waiter] = nil
        promises.append(Promise(waiter: waiter, place: waiting.place, use: waiting.use, since: now))
        return waiter
    }

    /// Drops the promises that the role has no room for, as when the roles of several servers become one.
    mutating func dropSurplusPromises(at server: String?) {
        guard let first = promises.first(where: { Self.covers(server, $0.place) }) else { return }
        let hasRoom = hasRoom(at: server)
        promises.removeAll { Self.covers(server, $0.place) && !(hasRoom && $0.waiter == first.waiter) }
    }

    mutating func remove(_ waiter: Waiter) {
        scouts.removeAll { $0.waiter == waiter }
        promises.removeAll { $0.waiter == waiter }
        waiting[waiter] = nil
    }

    mutating func markScoutsAsOlderThanDoubt() {
        for index in scouts.indices { scouts[index].predatesDoubt = true }
    }

    /// When asking again could bring something, should no wake-up arrive.
    func nextChance(at server: String?, now: Instant) -> Instant {
        let soonest = now.adding(nanoseconds: Self.shortestWait)
        let others = scouts.filter { Self.covers(server, $0.place) }
        if let promise = promises.first(where: { Self.covers(server, $0.place) }) {
            return max(promise.since.adding(nanoseconds: Self.promiseLife), soonest)
        }
        // Of two scouts the later one counts: where the other leaves, this one is waited for.
        let last = others.map(\.since).max() ?? now
        return max(last.adding(nanoseconds: Self.patience), soonest)
    }

    private func hasRoom(at server: String?) -> Bool {
        let others = scouts.filter { Self.covers(server, $0.place) }
        return others.isEmpty || (others.count == 1 && others[0].isOverdue)
    }

    private static func covers(_ server: String?, _ place: LedgerPlace) -> Bool {
        guard let server else { return true }
        return place.server == server
    }
}
