internal import Authentication
internal import Telemetry

extension LedgerOperator.Account {
    /// What is thought of the credential, and where and why it isn't used; a line each.
    package var lines: [String] {
        var lines = withholdings.map { "\(name): \($0.words)" }
        if !standings.contains(.withheld) {
            lines.insert("\(name): \(Self.words(of: standings))", at: 0)
        }
        if waiting > 0 {
            lines.append("\(name): waiting for a verdict: \(waiting); under way: \(scouts)")
        }
        return lines
    }

    private static func words(of standings: Set<CredentialStanding>) -> String {
        if standings.contains(.confirmed) { return "confirmed" }
        return standings.contains(.probation) ? "confirmed before; one request goes first" : "not confirmed yet"
    }

    /// What one process thinks of it.
    init(_ report: CredentialReport) {
        self.init(
            name: report.name,
            standings: [report.standing],
            withholdings: report.withholdings,
            scouts: report.scouts,
            waiting: report.waiting
        )
    }
}

extension Withholding {
    fileprivate var words: String {
        let start = UniversalTime(unixSeconds: since).text
        let end =
            until.map { "until \(UniversalTime(unixSeconds: $0).text)" } ?? "until its secret changes or it is released"
        switch extent {
        case .everywhere: return "withheld everywhere since \(start), last rejected by \(server), \(end)"
        case .server: return "rejected by \(server) at \(start), \(end)"
        case .target: return "withheld for \(target) at \(server) since \(start), \(end)"
        case .replaced: return "replaced"
        }
    }
}
