/// A length of time in nanoseconds.
package typealias Nanoseconds = UInt64

/// A moment of a monotonic clock; only differences between moments of one process mean anything.
package struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since some start.
    package var nanoseconds: UInt64

    /// The moment `nanoseconds` after the clock's start.
    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// A moment that never comes.
    package static let distantFuture = Instant(nanoseconds: .max)

    /// This moment and `nanoseconds` more; stops at `distantFuture`.
    package func adding(nanoseconds: Nanoseconds) -> Instant {
        let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return overflow ? .distantFuture : Instant(nanoseconds: sum)
    }

    /// This moment moved by `seconds`; stops at the clock's start and at `distantFuture`.
    package func advanced(bySeconds seconds: Double) -> Instant {
        // Rounded by hand: `rounded()` would need the C library's mathematics, which pure rooms don't link.
        let length = seconds.magnitude < 0x1p33 ? Nanoseconds(seconds.magnitude * 1e9 + 0.5) : .max
        if seconds >= 0 { return adding(nanoseconds: length) }
        return Instant(nanoseconds: nanoseconds > length ? nanoseconds - length : 0)
    }

    /// The time that has passed since `earlier`; 0 where that lies ahead.
    package func since(_ earlier: Instant) -> Nanoseconds {
        nanoseconds > earlier.nanoseconds ? nanoseconds - earlier.nanoseconds : 0
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Nanoseconds {
    /// So many seconds.
    package static func seconds(_ count: UInt64) -> Nanoseconds { count * 1_000_000_000 }

    /// So many milliseconds.
    package static func milliseconds(_ count: UInt64) -> Nanoseconds { count * 1_000_000 }
}
