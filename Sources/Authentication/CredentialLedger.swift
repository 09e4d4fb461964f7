package import Bytes

/// Which credentials may be used where, and who has to wait until another has shown that one is right.
///
/// It knows no clock, lock or randomness. An event is a method; those who have to ask again after it are returned, or
/// for an event that answers something else, are to be fetched by `takeWakes()`. Whoever was let go as a scout owes
/// `confirmed`, `rejected`, `noVerdict` or `leave`; whoever waits owes another `ask`, or `leave`.
package struct CredentialLedger: Sendable {
    private let isShared: Bool
    private(set) var entries: [CredentialKey: CredentialEntry] = [:]
    /// The entries that somebody waits for, is a scout of, or told a rejection of that isn't written.
    private var engaged: Set<CredentialKey> = []
    private var effects = LedgerEffects()
    private var latest = Instant(nanoseconds: 0)
    private var unixOffset: Int64

    /// A ledger without credentials.
    ///
    /// With `isShared`, a credential that isn't confirmed is used only after `refreshed` was called for it; for whom
    /// that is wanted, `takeRefreshes()` says. `unixOffset` is Unix time less monotonic time, in nanoseconds.
    package init(isShared: Bool, unixOffset: Int64) {
        self.isShared = isShared
        self.unixOffset = unixOffset
    }

    /// Rises whenever something is withheld, doubted, released or trusted again: while it stays, what `isClear` said
    /// stays right.
    package var version: UInt64 { effects.version }

    // MARK: Requests

    /// May this exchange use that credential there, as an answer or ahead?
    ///
    /// Asking again is no harm: a scout stays one, and one that waits keeps its turn. An exchange that was told to wait
    /// asks again when it is woken or the moment has come. See `CredentialUse` for the rest.
    package mutating func ask(
        _ key: CredentialKey,
        _ place: LedgerPlace,
        _ waiter: Waiter,
        use: CredentialUse,
        now: Instant
    ) -> LedgerAnswer {
        let clock = clock(at: now)
        let answer = entries[key]?.ask(waiter, at: place, use: use, clock: clock, effects: &effects)
        noteEngagement(key)
        return answer ?? .withheld(.replaced)
    }

    /// Whether that credential may be sent ahead at `server` without asking, until `version` rises.
    package func isClear(_ key: CredentialKey, at server: String) -> Bool {
        entries[key]?.isClear(at: server) ?? false
    }

    // MARK: Verdicts

    /// A response confirmed the credential (A-6b).
    package mutating func confirmed(
        _ key: CredentialKey,
        _ place: LedgerPlace,
        _ waiter: Waiter,
        basis: ConfirmationBasis
    ) -> [Waiter] {
        let clock = clock(at: latest)
        entries[key]?.confirmed(waiter, at: place, basis: basis, clock: clock, effects: &effects)
        noteEngagement(key)
        return takeWakes()
    }

    /// A response refused the credential; it is withheld for `withholdFor`, or until its secret changes.
    package mutating func rejected(
        _ key: CredentialKey,
        _ place: LedgerPlace,
        _ waiter: Waiter,
        withholdFor: Nanoseconds?,
        now: Instant
    ) -> [Waiter] {
        let clock = clock(at: now)
        entries[key]?.rejected(
            waiter,
            at: place,
            until: clock.end(of: withholdFor),
            clock: clock,
            effects: &effects
        )
        noteEngagement(key)
        return takeWakes()
    }

    /// The attempt ended without a verdict on that credential, or the exchange doesn't want it any more.
    package mutating func noVerdict(_ key: CredentialKey, _ waiter: Waiter) -> [Waiter] {
        let clock = clock(at: latest)
        entries[key]?.leave(waiter, clock: clock, effects: &effects)
        noteEngagement(key)
        return takeWakes()
    }

    /// The exchange is over, whatever it waited for or was trusted with.
    package mutating func leave(_ waiter: Waiter) -> [Waiter] {
        let clock = clock(at: latest)
        for key in engaged {
            entries[key]?.leave(waiter, clock: clock, effects: &effects)
            noteEngagement(key)
        }
        return takeWakes()
    }

    /// It was woken and isn't there to ask again; a role that it has elsewhere stays its own.
    package mutating func declined(_ waiter: Waiter) -> [Waiter] {
        let clock = clock(at: latest)
        for key in engaged {
            entries[key]?.decline(waiter, clock: clock, effects: &effects)
            noteEngagement(key)
        }
        return takeWakes()
    }

    // MARK: The rule file and the operator

    /// Makes `keys` the credentials of the rule file.
    ///
    /// What isn't among them is used only by exchanges that began before, and is dropped by a later call.
    package mutating func register(_ keys: some Sequence<CredentialKey>) -> [Waiter] {
        let clock = clock(at: latest)
        let current = Set(keys)
        for key in entries.keys where !current.contains(key) {
            if entries[key]?.isRetired == true, entries[key]?.isIdle == true {
                entries[key] = nil
            } else {
                entries[key]?.retire(clock: clock, effects: &effects)
            }
        }
        for key in current {
            if entries[key] == nil {
                entries[key] = CredentialEntry(key: key, isShared: isShared)
            } else if entries[key]?.isRetired == true {
                entries[key]?.reinstate(effects: &effects)
            }
        }
        return takeWakes()
    }

    /// Takes a credential that was dropped in again, for an exchange that began when the rule file had it.
    package mutating func readmit(_ key: CredentialKey) {
        guard entries[key] == nil else { return }
        let clock = clock(at: latest)
        entries[key] = CredentialEntry(key: key, isShared: isShared)
        entries[key]?.retire(clock: clock, effects: &effects)
    }

    /// The operator ended every withholding of that name, or with nil of all; nil where no such name is known.
    package mutating func release(name: String?) -> [Waiter]? {
        let clock = clock(at: latest)
        let keys = entries.keys.filter { name == nil || $0.name == name }
        if keys.isEmpty, name != nil { return nil }
        for key in keys { entries[key]?.release(clock: clock, effects: &effects) }
        return takeWakes()
    }

    /// What it thinks of each credential of the rule file, by name.
    package mutating func report(now: Instant) -> [CredentialReport] {
        let clock = clock(at: now)
        return entries.values.filter { !$0.isRetired }.map { $0.report(at: clock) }.sorted { $0.name < $1.name }
    }

    // MARK: What other processes know

    /// Sets the Unix time less the monotonic time, in nanoseconds, after the clock was set.
    package mutating func setUnixOffset(_ unixOffset: Int64) {
        self.unixOffset = unixOffset
    }

    /// The shared record of `key` was read, and adopted where there was one, so that a scout may go.
    package mutating func refreshed(_ key: CredentialKey) -> [Waiter] {
        let clock = clock(at: latest)
        entries[key]?.refreshed(clock: clock, effects: &effects)
        return takeWakes()
    }

    /// Until when the exchange has to wait for its rejections to be written, and nobody acts on them (A-7b); nil where
    /// they are. It is woken when they are, or can't be.
    package func recordingEnd(of waiter: Waiter) -> Instant? {
        engaged.compactMap { entries[$0]?.unwritten.end(of: waiter) }.max()
    }

    /// Of all changes there ever were, the first `number` are written, or their writing failed.
    package mutating func recorded(through number: UInt64) -> [Waiter] {
        let clock = clock(at: latest)
        for key in engaged {
            entries[key]?.recorded(through: number, clock: clock, effects: &effects)
            noteEngagement(key)
        }
        return takeWakes()
    }

    /// How many changes `takeChanges()` has returned or would return, in all.
    package var changeCount: UInt64 { effects.changeCount }

    /// Takes over what the shared record of `key` says; `unwritten` are the changes that were fetched by
    /// `takeChanges()` and that it doesn't hold yet.
    package mutating func adopt(
        _ record: CredentialRecord,
        for key: CredentialKey,
        unwritten: [LedgerChange]
    ) -> [Waiter] {
        let clock = clock(at: latest)
        let later = effects.changes.filter { $0.key == key }.map(\.change)
        entries[key]?.adopt(record, adding: unwritten + later, clock: clock, effects: &effects)
        return takeWakes()
    }

    /// The record of `key` as far as it is known here.
    package func record(of key: CredentialKey) -> CredentialRecord? {
        entries[key]?.record
    }

    /// The credentials that are known, those of the rule file and those that it had.
    package var keys: [CredentialKey] { Array(entries.keys) }

    // MARK: Effects

    /// Whether `takeChanges()` or `takeRefreshes()` would return anything.
    package var hasWork: Bool { !effects.changes.isEmpty || !effects.refreshes.isEmpty }

    /// Who has to ask again after an event that returned something else.
    package mutating func takeWakes() -> [Waiter] {
        guard !effects.wakes.isEmpty else { return [] }
        defer { effects.wakes.removeAll() }
        return effects.wakes
    }

    /// What has to be written for other processes and the next start, in order.
    package mutating func takeChanges() -> [(key: CredentialKey, change: LedgerChange)] {
        guard !effects.changes.isEmpty else { return [] }
        defer { effects.changes.removeAll() }
        return effects.changes
    }

    /// Whose shared record has to be read before a scout may go.
    package mutating func takeRefreshes() -> [CredentialKey] {
        guard !effects.refreshes.isEmpty else { return [] }
        defer { effects.refreshes.removeAll() }
        return effects.refreshes
    }

    private mutating func clock(at now: Instant) -> LedgerClock {
        latest = max(latest, now)
        let (sum, overflow) = Int64(clamping: latest.nanoseconds).addingReportingOverflow(unixOffset)
        return LedgerClock(now: latest, unixNanoseconds: overflow ? .max : sum)
    }

    private mutating func noteEngagement(_ key: CredentialKey) {
        if entries[key]?.isIdle ?? true {
            engaged.remove(key)
        } else {
            engaged.insert(key)
        }
    }
}
