internal import Authentication
package import Bytes
internal import Events
internal import Telemetry

extension StatusReport {
    /// The report as `/metrics` gives it.
    package var openMetrics: ByteBuffer {
        var text = OpenMetricsText()
        text.begin("countersign_build", .info, help: "The release that runs.")
        text.sample(("version", version), value: 1)
        appendExchanges(to: &text)
        appendConnections(to: &text)
        appendStandings(to: &text)
        appendRules(to: &text)
        Self.appendProcess(to: &text, startedAt: startedAt)
        return text.finish()
    }

    private func appendExchanges(to text: inout OpenMetricsText) {
        text.begin("countersign_exchanges", .counter, help: "Exchanges that ended, by the class of the response.")
        for (index, name) in MetricsSnapshot.responseClasses.enumerated() {
            text.sample(("response", name), value: totals.responses[index])
        }
        text.begin(
            "countersign_exchange_duration_seconds",
            .histogram,
            unit: "seconds",
            help: "From a request's first byte to its response's last; tunnels are left out."
        )
        text.samples(totals.durations)
        text.begin("countersign_attempts", .counter, help: "Requests that went upstream.")
        text.sample(value: totals.attempts)
        text.begin("countersign_challenges", .counter, help: "Exchanges with a challenge, by whose it was.")
        text.sample(("from", "origin"), value: totals.originChallenges)
        text.sample(("from", "parent"), value: totals.parentChallenges)
        text.begin("countersign_answered", .counter, help: "Exchanges that a credential answered.")
        text.sample(value: totals.answered)
        text.begin("countersign_failures", .counter, help: "Exchanges that went otherwise than asked, by reason code.")
        for (reason, count) in totals.reasons.sorted(by: { $0.key < $1.key }) {
            text.sample(("reason", reason), value: count)
        }
        text.begin("countersign_tunnels", .counter, help: "Tunnels that ended.")
        text.sample(value: totals.tunnels)
        text.begin("countersign_body_bytes", .counter, unit: "bytes", help: "Bytes of bodies and tunnels.")
        text.sample(("direction", "in"), value: totals.bytesIn)
        text.sample(("direction", "out"), value: totals.bytesOut)
    }

    private func appendConnections(to text: inout OpenMetricsText) {
        text.begin("countersign_connections", .gauge, help: "Connections that are open.")
        text.sample(("with", "client"), value: totals.clientConnections)
        text.sample(("with", "upstream"), value: totals.upstreamConnections)
        text.begin("countersign_workers", .gauge, help: "Threads that serve.")
        text.sample(value: UInt64(workers))
        text.begin("countersign_log_lines_dropped", .counter, help: "Log lines that could not be written in time.")
        text.sample(value: droppedLogLines)
    }

    private func appendStandings(to text: inout OpenMetricsText) {
        text.begin("countersign_credential_withheld", .gauge, help: "At how many places a credential is withheld.")
        for credential in credentials {
            text.sample(("credential", credential.name), value: UInt64(credential.withholdings.count))
        }
        text.begin("countersign_way_resting", .gauge, help: "1 where a parent, or what was dialled directly, rests.")
        for way in ways { text.sample(("way", way.name), value: way.isResting ? 1 : 0) }
        text.begin("countersign_trust_decisions", .counter, help: "Full handshakes, by server, policy and verdict.")
        for sighting in trust {
            text.sample(
                ("server", sighting.server),
                ("policy", sighting.policy),
                ("verdict", sighting.verdict),
                value: sighting.count
            )
        }
    }

    private func appendRules(to text: inout OpenMetricsText) {
        text.begin("countersign_ready", .gauge, help: "1 while requests are served and no end was asked for.")
        text.sample(value: readiness.phase == .ready ? 1 : 0)
        text.begin("countersign_reloads", .counter, help: "Times that the rule file was read again, by result.")
        text.sample(("result", "success"), value: readiness.succeededReloads)
        text.sample(("result", "failure"), value: readiness.failedReloads)
        text.begin("countersign_last_reload_successful", .gauge, help: "1 unless the last reload failed.")
        text.sample(value: readiness.lastReload?.problem == nil ? 1 : 0)
        text.begin(
            "countersign_rules_since_seconds",
            .gauge,
            unit: "seconds",
            help: "Since when the rules in force are, since 1970."
        )
        text.sample(value: UInt64(max(0, readiness.rulesSince)))
    }

    private static func appendProcess(to text: inout OpenMetricsText, startedAt: Int64) {
        let usage = ProcessUsage.now
        text.begin("process_cpu_seconds", .counter, unit: "seconds", help: "User and system time.")
        text.sample(nanoseconds: usage.processorTime)
        text.begin("process_resident_memory_bytes", .gauge, unit: "bytes", help: "Memory in use.")
        text.sample(value: usage.residentMemory)
        text.begin("process_open_fds", .gauge, help: "Descriptors that are open.")
        text.sample(value: usage.openDescriptors)
        text.begin("process_max_fds", .gauge, help: "Descriptors that may be open.")
        text.sample(value: usage.descriptorLimit)
        text.begin("process_start_time_seconds", .gauge, unit: "seconds", help: "When it began, since 1970.")
        text.sample(value: UInt64(max(0, startedAt)))
    }
}
