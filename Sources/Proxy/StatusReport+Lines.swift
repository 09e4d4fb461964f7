internal import Authentication
internal import Bytes
internal import Telemetry

extension StatusReport {
    /// The report for a person at a terminal: what it does, what it has done, and what isn't as it should be.
    package var lines: [String] {
        readinessLines + trafficLines + stateLines
    }

    private var readinessLines: [String] {
        var lines = [
            "countersign \(version), \(readiness.phase.rawValue), \(workers) workers, since \(Self.time(startedAt))",
            "listening on \(listeners.joined(separator: ", "))",
            "rules in force since \(Self.time(readiness.rulesSince)); read again \(readiness.succeededReloads) times, "
                + "\(readiness.failedReloads) failed",
        ]
        if let reload = readiness.lastReload, let problem = reload.problem {
            lines.append("the last reload failed at \(Self.time(reload.unixSeconds)): \(problem)")
        }
        return lines
    }

    private var trafficLines: [String] {
        let shares = [(0.5, "half"), (0.99, "99 in 100")].compactMap { share, name in
            totals.durations.percentile(share).map { "\(name) within \($0 / .milliseconds(1)) ms" }
        }
        var lines = [
            "exchanges: \(totals.exchanges), challenged \(totals.challenges), answered \(totals.answered)"
                + (shares.isEmpty ? "" : "; \(shares.joined(separator: ", "))"),
            "connections: \(totals.clientConnections) of clients, \(totals.upstreamConnections) to upstreams",
        ]
        for (reason, count) in totals.reasons.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            lines.append("failed: \(reason) \(count)")
        }
        if droppedLogLines > 0 { lines.append("log lines that could not be written: \(droppedLogLines)") }
        return lines
    }

    private var stateLines: [String] {
        var lines = credentials.flatMap { LedgerOperator.Account($0).lines.map { "credential \($0)" } }
        for space in spaces {
            let realm = space.realm.map { ", realm \"\($0)\"" } ?? ""
            lines.append("space \(space.server)\(realm): \(space.method) by '\(space.credential)', \(space.rule)")
        }
        for way in ways where way.isResting {
            lines.append("way \(way.name): doesn't answer, tried again in \(way.secondsLeft) s")
        }
        for sighting in trust where !sighting.reason.isEmpty {
            let words = "\(sighting.verdict), \(sighting.reason) by \(sighting.policy), \(sighting.count) times"
            lines.append("trust \(sighting.server): \(words), last at \(Self.time(sighting.unixSeconds))")
        }
        return lines
    }

    private static func time(_ unixSeconds: Int64) -> String { UniversalTime(unixSeconds: unixSeconds).text }
}
