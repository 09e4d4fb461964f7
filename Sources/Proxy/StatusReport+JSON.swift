internal import Authentication
package import Bytes
internal import Telemetry

extension StatusReport {
    /// The report as the page reads it: times in seconds since 1970, lengths of time in milliseconds.
    package var json: ByteBuffer {
        var buffer = ByteBuffer(capacity: 16 * 1024)
        buffer.append("{")
        appendProcess(into: &buffer)
        appendTotals(into: &buffer)
        appendHistory(into: &buffer)
        buffer.append(member: "spaces")
        buffer.append(jsonItems: spaces) { space, buffer in space.append(into: &buffer) }
        buffer.append(member: "credentials")
        buffer.append(jsonItems: credentials) { credential, buffer in Self.append(credential, into: &buffer) }
        buffer.append(member: "trust")
        buffer.append(jsonItems: trust) { sighting, buffer in sighting.append(into: &buffer) }
        buffer.append(member: "ways")
        buffer.append(jsonItems: ways) { way, buffer in way.append(into: &buffer) }
        buffer.append("}\n")
        return buffer
    }

    private func appendProcess(into buffer: inout ByteBuffer) {
        buffer.append(member: "version", isFirst: true, json: version)
        buffer.append(member: "now", unixSeconds)
        buffer.append(member: "started_at", startedAt)
        buffer.append(member: "phase", json: readiness.phase.rawValue)
        buffer.append(member: "rules_since", readiness.rulesSince)
        buffer.append(member: "last_reload")
        if let reload = readiness.lastReload {
            buffer.append("{")
            buffer.append(member: "at", isFirst: true, reload.unixSeconds)
            buffer.append(member: "problem", json: reload.problem)
            buffer.append("}")
        } else {
            buffer.append("null")
        }
        buffer.append(member: "reloads")
        buffer.append("{")
        buffer.append(member: "succeeded", isFirst: true, readiness.succeededReloads)
        buffer.append(member: "failed", readiness.failedReloads)
        buffer.append("}")
        buffer.append(member: "workers", workers)
        buffer.append(member: "listeners")
        buffer.append(jsonArray: listeners)
    }

    private func appendTotals(into buffer: inout ByteBuffer) {
        buffer.append(member: "totals")
        buffer.append("{")
        buffer.append(member: "responses", isFirst: true)
        buffer.append("{")
        for (index, name) in MetricsSnapshot.responseClasses.enumerated() {
            buffer.append(member: name, isFirst: index == 0, totals.responses[index])
        }
        buffer.append("}")
        buffer.append(member: "attempts", totals.attempts)
        buffer.append(member: "challenges")
        buffer.append("{")
        buffer.append(member: "origin", isFirst: true, totals.originChallenges)
        buffer.append(member: "parent", totals.parentChallenges)
        buffer.append("}")
        buffer.append(member: "answered", totals.answered)
        buffer.append(member: "bytes_in", totals.bytesIn)
        buffer.append(member: "bytes_out", totals.bytesOut)
        buffer.append(member: "tunnels", totals.tunnels)
        buffer.append(member: "client_connections", totals.clientConnections)
        buffer.append(member: "upstream_connections", totals.upstreamConnections)
        buffer.append(member: "dropped_log_lines", droppedLogLines)
        buffer.append(member: "latency_ms")
        buffer.append("{")
        buffer.append(member: "p50", isFirst: true, milliseconds: totals.durations.percentile(0.5))
        buffer.append(member: "p90", milliseconds: totals.durations.percentile(0.9))
        buffer.append(member: "p99", milliseconds: totals.durations.percentile(0.99))
        buffer.append("}")
        buffer.append(member: "reasons")
        buffer.append(jsonCounts: totals.reasons)
        buffer.append("}")
    }

