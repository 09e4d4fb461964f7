internal import Bytes

/// One credential of the ledger: its record, what only this process knows of it, and its scouts.
struct CredentialEntry: Sendable {
    /// Whether the shared record was read, which a scout needs first.
    enum Refresh: Sendable {
        /// Nobody needs it.
        case idle
        /// A scout waits for it; ended by `refreshed`.
        case wanted
    }

    /// A target or a path at a server.
    struct Spot: Hashable, Sendable {
        let server: String
        let text: String
    }

    static let targetBound = 1000
    static let pathBound = 1000
    static let serverBound = 10_000

    let key: CredentialKey
    /// Whether the record is shared, so that it has to be read before an unconfirmed credential's use (A-7b).
    let isShared: Bool
    private(set) var standing = CredentialStanding.unconfirmed
    private(set) var record = CredentialRecord()
    private(set) var refresh = Refresh.idle
    /// Until when what was read is good for one scout.
    private var freshUntil = Instant(nanoseconds: 0)
    /// Nobody goes by them, and nobody goes without them, before they are written.
    private(set) var unwritten = UnwrittenRejections()
    /// The rule file has another secret of that name, or none; exchanges that began before go on with this one.
    private(set) var isRetired = false
    private(set) var confirmedServers = RecentTable<String, Bool>(bound: serverBound)
    private(set) var withheldTargets = RecentTable<Spot, Withholding>(bound: targetBound)
    /// Where it was accepted ahead of any challenge.
    private(set) var openPaths = RecentTable<Spot, Bool>(bound: pathBound)
    private(set) var role = ScoutRole()

    init(key: CredentialKey, isShared: Bool) {
        self.key = key
        self.isShared = isShared
    }

    /// Whether nobody is concerned with it, so that it may be dropped.
    var isIdle: Bool { role.isEmpty && unwritten.isEmpty }

    // MARK: Questions

    func isClear(at server: String) -> Bool {
        standing == .confirmed && !isRetired && confirmedServers[server] == true
            && !withheldTargets.keys.contains { $0.server == server }
    }

    func withholding(at place: LedgerPlace, maxFailures: Int, unixSeconds: Int64) -> Withholding? {
        if isBlocked { return nil }
        if let withheld = record.withheld { return withheld }
        if let target = withheldTargets[Spot(server: place.server, text: place.target)],
            !target.hasEnded(at: unixSeconds)
        {
            return target
        }
        guard confirmedServers[place.server] == nil,
            let rejections = record.rejections.first(where: { $0.server == place.server }),
            rejections.count >= max(1, maxFailures)
        else { return nil }
        return Withholding(
            extent: .server,
            server: place.server,
            target: "",
            since: rejections.since,
            until: rejections.until
        )
    }

    private func isFree(at place: LedgerPlace, isSentAheadUnchallenged: Bool) -> Bool {
        if standing == .confirmed, confirmedServers[place.server] == true { return true }
        return isSentAheadUnchallenged && openPaths[Spot(server: place.server, text: place.path)] == true
    }

    /// The reach of the scout's role: everything, or a server where the credential was confirmed elsewhere.
    private func reach(of server: String) -> String? {
        switch standing {
        case .unconfirmed, .probation, .withheld: nil
        case .confirmed: server
        }
    }

    private var needsRefresh: Bool {
        switch standing {
        case .unconfirmed, .probation: isShared
        case .confirmed, .withheld: false
        }
    }

    private func isFresh(_ clock: LedgerClock) -> Bool {
        !needsRefresh || clock.now < freshUntil
    }

    // MARK: Asking

    mutating func ask(
        _ waiter: Waiter,
        at place: LedgerPlace,
        use: CredentialUse,
        clock: LedgerClock,
        effects: inout LedgerEffects
    ) -> LedgerAnswer {
        expire(clock, effects: &effects)
        let isFreed = unwritten.giveUp(at: clock.now)
        let hasAdvanced = role.advance(to: clock.now) || isFreed
        if !use.isSentAheadUnchallenged { openPaths[Spot(server: place.server, text: place.path)] = nil }
        if let answer = answerWithoutScout(waiter, at: place, use: use, clock: clock, effects: &effects) {
            if hasAdvanced { reconcile(clock, effects: &effects) }
            return answer
        }
        let answer = askForRole(waiter, at: place, use: use, clock: clock, effects: &effects)
        if hasAdvanced { reconcile(clock, effects: &effects) }
        return answer
    }

    private mutating func answerWithoutScout(
        _ waiter: Waiter,
        at place: LedgerPlace,
        use: CredentialUse,
        clock: LedgerClock,
        effects: inout LedgerEffects
    ) -> LedgerAnswer? {
        let answer: LedgerAnswer
        if let withholding = withholding(at: place, maxFailures: use.maxFailures, unixSeconds: clock.unixSeconds) {
            answer = .withheld(withholding)
        } else if isFree(at: place, isSentAheadUnchallenged: use.isSentAheadUnchallenged) {
            answer = .go(isScout: false)
        } else {
            return nil
        }
        leave(waiter, clock: clock, effects: &effects)
        return answer
    }

