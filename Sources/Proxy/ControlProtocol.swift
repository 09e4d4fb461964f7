package import Authentication
internal import Storage

/// What can be asked of a running process on its control socket: one line.
package enum ControlRequest: Equatable, Sendable {
    /// What is withheld, and why.
    case credentials
    /// End every withholding of that name, or with nil of all.
    case release(name: String?)
    /// What the process is doing as a whole.
    case phase
    /// The same and the rest of what operators look at, in lines for people or as JSON (O-2).
    case status(isJSON: Bool)

    /// The line, without its end.
    package var line: String {
        switch self {
        case .credentials: "credentials"
        case .release(nil): "release-all"
        case .release(let name?): "release \(LedgerText.encode(name))"
        case .phase: "phase"
        case .status(isJSON: false): "status"
        case .status(isJSON: true): "status-json"
        }
    }

    /// Reads a line without its end; nil where it says nothing known.
    package init?(line: Substring) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        switch (words.first, words.count) {
        case ("credentials", 1): self = .credentials
        case ("release-all", 1): self = .release(name: nil)
        case ("phase", 1): self = .phase
        case ("status", 1): self = .status(isJSON: false)
        case ("status-json", 1): self = .status(isJSON: true)
        case ("release", 2):
            guard let name = LedgerText.decode(words[1]) else { return nil }
            self = .release(name: name)
        default: return nil
        }
    }
}

/// The answer: lines, of which the last is `end`. No secret has a place in it.
package enum ControlReply: Equatable, Sendable {
    /// What the process thinks of each of its credentials.
    case credentials([CredentialReport])
    /// Whether the process knows a credential of that name.
    case released(isKnown: Bool)
    /// What the process is doing, and what it tells of itself besides, where it was asked for that.
    case status(Readiness.Phase, lines: [String])
    /// The request was not understood.
    case refused

    /// The lines, each with its end.
    package var text: String {
        var lines: [String] = []
        switch self {
        case .credentials(let reports):
            for report in reports {
                let counts = "\(report.scouts) \(report.waiting)"
                lines.append("credential \(LedgerText.encode(report.name)) \(report.standing.word) \(counts)")
                for withholding in report.withholdings { lines.append(Self.line(withholding)) }
            }
        case .released(let isKnown): lines.append(isKnown ? "released" : "unknown")
        case .status(let phase, let told):
            lines.append("phase \(phase.rawValue)")
            lines += told.map { "| " + $0.replacing("\n", with: " ") }
        case .refused: lines.append("refused")
        }
        return lines.map { $0 + "\n" }.joined() + "end\n"
    }

    /// Reads the answer to `request`; nil where it isn't one.
    package init?(text: String, to request: ControlRequest) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 2, lines[lines.count - 2] == "end", lines[lines.count - 1].isEmpty else { return nil }
        let body = lines.dropLast(2)
        switch (request, body.first) {
        case (_, "refused"): self = .refused
        case (.release, "released"): self = .released(isKnown: true)
        case (.release, "unknown"): self = .released(isKnown: false)
        case (.release, _): return nil
        case (.credentials, _):
            guard let reports = Self.reports(body) else { return nil }
            self = .credentials(reports)
        case (.phase, _), (.status, _):
            guard let status = Self.status(body) else { return nil }
            self = status
        }
    }

    private static func status(_ lines: ArraySlice<Substring>) -> ControlReply? {
        guard let first = lines.first, first.hasPrefix("phase "),
            let phase = Readiness.Phase(rawValue: String(first.dropFirst(6))),
            lines.dropFirst().allSatisfy({ $0.hasPrefix("| ") })
        else { return nil }
        return .status(phase, lines: lines.dropFirst().map { String($0.dropFirst(2)) })
    }

    private static func line(_ withholding: Withholding) -> String {
        let times = "\(withholding.since) \(LedgerText.encode(withholding.until))"
        let place = "\(LedgerText.encode(withholding.server)) \(LedgerText.encode(withholding.target))"
        return "withheld \(withholding.extent.word) \(times) \(place)"
    }

    private static func reports(_ lines: ArraySlice<Substring>) -> [CredentialReport]? {
        var reports: [CredentialReport] = []
        for line in lines {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            if words.first == "credential" {
                guard let report = report(words) else { return nil }
                reports.append(report)
            } else {
                guard let last = reports.indices.last, let withholding = withholding(words) else { return nil }
                reports[last].withholdings.append(withholding)
            }
        }
        return reports
    }

    private static func report(_ words: [Substring]) -> CredentialReport? {
        guard words.count == 5, let name = LedgerText.decode(words[1]),
            let standing = CredentialStanding.allCases.first(where: { $0.word == words[2] }),
            let scouts = Int(words[3]), let waiting = Int(words[4])
        else { return nil }
        return CredentialReport(name: name, standing: standing, withholdings: [], scouts: scouts, waiting: waiting)
    }

    private static func withholding(_ words: [Substring]) -> Withholding? {
        guard words.count == 6, words[0] == "withheld",
            let extent = Withholding.Extent.allCases.first(where: { $0.word == words[1] }),
            let since = Int64(words[2]), let until = LedgerText.decodeTime(words[3]),
            let server = LedgerText.decode(words[4]), let target = LedgerText.decode(words[5])
        else { return nil }
        return Withholding(extent: extent, server: server, target: target, since: since, until: until)
    }
}

extension CredentialStanding {
    /// As operators read it.
    var word: String {
        switch self {
        case .unconfirmed: "unconfirmed"
        case .probation: "probation"
        case .confirmed: "confirmed"
        case .withheld: "withheld"
        }
    }
}

extension Withholding.Extent {
    /// As operators read it.
    var word: String {
        switch self {
        case .everywhere: "everywhere"
        case .server: "server"
        case .target: "target"
        case .replaced: "replaced"
        }
    }
}
