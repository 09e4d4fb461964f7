package import Authentication
package import Bytes
internal import Rules

/// What the ledger is asked before a credential with a password is used.
package struct LedgerQuestion: Sendable {
    package let credential: Credential
    package let place: LedgerPlace
    /// Sent ahead into a space where nothing was ever challenged (A-6b).
    package let isUnchallenged: Bool
    package let maxFailures: Int
}

/// What became of a credential that was used (A-6, A-6b).
package struct LedgerReport: Sendable {
    package enum Verdict: Equatable, Sendable {
        case confirmed(ConfirmationBasis)
        case rejected
        case none
    }

    package let side: Side
    package let credential: Credential
    package let place: LedgerPlace
    package let verdict: Verdict
    package let maxFailures: Int
    /// How long it is withheld, in nanoseconds; nil until its secret changes.
    package let withholdFor: Nanoseconds?
}
