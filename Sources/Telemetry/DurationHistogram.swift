package import Bytes

/// Lengths of time, counted in buckets of which two make a doubling: a percentile is right to within a fifth.
package struct DurationHistogram: Equatable, Sendable {
    /// The upper bounds in nanoseconds, from 250 µs to 65 s; what lasts longer is counted behind them.
    package static let bounds: [Nanoseconds] = (0..<19).flatMap { step -> [Nanoseconds] in
        let low: Nanoseconds = 250_000 << Nanoseconds(step)
        return step < 18 ? [low, low + low / 2] : [low]
    }

    /// How many fell into each bucket, and behind the last bound.
    package private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// All lengths together, in nanoseconds.
    package private(set) var sum: UInt64 = 0

    /// Nothing counted.
    package init() {}

    /// Counts one.
    package mutating func count(_ duration: Nanoseconds) {
        var low = 0
        var high = Self.bounds.count
        while low < high {
            let middle = (low + high) / 2
            if duration <= Self.bounds[middle] { high = middle } else { low = middle + 1 }
        }
        counts[low] &+= 1
        sum &+= duration
    }

    /// How many were counted.
    package var total: UInt64 { counts.reduce(0, &+) }

    /// Adds those of another.
    package mutating func add(_ other: DurationHistogram) {
        for index in counts.indices { counts[index] &+= other.counts[index] }
        sum &+= other.sum
    }

    /// What came since `earlier`, which is an older state of the same.
    package func since(_ earlier: DurationHistogram) -> DurationHistogram {
        var difference = self
        for index in counts.indices { difference.counts[index] &-= earlier.counts[index] }
        difference.sum &-= earlier.sum
        return difference
    }

    /// The length that `share` (0 to 1) of all don't exceed, in nanoseconds: the upper bound of its bucket, for the last one its
    /// lower; nil where nothing was counted.
    package func percentile(_ share: Double) -> Nanoseconds? {
        let total = total
        guard total > 0 else { return nil }
        let rank = max(1, UInt64((share * Double(total)).rounded(.up)))
        var seen: UInt64 = 0
        for (index, count) in counts.enumerated() {
            seen &+= count
            if seen >= rank { return Self.bounds[min(index, Self.bounds.count - 1)] }
        }
        return nil
    }
}