    private mutating func askForRole(
        _ waiter: Waiter,
        at place: LedgerPlace,
        use: CredentialUse,
        clock: LedgerClock,
        effects: inout LedgerEffects
    ) -> LedgerAnswer {
        let reach = reach(of: place.server)
        if let scout = role.scout(waiter) {
            if reach == nil || scout.place.server == place.server {
                role.move(waiter, to: place)
                return .go(isScout: true)
            }
            leave(waiter, clock: clock, effects: &effects)
        }
        let promise = role.takePromise(waiter)
        let isPromised = promise.map { reach == nil || $0.place.server == place.server } == true && !isBlocked
        let yields = use.isHeavy && !isPromised && role.isAwaitedByLight(at: reach, but: waiter)
        if isPromised || isOpen(at: reach), isFresh(clock), !yields {
            role.grant(waiter, at: place, now: clock.now)
            freshUntil = Instant(nanoseconds: 0)
            if promise != nil, !isPromised { reconcile(clock, effects: &effects) }
            return .go(isScout: true)
        }
        role.enqueue(waiter, at: place, use: use)
        if promise != nil || isOpen(at: reach) { reconcile(clock, effects: &effects) }
        let chance = role.nextChance(at: reach, now: clock.now)
        return .wait(until: unwritten.firstEnd.map { min($0, chance) } ?? chance)
    }

    private func isOpen(at reach: String?) -> Bool {
        switch refresh {
        case .wanted where needsRefresh: false
        case .wanted, .idle: !isBlocked && role.isOpen(at: reach)
        }
    }

    private var isBlocked: Bool { !unwritten.isEmpty }

    // MARK: Verdicts

    mutating func confirmed(
        _ waiter: Waiter,
        at place: LedgerPlace,
        basis: ConfirmationBasis,
        clock: LedgerClock,
        effects: inout LedgerEffects
    ) {
        let scout = role.scout(waiter)
        switch basis {
        case .unchallenged:
            openPaths[Spot(server: place.server, text: place.path)] = true
        case .answer:
            if endsStanding(scout) { acceptAnswer(at: place, effects: &effects) }
        }
        role.remove(waiter)
        settle(effects: &effects)
        reconcile(clock, effects: &effects)
    }

    /// Whether a confirmation counts: in doubt only that of a scout that went after the rejection does, since what was
    /// under way then says nothing of the secret's being right now.
    private func endsStanding(_ scout: ScoutRole.Scout?) -> Bool {
        switch standing {
        case .unconfirmed, .confirmed: true
        case .probation: scout.map { !$0.predatesDoubt } ?? false
        case .withheld: false
        }
    }

    private mutating func acceptAnswer(at place: LedgerPlace, effects: inout LedgerEffects) {
        confirmedServers[place.server] = true
        let isKnown = record.isConfirmed && record.doubt == nil
        guard !isKnown || record.rejections.contains(where: { $0.server == place.server }) else { return }
        apply(.confirmed(server: place.server), effects: &effects)
    }

    mutating func rejected(
        _ waiter: Waiter,
        at place: LedgerPlace,
        until: Int64?,
        clock: LedgerClock,
        effects: inout LedgerEffects
    ) {
        role.remove(waiter)
        expire(clock, effects: &effects)
        openPaths.removeAll { $0.server == place.server }
        if record.isConfirmed {
            withheldTargets[Spot(server: place.server, text: place.target)] = Withholding(
                extent: .target,
                server: place.server,
                target: place.target,
                since: clock.unixSeconds,
                until: until
            )
        }
        apply(
            .rejected(server: place.server, target: place.target, since: clock.unixSeconds, until: until),
            effects: &effects
        )
        effects.version += 1
        if isShared { unwritten.add(waiter, number: effects.changeCount, now: clock.now) }
        settle(effects: &effects)
        reconcile(clock, effects: &effects)
    }

    /// The changes up to that number are written, or can't be: who told them goes on, and so do the others.
    mutating func recorded(through number: UInt64, clock: LedgerClock, effects: inout LedgerEffects) {
        let tellers = unwritten.remove(through: number)
        guard !tellers.isEmpty else { return }
        effects.wakes += tellers
        reconcile(clock, effects: &effects)
    }

    /// It isn't there to take up what it was promised.
    mutating func decline(_ waiter: Waiter, clock: LedgerClock, effects: inout LedgerEffects) {
        guard let promise = role.takePromise(waiter) else { return }
        fill(reach(of: promise.place.server), clock, effects: &effects)
    }

