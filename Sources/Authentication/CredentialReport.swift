/// What the ledger thinks of one credential, for the operator; never anything of its secret.
package struct CredentialReport: Equatable, Sendable {
    /// Its name in the rule file.
    package var name: String
    /// What is thought of it.
    package var standing: CredentialStanding
    /// Where it isn't used, the widest first.
    package var withholdings: [Withholding]
    /// How many exchanges were let go and have told no verdict.
    package var scouts: Int
    /// How many exchanges wait for a verdict.
    package var waiting: Int

    /// A report in all its parts.
    package init(
        name: String,
        standing: CredentialStanding,
        withholdings: [Withholding],
        scouts: Int,
        waiting: Int
    ) {
        self.name = name
        self.standing = standing
        self.withholdings = withholdings
        self.scouts = scouts
        self.waiting = waiting
    }
}

extension CredentialRecord {
    /// Everything that it holds back at that moment, the widest first.
    package func withholdings(unixSeconds: Int64) -> [Withholding] {
        let servers = rejections.map {
            Withholding(extent: .server, server: $0.server, target: "", since: $0.since, until: $0.until)
        }
        return ([withheld].compactMap(\.self) + servers + [doubt].compactMap(\.self))
            .filter { !$0.hasEnded(at: unixSeconds) }
    }
}

extension CredentialEntry {
    func report(at clock: LedgerClock) -> CredentialReport {
        var withholdings = record.withholdings(unixSeconds: clock.unixSeconds)
        for target in withheldTargets.contents where !target.hasEnded(at: clock.unixSeconds) && target != record.doubt {
            withholdings.append(target)
        }
        return CredentialReport(
            name: key.name,
            standing: standing,
            withholdings: withholdings,
            scouts: role.scouts.count,
            waiting: role.waiting.count + role.promises.count
        )
    }
}
