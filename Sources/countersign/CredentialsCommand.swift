import Authentication
import Proxy
import Rules

/// `countersign credentials`: what the ledger thinks of each credential, and where and why it isn't used.
enum CredentialsCommand {
    /// Writes a line for each credential and each place where it is withheld; returns the exit code.
    static func listCredentials(
        at location: StateLocation,
        out: (String) -> Void,
        problem: (String) -> Void
    ) -> Int32 {
        var ledger = LedgerOperator(at: location)
        let accounts = ledger.accounts()
        for account in accounts {
            for line in lines(of: account) { out(line) }
        }
        if accounts.isEmpty { out("nothing is known of any credential") }
        for line in ledger.problems { problem(line) }
        return ledger.problems.isEmpty ? 0 : 1
    }

    private static func lines(of account: LedgerOperator.Account) -> [String] {
        let name = printable(account.name)
        var lines = account.withholdings.map { "\(name): \(words(of: $0))" }
        if !account.standings.contains(.withheld) {
            lines.insert("\(name): \(words(of: account.standings))", at: 0)
        }
        if account.waiting > 0 {
            lines.append("\(name): waiting for a verdict: \(account.waiting); under way: \(account.scouts)")
        }
        return lines
    }

    private static func words(of standings: Set<CredentialStanding>) -> String {
        if standings.contains(.confirmed) { return "confirmed" }
        return standings.contains(.probation) ? "confirmed before; one request goes first" : "not confirmed yet"
    }

    private static func words(of withholding: Withholding) -> String {
        let server = printable(withholding.server)
        let start = UniversalTime(unixSeconds: withholding.since).text
        let end =
            withholding.until.map { "until \(UniversalTime(unixSeconds: $0).text)" }
            ?? "until its secret changes or it is released"
        switch withholding.extent {
        case .everywhere: return "withheld everywhere since \(start), last rejected by \(server), \(end)"
        case .server: return "rejected by \(server) at \(start), \(end)"
        case .target: return "withheld for \(printable(withholding.target)) at \(server) since \(start), \(end)"
        case .replaced: return "replaced"
        }
    }

    /// A text without anything that a terminal would take for a command.
    static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 })
        )
    }
}
