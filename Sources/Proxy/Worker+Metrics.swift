internal import Bytes
internal import Events
internal import Exchange
internal import Telemetry

extension Worker {
    /// Counts an exchange that has ended.
    func count(_ runner: ExchangeRunner) {
        let challenge: MetricsSnapshot.Challenge =
            switch runner.exchange.machine.challenger {
            case .origin: .origin
            case .parent: .parent
            case nil: .none
            }
        metrics.count(
            MetricsSnapshot.Exchange(
                status: runner.record.status,
                duration: loop.now.since(runner.record.began),
                attempts: UInt64(runner.exchange.machine.attempts),
                bytesIn: runner.record.bytesIn,
                bytesOut: runner.record.bytesOut,
                isTunnel: runner.exchange.machine.destination?.isTunnel == true,
                challenge: challenge,
                isAnswered: runner.exchange.machine.isAnswered,
                reason: runner.record.reason
            )
        )
    }

    /// What this loop counted, and what it has learned.
    var sight: WorkerSight {
        var totals = metrics
        totals.clientConnections = UInt64(clientCount)
        totals.upstreamConnections = UInt64(pool.openCount)
        return WorkerSight(totals: totals, spaces: destinations.spaces)
    }
}

/// What one loop tells for a status report.
struct WorkerSight: Sendable {
    var totals = MetricsSnapshot()
    var spaces: [StatusReport.Space] = []
}
