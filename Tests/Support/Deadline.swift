internal import Glibc

/// What a test waited for and did not get, or a thing that is missing on this machine.
package struct TestFailure: Error, CustomStringConvertible {
    package let description: String

    /// A failure told as `description`.
    package init(_ description: String) {
        self.description = description
    }
}

/// The end of a wait; every wait of the tests has one.
package struct Deadline: Sendable {
    /// How many times longer everything may take here: `TEST_PATIENCE`, which slow builds set.
    package static let patience: Int = {
        guard let text = unsafe getenv("TEST_PATIENCE"), let factor = unsafe Int(String(cString: text)) else {
            return 1
        }
        return max(1, factor)
    }()

    /// Whether what takes minutes is tested as well: `TEST_SOAK`.
    package static let isSoaking = unsafe getenv("TEST_SOAK") != nil

    private let limit: Duration
    private let end: ContinuousClock.Instant

    /// Ends `limit` from now, or later where everything is slow.
    package init(_ limit: Duration) {
        self.limit = limit * Deadline.patience
        end = .now + self.limit
    }

    /// Whether it has passed.
    package var hasPassed: Bool { .now >= end }

    /// What is left in milliseconds, rounded up, as poll takes it.
    package var milliseconds: Int32 {
        let left = end - .now
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    /// The failure to throw when it has passed.
    package func failure(waitingFor what: String) -> TestFailure {
        TestFailure("waited \(limit) for \(what)")
    }
}

/// Returns once `condition` holds, and fails at the limit with what it waited for.
package func eventually(
    _ what: @autoclosure () -> String,
    within limit: Duration = .seconds(10),
    _ condition: () throws -> Bool
) throws {
    let deadline = Deadline(limit)
    while try !condition() {
        guard !deadline.hasPassed else { throw deadline.failure(waitingFor: what()) }
        pause(.milliseconds(5))
    }
}

/// Blocks this thread.
package func pause(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var wanted = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    var left = timespec()
    while unsafe nanosleep(&wanted, &left) == -1, errno == EINTR { wanted = left }
}
