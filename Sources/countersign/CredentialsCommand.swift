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
            for line in account.lines { out(printable(line)) }
        }
        if accounts.isEmpty { out("nothing is known of any credential") }
        for line in ledger.problems { problem(line) }
        return ledger.problems.isEmpty ? 0 : 1
    }

    /// A text without anything that a terminal would take for a command.
    static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 })
        )
    }
}
