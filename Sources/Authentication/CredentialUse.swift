/// How a request would use a credential.
package struct CredentialUse: Hashable, Sendable {
    /// Its body is over `replay_memory`.
    package var isHeavy: Bool
    /// It would be sent ahead where nothing was ever challenged.
    package var isSentAheadUnchallenged: Bool
    /// The rule's `max_failures`.
    package var maxFailures: Int

    /// A use in all its parts.
    package init(isHeavy: Bool = false, isSentAheadUnchallenged: Bool = false, maxFailures: Int = 1) {
        self.isHeavy = isHeavy
        self.isSentAheadUnchallenged = isSentAheadUnchallenged
        self.maxFailures = maxFailures
    }
}
