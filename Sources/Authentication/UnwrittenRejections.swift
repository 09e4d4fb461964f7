internal import Bytes

/// Rejections of one credential that have yet to be written where other processes and the next start see them (A-7b).
struct UnwrittenRejections: Sendable {
    private struct Rejection: Sendable {
        let waiter: Waiter
        /// The place of its change among all.
        let number: UInt64
        let end: Instant
    }

    /// How long the writing is waited for; by then whoever writes has given up, or hangs.
    static let patience = Nanoseconds.seconds(6)

    private var rejections: [Rejection] = []

    var isEmpty: Bool { rejections.isEmpty }

    /// When the next of them isn't waited for any more.
    var firstEnd: Instant? { rejections.map(\.end).min() }

    /// Until when that exchange waits for what it told.
    func end(of waiter: Waiter) -> Instant? {
        rejections.filter { $0.waiter == waiter }.map(\.end).max()
    }

    mutating func add(_ waiter: Waiter, number: UInt64, now: Instant) {
        rejections.append(Rejection(waiter: waiter, number: number, end: now.adding(nanoseconds: Self.patience)))
    }

    /// Removes those up to that number; who told them is returned.
    mutating func remove(through number: UInt64) -> [Waiter] {
        let written = rejections.filter { $0.number <= number }.map(\.waiter)
        rejections.removeAll { $0.number <= number }
        return written
    }

    /// Removes those that took too long; true where there were any.
    mutating func giveUp(at now: Instant) -> Bool {
        let count = rejections.count
        rejections.removeAll { $0.end <= now }
        return rejections.count != count
    }
}
