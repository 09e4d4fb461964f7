/// The part of a credential's ledger that outlives the process (A-7b), and the rules by which it changes.
///
/// Several processes share it: what one of them learned is applied as a `LedgerChange` to what the others wrote.
package struct CredentialRecord: Equatable, Sendable {
    /// The rejections at one origin or parent, of a credential that was never confirmed.
    package struct Rejections: Equatable, Sendable {
        /// The origin or parent.
        package var server: String
        /// How many there were.
        package var count: Int
        /// Unix time of the last one in seconds.
        package var since: Int64
        /// Unix time in seconds at which they are forgotten; nil: never.
        package var until: Int64?

        /// Rejections in all their parts.
        package init(server: String, count: Int, since: Int64, until: Int64?) {
            self.server = server
            self.count = count
            self.since = since
            self.until = until
        }
    }

    /// Whether it was ever confirmed by an answer since its secret changed.
    package var isConfirmed = false
    /// What was rejected before it was confirmed.
    package var rejections: [Rejections] = []
    /// The rejection of a confirmed credential that no confirmation has followed (A-7c).
    package var doubt: Withholding?
    /// Set when it is withheld everywhere.
    package var withheld: Withholding?

    /// Nothing is known.
    package init() {}

    /// Whether nothing is known.
    package var isClean: Bool { self == CredentialRecord() }

    /// Whether it holds anything back.
    package var isRestricted: Bool { !rejections.isEmpty || doubt != nil || withheld != nil }

    /// Takes in what happened.
    package mutating func apply(_ change: LedgerChange) {
        switch change {
        case .confirmed(let server):
            isConfirmed = true
            doubt = nil
            rejections.removeAll { $0.server == server }
        case .rejected(let server, let target, let since, let until):
            expire(at: since)
            guard withheld == nil else { return }
            if isConfirmed {
                rejectConfirmed(
                    Withholding(extent: .target, server: server, target: target, since: since, until: until)
                )
            } else {
                rejectUnconfirmed(server: server, target: target, since: since, until: until)
            }
        case .released:
            rejections.removeAll()
            doubt = nil
            withheld = nil
        }
    }

    /// Forgets what was to hold for a time that has passed.
    package mutating func expire(at unixSeconds: Int64) {
        rejections.removeAll { $0.until.map { $0 <= unixSeconds } ?? false }
        if withheld?.hasEnded(at: unixSeconds) == true { withheld = nil }
    }

    private mutating func rejectUnconfirmed(server: String, target: String, since: Int64, until: Int64?) {
        if let index = rejections.firstIndex(where: { $0.server == server }) {
            rejections[index].count += 1
            rejections[index].since = since
            rejections[index].until = until
        } else {
            rejections.append(Rejections(server: server, count: 1, since: since, until: until))
        }
        if rejections.count >= 2 {
            withheld = Withholding(extent: .everywhere, server: server, target: target, since: since, until: until)
        }
    }

    private mutating func rejectConfirmed(_ rejection: Withholding) {
        // Another rejection for the same target, by a request that was under way, says nothing new.
        guard let doubt, doubt.server != rejection.server || doubt.target != rejection.target else {
            self.doubt = rejection
            return
        }
        self.doubt = nil
        withheld = rejection
        withheld?.extent = .everywhere
    }
}

/// One thing that happened to a credential and that other processes and the next start have to know.
package enum LedgerChange: Equatable, Sendable {
    /// An answer was accepted by this origin or parent.
    case confirmed(server: String)
    /// A value was refused there; times in Unix seconds, `until` nil: until the secret changes.
    case rejected(server: String, target: String, since: Int64, until: Int64?)
    /// The operator ended every withholding.
    case released
}
