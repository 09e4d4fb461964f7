/// What has to be done outside the ledger, gathered while it takes in events.
struct LedgerEffects: Sendable {
    /// Who has to ask again.
    var wakes: [Waiter] = []
    /// What has to be written, in order.
    var changes: [(key: CredentialKey, change: LedgerChange)] = []
    /// How many changes there ever were.
    var changeCount: UInt64 = 0
    /// Whose shared record has to be read before a scout goes.
    var refreshes: [CredentialKey] = []
    /// Rises whenever something is withheld, released, doubted or trusted again.
    var version: UInt64 = 1
}
