package import Bytes

/// What the ledger says to a request that would use a credential.
package enum LedgerAnswer: Equatable, Sendable {
    /// Use it, and tell the verdict; a scout is being waited for.
    case go(isScout: Bool)
    /// Ask again when woken, and at this moment at the latest.
    case wait(until: Instant)
    /// Don't use it.
    case withheld(Withholding)
}

/// What a confirmation rests on (A-6b).
package enum ConfirmationBasis: Sendable {
    /// The value answered a challenge of this exchange, or was sent ahead where an answer had been confirmed before.
    case answer
    /// The value was sent ahead where nothing was ever challenged.
    case unchallenged
}

/// Why a credential may not be used, and since when.
package struct Withholding: Hashable, Sendable {
    /// How far it reaches.
    package enum Extent: CaseIterable, Sendable {
        /// Nowhere may it be used.
        case everywhere
        /// Not at this origin or parent.
        case server
        /// Not for this target; elsewhere it goes on.
        case target
        /// The secret was replaced or taken out of the rule file while the exchange was under way.
        case replaced
    }

    /// How far it reaches.
    package var extent: Extent
    /// The origin or parent whose rejection brought it; empty for `replaced`.
    package var server: String
    /// The target of that rejection; empty where it isn't known any more.
    package var target: String
    /// Unix time of that rejection in seconds.
    package var since: Int64
    /// Unix time in seconds at which it ends; nil: when the secret changes, or by a release.
    package var until: Int64?

    /// A withholding in all its parts.
    package init(extent: Extent, server: String, target: String, since: Int64, until: Int64?) {
        self.extent = extent
        self.server = server
        self.target = target
        self.since = since
        self.until = until
    }

    static let replaced = Withholding(extent: .replaced, server: "", target: "", since: 0, until: nil)

    func hasEnded(at unixSeconds: Int64) -> Bool {
        guard let until else { return false }
        return until <= unixSeconds
    }
}
