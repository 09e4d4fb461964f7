/// What the ledger thinks of a credential.
package enum CredentialStanding: CaseIterable, Sendable {
    /// Never confirmed since its secret changed: one scout in all. Ended by a confirmation, or by rejections at two
    /// origins or parents.
    case unconfirmed
    /// Confirmed once, but in doubt: after a rejection, a release or a restart one scout in all goes first. Ended by
    /// that scout's confirmation, or, after a rejection, by one for another target.
    case probation
    /// Confirmed: used freely where it was confirmed, one scout at each other origin or parent. Ended by a rejection.
    case confirmed
    /// Withheld everywhere. Ended by a release, or by the time that the rule gave.
    case withheld
}