    /// It doesn't wait, and has no role, any more; who comes next is told.
    mutating func leave(_ waiter: Waiter, clock: LedgerClock, effects: inout LedgerEffects) {
        let server = role.server(of: waiter)
        role.remove(waiter)
        // Nothing else changed, so only the role that it had has to be given on; thousands may wait for it.
        if let server { fill(reach(of: server), clock, effects: &effects) }
    }

    // MARK: The operator and other processes

    mutating func release(clock: LedgerClock, effects: inout LedgerEffects) {
        apply(.released, effects: &effects)
        withheldTargets.removeAll()
        confirmedServers.removeAll()
        effects.version += 1
        settle(effects: &effects)
        reconcile(clock, effects: &effects)
    }

    mutating func retire(clock: LedgerClock, effects: inout LedgerEffects) {
        isRetired = true
        effects.version += 1
        reconcile(clock, effects: &effects)
    }

    /// It is the rule file's own again, as when a reload was taken back.
    mutating func reinstate(effects: inout LedgerEffects) {
        isRetired = false
        effects.version += 1
    }

    /// The shared record was read before a scout goes.
    mutating func refreshed(clock: LedgerClock, effects: inout LedgerEffects) {
        refresh = .idle
        freshUntil = clock.now.adding(nanoseconds: ScoutRole.patience)
        reconcile(clock, effects: &effects)
    }

    /// Takes over the shared record; `changes` are what happened here that it doesn't hold yet.
    mutating func adopt(
        _ shared: CredentialRecord,
        adding changes: [LedgerChange],
        clock: LedgerClock,
        effects: inout LedgerEffects
    ) {
        let old = record
        record = shared
        // It may have been dropped to make room; what was confirmed stays so as long as the secret does.
        record.isConfirmed = shared.isConfirmed || old.isConfirmed
        for change in changes { record.apply(change) }
        if let doubt = record.doubt { withheldTargets[Spot(server: doubt.server, text: doubt.target)] = doubt }
        guard old != record else { return }
        if old.withheld != record.withheld || old.doubt != record.doubt || old.rejections != record.rejections {
            effects.version += 1
        }
        if old.doubt == nil, record.doubt != nil { role.markScoutsAsOlderThanDoubt() }
        settle(effects: &effects)
        reconcile(clock, effects: &effects)
    }

    private mutating func apply(_ change: LedgerChange, effects: inout LedgerEffects) {
        let hadDoubt = record.doubt != nil
        record.apply(change)
        if !hadDoubt, record.doubt != nil { role.markScoutsAsOlderThanDoubt() }
        effects.changes.append((key, change))
        effects.changeCount += 1
    }

    private mutating func expire(_ clock: LedgerClock, effects: inout LedgerEffects) {
        let old = record
        record.expire(at: clock.unixSeconds)
        guard old != record else { return }
        effects.version += 1
        settle(effects: &effects)
        reconcile(clock, effects: &effects)
    }
    // MARK: Consequences

    /// Brings the standing up to what is known.
    private mutating func settle(effects: inout LedgerEffects) {
        let old = standing
        if record.withheld != nil {
            standing = .withheld
            confirmedServers.removeAll()
            openPaths.removeAll()
        } else if !record.isConfirmed {
            standing = .unconfirmed
        } else if record.doubt != nil || confirmedServers.isEmpty {
            standing = .probation
        } else {
            standing = .confirmed
        }
        if old != standing { effects.version += 1 }
    }

    /// Wakes those that need no scout any more, and promises each role that is open to one that waits for it.
    private mutating func reconcile(_ clock: LedgerClock, effects: inout LedgerEffects) {
        let settled = role.waiting.filter { isSettled($0.value.place, $0.value.use, clock) }
        for waiter in settled.sorted(by: { $0.value.turn < $1.value.turn }).map(\.key) {
            role.remove(waiter)
            effects.wakes.append(waiter)
        }
        for promise in role.promises where isSettled(promise.place, promise.use, clock) {
            _ = role.takePromise(promise.waiter)
        }
        switch standing {
        case .unconfirmed, .probation, .withheld:
            fill(nil, clock, effects: &effects)
        case .confirmed:
            for server in role.awaitedServers { fill(server, clock, effects: &effects) }
        }
    }

    private mutating func fill(_ reach: String?, _ clock: LedgerClock, effects: inout LedgerEffects) {
        role.dropSurplusPromises(at: reach)
        guard isOpen(at: reach), role.isAwaited(at: reach) else { return }
        if !isFresh(clock) {
            refresh = .wanted
            effects.refreshes.append(key)
        } else if let waiter = role.promiseNext(at: reach, now: clock.now) {
            effects.wakes.append(waiter)
        }
    }

    private func isSettled(_ place: LedgerPlace, _ use: CredentialUse, _ clock: LedgerClock) -> Bool {
        isFree(at: place, isSentAheadUnchallenged: use.isSentAheadUnchallenged)
            || withholding(at: place, maxFailures: use.maxFailures, unixSeconds: clock.unixSeconds) != nil
    }
}
