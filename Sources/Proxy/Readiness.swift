package import Bytes
internal import Events

/// Whether the process takes requests, and what became of the last reload (O-1, O-2).
package final class Readiness: Sendable {
    /// What the process is doing as a whole.
    package enum Phase: String, Equatable, Sendable {
        /// Not yet listening.
        case starting
        /// It serves.
        case ready
        /// It was told to end.
        case draining
    }

    /// What became of the rule file when it was read last.
    package struct Reload: Equatable, Sendable {
        /// When, in seconds since 1970.
        package var unixSeconds: Int64
        /// Nil where the rules are in force; else one line that says what is wrong.
        package var problem: String?

        package init(unixSeconds: Int64, problem: String? = nil) {
            self.unixSeconds = unixSeconds
            self.problem = problem
        }
    }

    /// Everything at one moment.
    package struct Snapshot: Equatable, Sendable {
        package var phase = Phase.starting
        /// The last reload, good or not; nil before the first.
        package var lastReload: Reload?
        /// Since when the rules in force are, in seconds since 1970.
        package var rulesSince: Int64 = 0
        package var succeededReloads: UInt64 = 0
        package var failedReloads: UInt64 = 0
        /// When `/readyz` turned 503 for the end, on the monotonic clock.
        package var drainingSince: Instant?
    }

    private let state = Locked(Snapshot())

    /// A process that has not begun to serve.
    package init() {}

    /// Everything as it is now.
    package var snapshot: Snapshot { state.withLock { $0 } }

    /// The listeners are open, under rules that were read at `unixSeconds`.
    package func began(unixSeconds: Int64) {
        state.withLock {
            $0.phase = .ready
            $0.rulesSince = unixSeconds
        }
    }

    /// The process was told to end.
    package func drains(since now: Instant) {
        state.withLock {
            guard $0.phase != .draining else { return }
            $0.phase = .draining
            $0.drainingSince = now
        }
    }

    /// The rule file was read again.
    package func reloaded(_ reload: Reload) {
        state.withLock {
            $0.lastReload = reload
            if reload.problem == nil {
                $0.succeededReloads += 1
                $0.rulesSince = reload.unixSeconds
            } else {
                $0.failedReloads += 1
            }
        }
    }
}
