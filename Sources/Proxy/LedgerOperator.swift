package import Authentication
package import Rules
internal import Storage

/// What the operator's commands do with the ledger: in its file, and in every process whose control socket is found
/// (A-7b).
package struct LedgerOperator {
    /// One credential, as the file and the running processes see it.
    package struct Account: Equatable {
        /// Its name in the rule file.
        package var name: String
        /// What is thought of it: by each process that runs, else what the file amounts to.
        package var standings: Set<CredentialStanding>
        /// Where it isn't used, without repetition.
        package var withholdings: [Withholding]
        /// How many requests were let go and have told no verdict.
        package var scouts = 0
        /// How many requests wait for a verdict.
        package var waiting = 0
    }

    private let location: StateLocation
    /// The processes that were reached so far.
    package private(set) var processes: Set<Int32> = []
    /// What went wrong, a line each.
    package private(set) var problems: [String] = []

    /// The operator of the ledger at `location`.
    package init(at location: StateLocation) {
        self.location = location
    }

    /// What is known of each credential, by name.
    package mutating func accounts() -> [Account] {
        var accounts: [String: Account] = [:]
        for entry in (folder()?.file.entries ?? []) {
            var account = accounts[entry.name] ?? Account(name: entry.name, standings: [], withholdings: [])
            account.standings.insert(entry.record.standing)
            account.add(entry.record.withholdings(unixSeconds: SharedLedger.unixSeconds))
            accounts[entry.name] = account
        }
        var seen: Set<String> = []
        for reply in ask(.credentials) {
            guard case .credentials(let reports) = reply else { continue }
            for report in reports {
                var account = accounts[report.name] ?? Account(name: report.name, standings: [], withholdings: [])
                // What runs knows better than the file, which may tell of other secrets of that name.
                if seen.insert(report.name).inserted { account.standings.removeAll() }
                account.standings.insert(report.standing)
                account.add(report.withholdings)
                account.scouts += report.scouts
                account.waiting += report.waiting
                accounts[report.name] = account
            }
        }
        return accounts.values.sorted { $0.name < $1.name }
    }

    /// Ends every withholding of that name, or with nil of all; false where nobody knows the name.
    package mutating func release(name: String?) -> Bool {
        let isInFile = releaseInFile(name)
        let replies = ask(.release(name: name))
        return isInFile || name == nil || replies.contains(.released(isKnown: true))
    }

    private mutating func releaseInFile(_ name: String?) -> Bool {
        guard let folder = folder(), folder.file.entries.contains(where: { name == nil || $0.name == name }) else {
            return false
        }
        do {
            try folder.update { _ = $0.release(name: name, unixSeconds: SharedLedger.unixSeconds) }
        } catch {
            problems.append(error.message)
        }
        return true
    }

    /// The folder, with its file read; nil where there is none or it can't be read.
    private mutating func folder() -> LedgerFolder? {
        guard let path = location.folder else { return nil }
        let folder = LedgerFolder(path: path)
        defer { problems += folder.takeNotices() }
        do {
            _ = try folder.refresh()
            return folder
        } catch {
            problems.append(error.message)
            return nil
        }
    }

    // MARK: Processes

    /// The answers of all processes whose sockets are found.
    private mutating func ask(_ request: ControlRequest) -> [ControlReply] {
        var running = RunningProcesses(at: location)
        let replies = running.ask(request)
        problems += running.problems
        processes.formUnion(replies.map(\.process))
        return replies.map(\.reply)
    }
}

extension LedgerOperator.Account {
    fileprivate mutating func add(_ others: [Withholding]) {
        for other in others where !withholdings.contains(other) { withholdings.append(other) }
    }
}

extension CredentialRecord {
    /// What a process that starts thinks of it.
    fileprivate var standing: CredentialStanding {
        if withheld != nil { return .withheld }
        return isConfirmed ? .probation : .unconfirmed
    }
}
