package import Bytes

/// What is remembered of one way that failed: it rests for a while that doubles with each failure.
package struct WayHealth: Equatable, Sendable {
    /// The first rest, and the longest.
    private static let rest = (first: Nanoseconds.seconds(1), longest: Nanoseconds.seconds(300))

    /// When it may be tried again.
    package private(set) var restsUntil: Instant
    /// How long it rests when it fails next.
    private var nextRest: Nanoseconds

    /// It failed for the first time.
    package init(failedAt now: Instant) {
        restsUntil = now.adding(nanoseconds: Self.rest.first)
        nextRest = Self.rest.first * 2
    }

    /// It failed again; requests that were under way when it failed before say nothing new.
    package mutating func failed(at now: Instant) {
        guard now >= restsUntil || isTried else { return }
        isTried = false
        restsUntil = now.adding(nanoseconds: nextRest)
        nextRest = min(nextRest * 2, Self.rest.longest)
    }

    /// Somebody tries it, while the others go on passing it over: for as long as a try may take.
    private var isTried = false

    /// Whether it may be tried now; the first who asks behind its rest does so for all, at most `tryLength` long.
    package mutating func mayBeTried(at now: Instant, tryLength: Nanoseconds) -> Bool {
        guard now >= restsUntil else { return false }
        isTried = true
        restsUntil = now.adding(nanoseconds: tryLength)
        return true
    }

    /// The request that tried it ended, and not for its sake: the next one tries it.
    package mutating func tryEnded(at now: Instant) {
        guard isTried else { return }
        isTried = false
        restsUntil = now
    }
}