    private func appendHistory(into buffer: inout ByteBuffer) {
        buffer.append(member: "history")
        buffer.append("{")
        buffer.append(member: "interval", isFirst: true, MetricsHistory.interval)
        buffer.append(member: "points")
        buffer.append(jsonItems: history.points) { point, buffer in
            buffer.append("{")
            buffer.append(member: "at", isFirst: true, point.unixSeconds)
            buffer.append(member: "requests", point.exchanges)
            buffer.append(member: "challenges", point.challenges)
            buffer.append(member: "p50", milliseconds: point.median)
            buffer.append(member: "p90", milliseconds: point.ninetieth)
            buffer.append(member: "p99", milliseconds: point.ninetyNinth)
            buffer.append(member: "reasons")
            buffer.append(jsonCounts: point.reasons)
            buffer.append("}")
        }
        buffer.append("}")
    }

    private static func append(_ credential: CredentialReport, into buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.append(member: "name", isFirst: true, json: credential.name)
        buffer.append(member: "standing", json: credential.standing.word)
        buffer.append(member: "scouts", credential.scouts)
        buffer.append(member: "waiting", credential.waiting)
        buffer.append(member: "withheld")
        buffer.append(jsonItems: credential.withholdings) { withholding, buffer in
            buffer.append("{")
            buffer.append(member: "extent", isFirst: true, json: withholding.extent.word)
            buffer.append(member: "server", json: withholding.server)
            buffer.append(member: "target", json: withholding.target)
            buffer.append(member: "since", withholding.since)
            buffer.append(member: "until", withholding.until)
            buffer.append("}")
        }
        buffer.append("}")
    }
}

extension StatusReport.Space {
    fileprivate func append(into buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.append(member: "server", isFirst: true, json: server)
        buffer.append(member: "realm", json: realm)
        buffer.append(member: "method", json: method)
        buffer.append(member: "credential", json: credential)
        buffer.append(member: "rule", json: rule)
        buffer.append("}")
    }
}

extension StatusReport.TrustSighting {
    fileprivate func append(into buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.append(member: "server", isFirst: true, json: server)
        buffer.append(member: "policy", json: policy)
        buffer.append(member: "verdict", json: verdict)
        buffer.append(member: "reason", json: reason)
        buffer.append(member: "pins")
        buffer.append(jsonArray: pins)
        buffer.append(member: "count", count)
        buffer.append(member: "at", unixSeconds)
        buffer.append("}")
    }
}

extension StatusReport.Way {
    fileprivate func append(into buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.append(member: "name", isFirst: true, json: name)
        buffer.append(member: "is_resting", isResting)
        buffer.append(member: "seconds_left", secondsLeft)
        buffer.append("}")
    }
}

extension ByteBuffer {
    fileprivate mutating func append(member name: String, isFirst: Bool = false, json text: String?) {
        append(member: name, isFirst: isFirst)
        if let text { append(json: text) } else { append("null") }
    }

    fileprivate mutating func append(member name: String, isFirst: Bool = false, _ number: some BinaryInteger) {
        append(member: name, isFirst: isFirst)
        append("\(number)")
    }

    fileprivate mutating func append(member name: String, _ number: Int64?) {
        append(member: name)
        append(number.map { "\($0)" } ?? "null")
    }

    fileprivate mutating func append(member name: String, _ isSo: Bool) {
        append(member: name)
        append(isSo ? "true" : "false")
    }

    fileprivate mutating func append(member name: String, isFirst: Bool = false, milliseconds: Nanoseconds?) {
        append(member: name, isFirst: isFirst)
        guard let milliseconds else { return append("null") }
        append(decimal: milliseconds / 1_000_000)
        append(".")
        append(decimal: milliseconds / 1000 % 1000, width: 3)
    }

    fileprivate mutating func append<Item>(jsonItems items: [Item], _ body: (Item, inout ByteBuffer) -> Void) {
        append("[")
        for (index, item) in items.enumerated() {
            if index > 0 { append(",") }
            body(item, &self)
        }
        append("]")
    }

    /// Counts by name, the greatest first.
    fileprivate mutating func append(jsonCounts counts: [String: UInt64]) {
        append("{")
        let sorted = counts.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
        for (index, count) in sorted.enumerated() {
            append(member: count.key, isFirst: index == 0, count.value)
        }
        append("}")
    }
}
