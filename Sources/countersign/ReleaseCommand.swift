import Proxy
import Rules

/// `countersign release`: lets withheld credentials be used again.
enum ReleaseCommand {
    /// Releases these names, or with `all` every one; returns the exit code, 1 where a name is not known to anybody.
    static func releaseCredentials(
        _ names: [String],
        all: Bool,
        at location: StateLocation,
        out: (String) -> Void,
        problem: (String) -> Void
    ) -> Int32 {
        var ledger = LedgerOperator(at: location)
        var isComplete = true
        for name in all ? [nil] : names.map(Optional.some) {
            let shown = name.map(CredentialsCommand.printable)
            if ledger.release(name: name) {
                out(shown.map { "released \($0)" } ?? "released all")
            } else {
                problem("nothing is known of a credential named \(shown ?? "")")
                isComplete = false
            }
        }
        if !ledger.processes.isEmpty {
            out("told to \(ledger.processes.sorted().map { "process \($0)" }.joined(separator: ", "))")
        }
        for line in ledger.problems { problem(line) }
        return isComplete && ledger.problems.isEmpty ? 0 : 1
    }
}
