internal import Authentication
internal import Bytes
internal import Events
internal import Rules
internal import Telemetry

/// Where status reports come from: asks every loop, and adds what they share.
package final class StatusSource: Sendable {
    /// How long a loop may take before a report does without it.
    private static let patience: Nanoseconds = .milliseconds(500)
    private static let step: Nanoseconds = .milliseconds(1)
    /// How many direct ways that rest are told.
    private static let directBound = 100

    private let shared: SharedState
    private let policy: Locked<Policy>
    private let listeners: [String]
    private let startedAt: Int64
    private let history = Locked(MetricsHistory())

    init(_ shared: SharedState, policy: Locked<Policy>, listeners: [String]) {
        self.shared = shared
        self.policy = policy
        self.listeners = listeners
        startedAt = SharedLedger.unixSeconds
    }

    /// What the process does as a whole.
    package var readiness: Readiness { shared.readiness }

    /// Everything as it is now. May take half a second where a loop is held up, so no loop of the proxy's may ask.
    package func report() -> StatusReport {
        let sights = gather()
        var totals = MetricsSnapshot()
        for sight in sights { totals.add(sight.totals) }
        return StatusReport(
            version: Version.text,
            unixSeconds: SharedLedger.unixSeconds,
            startedAt: startedAt,
            readiness: readiness.snapshot,
            workers: shared.peers.count,
            listeners: listeners,
            totals: totals,
            history: history.withLock { $0 },
            spaces: Self.joined(sights.map(\.spaces)),
            credentials: shared.ledger.report(),
            trust: shared.sightings.all,
            ways: ways(now: Instant.monotonic),
            droppedLogLines: shared.log.writer?.dropped ?? 0
        )
    }

    /// Keeps what was counted since the last call as a point of the history.
    func addPoint() {
        var totals = MetricsSnapshot()
        for sight in gather() { totals.add(sight.totals) }
        history.withLock { $0.add(totals, unixSeconds: SharedLedger.unixSeconds) }
    }

    private func gather() -> [WorkerSight] {
        let answers = Answers()
        let count = shared.peers.count
        shared.peers.forEach { worker in answers.add(worker.sight) }
        let end = Instant.monotonic.adding(nanoseconds: Self.patience)
        while answers.count < count, Instant.monotonic < end { SystemThread.sleep(Self.step) }
        return answers.all
    }

    private final class Answers: Sendable {
        private let sights = Locked<[WorkerSight]>([])
        var count: Int { sights.withLock { $0.count } }
        var all: [WorkerSight] { sights.withLock { $0 } }
        func add(_ sight: WorkerSight) { sights.withLock { $0.append(sight) } }
    }

    /// The loops learn the same spaces one after another.
    private static func joined(_ lists: [[StatusReport.Space]]) -> [StatusReport.Space] {
        var seen: Set<StatusReport.Space> = []
        return lists.joined().filter { seen.insert($0).inserted }.sorted {
            ($0.server, $0.realm ?? "", $0.method) < ($1.server, $1.realm ?? "", $1.method)
        }
    }

    /// The parents of the rules in force, resting or not, and the direct ways that rest.
    private func ways(now: Instant) -> [StatusReport.Way] {
        var resting = shared.ways.resting(now: now)
        let parents = policy.withLock { $0.configuration.parents.map(\.name) }.map { name in
            Self.way(name, restsUntil: resting.removeValue(forKey: name), now: now)
        }
        let others = resting.sorted { $0.key < $1.key }.prefix(Self.directBound).map {
            Self.way($0.key, restsUntil: $0.value, now: now)
        }
        return parents + others
    }

    private static func way(_ name: String, restsUntil: Instant?, now: Instant) -> StatusReport.Way {
        let left = restsUntil.map { ($0.since(now) + 999_999_999) / 1_000_000_000 } ?? 0
        return StatusReport.Way(name: name, isResting: restsUntil != nil, secondsLeft: left)
    }
}
