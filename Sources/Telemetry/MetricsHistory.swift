package import Bytes

/// The last hour in points of ten seconds.
package struct MetricsHistory: Sendable {
    /// Seconds between two points.
    package static let interval: Int64 = 10
    /// How many points are kept.
    package static let length = 360

    /// What came in one interval.
    package struct Point: Equatable, Sendable {
        /// Its end, in seconds since 1970.
        package var unixSeconds: Int64
        package var exchanges: UInt64
        package var challenges: UInt64
        /// In nanoseconds; nil where no exchange ended.
        package var median: Nanoseconds?
        package var ninetieth: Nanoseconds?
        package var ninetyNinth: Nanoseconds?
        /// Exchanges that ended with each reason.
        package var reasons: [String: UInt64]
    }

    /// The oldest first.
    package private(set) var points: [Point] = []
    private var last = MetricsSnapshot()

    /// Nothing yet; what was counted before the first point belongs to it.
    package init() {}

    /// Adds the point that ends now.
    package mutating func add(_ totals: MetricsSnapshot, unixSeconds: Int64) {
        let durations = totals.durations.since(last.durations)
        let point = Point(
            unixSeconds: unixSeconds,
            exchanges: totals.exchanges &- last.exchanges,
            challenges: totals.challenges &- last.challenges,
            median: durations.percentile(0.5),
            ninetieth: durations.percentile(0.9),
            ninetyNinth: durations.percentile(0.99),
            reasons: newReasons(in: totals)
        )
        if points.count >= Self.length { points.removeFirst(points.count - Self.length + 1) }
        points.append(point)
        last = totals
    }

    private func newReasons(in totals: MetricsSnapshot) -> [String: UInt64] {
        var reasons: [String: UInt64] = [:]
        for (reason, count) in totals.reasons {
            let new = count &- last.reasons[reason, default: 0]
            if new > 0 { reasons[reason] = new }
        }
        return reasons
    }
}
