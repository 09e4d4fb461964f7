package import Authentication

/// Tells exchanges, on whatever loop they run, that they have to ask the ledger again.
package protocol LedgerWaking: Sendable {
    /// Called on any thread, without a lock of the ledger's; it must not block.
    func wake(_ waiters: [Waiter])
}
