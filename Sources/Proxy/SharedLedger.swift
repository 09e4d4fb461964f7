package import Authentication
package import Bytes
package import Events
internal import Glibc
package import Rules
internal import Storage
internal import Synchronization

/// The ledger that all loops share, and what it shares with other processes (A-7, A-7b).
///
/// No call waits for the disk or for scrypt: that is done by a thread of its own, and whoever has to wait for it is
/// told to wait, and woken. So is who told a rejection, until that is in the file. While `version` stays, what `isClear` said stays right, so that a loop that sends ahead
/// needs no more than one atomic load.
package final class SharedLedger: Sendable {
    private struct State {
        var ledger: CredentialLedger
        var credentials: [CredentialKey: Credential] = [:]
        var lastGeneration: UInt32 = 0
        /// The keys of the rule file's.
        var registered: Set<CredentialKey> = []
        /// What was fetched, by the key of what it was fetched for; the latest used is the last.
        var fetched: [CredentialKey: [Credential]] = [:]

        /// The keys of the rule file's, and those of what was fetched for them.
        var currentKeys: Set<CredentialKey> {
            registered.union(fetched.values.joined().compactMap(\.key))
        }

        mutating func register(_ credentials: [Credential]) -> (keys: [String: CredentialKey], wakes: [Waiter]) {
            let keys = keys(for: credentials)
            registered = Set(keys.values)
            fetched = fetched.filter { registered.contains($0.key) }
            return (keys, update())
        }

        mutating func admit(
            _ kind: Credential.Kind,
            for source: Credential,
            under sourceKey: CredentialKey
        ) -> (credential: Credential, wakes: [Waiter]) {
            let key = CredentialKey(name: source.name, generation: lastGeneration + 1)
            let candidate = Credential(fetched: kind, for: source, key: key)
            var known = fetched[sourceKey] ?? []
            if let place = known.firstIndex(where: { $0.hasSameSecret(as: candidate) }) {
                let same = known.remove(at: place)
                fetched[sourceKey] = known + [same]
                return (same, [])
            }
            lastGeneration += 1
            credentials[key] = candidate
            guard registered.contains(sourceKey) else {
                ledger.readmit(key)
                return (candidate, [])
            }
            known.removeFirst(max(0, known.count + 1 - source.mostFetched))
            fetched[sourceKey] = known + [candidate]
            return (candidate, update())
        }

        private mutating func update() -> [Waiter] {
            let wakes = ledger.register(currentKeys)
            let remaining = Set(ledger.keys)
            credentials = credentials.filter { remaining.contains($0.key) }
            return wakes
        }

        mutating func keys(for registered: [Credential]) -> [String: CredentialKey] {
            let known = Dictionary(grouping: credentials, by: \.key.name)
            var keys: [String: CredentialKey] = [:]
            for credential in registered {
                let same = known[credential.name]?.first { $0.value.hasSameSecret(as: credential) }?.key
                // Counted over all names: a key that went never comes back for another secret.
                if same == nil { lastGeneration += 1 }
                let key = same ?? CredentialKey(name: credential.name, generation: lastGeneration)
                keys[credential.name] = key
                credentials[key] = credential
            }
            return keys
        }
    }

    /// What waits for the thread.
    struct Work {
        var refreshes: [CredentialKey]
        var changes: [(key: CredentialKey, change: LedgerChange)]
        /// How many changes there were with these, in all.
        var changeCount: UInt64
    }

    private let state: Locked<State>
    /// That of the ledger, to be read without the lock.
    private let knownVersion = Atomic<UInt64>(0)
    private let waking: any LedgerWaking
    private let warn: @Sendable (String) -> Void
    private let thread = Locked<SystemThread?>(nil)
    private let signal: LaneSignal
    /// The folder that it is shared in; nil: it is in memory.
    package let folder: String?
    /// Where the control socket belongs; nil: nowhere.
    package let controlFolder: String?

    /// Opens the ledger at `location`, in memory with a warning where that can't be written.
    ///
    /// `warn` is called on any thread with one line. It fails only where descriptors or threads are used up. `close`
    /// ends its thread.
    package init(
        at location: StateLocation,
        waking: any LedgerWaking,
        warn: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        folder = Self.prepare(location, warn)
        controlFolder = folder ?? location.runtimeFolder
        self.waking = waking
        self.warn = warn
        let ledger = CredentialLedger(isShared: folder != nil, unixOffset: Self.unixOffset)
        state = Locked(State(ledger: ledger))
        signal = try LaneSignal()
        guard let folder else { return }
        let lane = try SystemThread("ledger") { [self, signal] in
            LaneSignal.blockSignals()
            LedgerLane(self, folder: folder, signal: signal).run()
        }
        thread.withLock { $0 = lane }
    }

    /// Writes what has to be written and ends the thread.
    package func close() {
        signal.stop()
        thread.withLock { $0.take() }?.join()
    }

    private static func prepare(_ location: StateLocation, _ warn: (String) -> Void) -> String? {
        guard let path = location.folder else {
            warn("there is no folder for the ledger of withheld credentials; it is kept in memory")
            return nil
        }
        let folder = LedgerFolder(path: path)
        do {
            try folder.prepare()
        } catch {
            warn("\(error.message); the ledger of withheld credentials is kept in memory")
            return nil
        }
        for notice in folder.takeNotices() { warn(notice) }
        return path
    }

    // MARK: Requests

    /// Rises whenever something is withheld, doubted, released or trusted again.
    package var version: UInt64 { knownVersion.load(ordering: .acquiring) }

    /// Whether that credential may be sent ahead at `server` without asking, until `version` rises beyond what it was
    /// before this call.
    package func isClear(_ key: CredentialKey, at server: String) -> Bool {
        state.withLock { $0.ledger.isClear(key, at: server) }
    }

    /// May this exchange use that credential there? See `CredentialLedger.ask`.
    package func ask(
        _ key: CredentialKey,
        _ place: LedgerPlace,
        _ waiter: Waiter,
        use: CredentialUse,
        now: Instant
    ) -> LedgerAnswer {
        act { ([], $0.ask(key, place, waiter, use: use, now: now)) }
    }

    // MARK: Verdicts

    /// A response confirmed the credential (A-6b).
    package func confirmed(_ key: CredentialKey, _ place: LedgerPlace, _ waiter: Waiter, basis: ConfirmationBasis) {
        actAndWake { $0.confirmed(key, place, waiter, basis: basis) }
    }

    /// A response refused the credential; it is withheld for `withholdFor`, or until its secret changes.
    package func rejected(
        _ key: CredentialKey,
        _ place: LedgerPlace,
        _ waiter: Waiter,
        withholdFor: Nanoseconds?,
        now: Instant
    ) {
        actAndWake { ledger in
            ledger.setUnixOffset(Self.unixOffset)
            return ledger.rejected(key, place, waiter, withholdFor: withholdFor, now: now)
        }
    }

    /// Until when that exchange has to wait for its rejections to be in the file; nil where they are, or can't be.
    ///
    /// It is woken then.
    package func recordingEnd(of waiter: Waiter) -> Instant? {
        state.withLock { $0.ledger.recordingEnd(of: waiter) }
    }

    /// The attempt ended without a verdict on that credential, or the exchange doesn't want it any more.
    package func noVerdict(_ key: CredentialKey, _ waiter: Waiter) {
        actAndWake { $0.noVerdict(key, waiter) }
    }

    /// The exchange is over, whatever it waited for or was trusted with.
    package func leave(_ waiter: Waiter) {
        actAndWake { $0.leave(waiter) }
    }

    /// It was woken and isn't there to ask again.
    package func declined(_ waiter: Waiter) {
        actAndWake { $0.declined(waiter) }
    }

    // MARK: The rule file and the operator

    /// Makes `credentials` those of the rule file, and gives each name its key.
    ///
    /// One whose secret is what it was keeps its key and its standing; an exchange goes on with the key that it has.
    package func register(_ credentials: [Credential]) -> [String: CredentialKey] {
        let (keys, wakes) = state.withLock { state in
            let registered = state.register(credentials)
            knownVersion.store(state.ledger.version, ordering: .releasing)
            return registered
        }
        if !wakes.isEmpty { waking.wake(wakes) }
        return keys
    }

    /// What was fetched for a credential of the rule file, whose key is `sourceKey`, as a credential with a key of its
    /// own.
    ///
    /// It is the very one that was admitted before where the secret is the same, so that its standing stays; with a
    /// source that the rule file doesn't have any more it is good for exchanges that began before. Of one source the
    /// latest are kept.
    package func admit(
        _ kind: Credential.Kind,
        for source: Credential,
        under sourceKey: CredentialKey
    ) -> Credential {
        let (credential, wakes) = state.withLock { state in
            let admitted = state.admit(kind, for: source, under: sourceKey)
            knownVersion.store(state.ledger.version, ordering: .releasing)
            return admitted
        }
        if !wakes.isEmpty { waking.wake(wakes) }
        return credential
    }

    /// Takes in again what was dropped since an exchange began; see `CredentialLedger.readmit`.
    package func readmit(_ key: CredentialKey, _ credential: Credential) {
        state.withLock { state in
            state.credentials[key] = credential
            state.ledger.readmit(key)
            knownVersion.store(state.ledger.version, ordering: .releasing)
        }
    }

    /// Ends every withholding of that name, or with nil of all; false where no such name is known.
    package func release(name: String?) -> Bool {
        act { ledger in
            ledger.setUnixOffset(Self.unixOffset)
            guard let wakes = ledger.release(name: name) else { return ([], false) }
            return (wakes, true)
        }
    }

    /// What it thinks of each credential, by name.
    package func report() -> [CredentialReport] {
        act { ledger in
            ledger.setUnixOffset(Self.unixOffset)
            return ([], ledger.report(now: Self.now))
        }
    }

    // MARK: The thread

    /// Takes what waits for the thread.
    func takeWork() -> Work {
        state.withLock { state in
            Work(
                refreshes: state.ledger.takeRefreshes(),
                changes: state.ledger.takeChanges(),
                changeCount: state.ledger.changeCount
            )
        }
    }

    /// The credential of that key, and what is known of it here.
    func credential(of key: CredentialKey) -> Credential? {
        state.withLock { $0.credentials[key] }
    }

    /// All that is known of each credential, and the changes that it holds already.
    func takeRecords() -> (records: [(key: CredentialKey, record: CredentialRecord)], work: Work) {
        state.withLock { state in
            let records = state.ledger.keys.compactMap { key in
                state.ledger.record(of: key).flatMap { $0.isClean ? nil : (key: key, record: $0) }
            }
            let changes = state.ledger.takeChanges()
            return (records, Work(refreshes: [], changes: changes, changeCount: state.ledger.changeCount))
        }
    }

    /// See `CredentialLedger.refreshed`.
    func refreshed(_ key: CredentialKey) {
        actAndWake { $0.refreshed(key) }
    }

    /// See `CredentialLedger.recorded`.
    func recorded(through changeCount: UInt64) {
        actAndWake { $0.recorded(through: changeCount) }
    }

    /// See `CredentialLedger.adopt`.
    func adopt(_ record: CredentialRecord, for key: CredentialKey, unwritten: [LedgerChange]) {
        actAndWake { ledger in
            ledger.setUnixOffset(Self.unixOffset)
            return ledger.adopt(record, for: key, unwritten: unwritten)
        }
    }

    func tell(_ notice: String) {
        warn(notice)
    }

    // MARK: Parts

    private func act<Answer>(_ body: (inout CredentialLedger) -> ([Waiter], Answer)) -> Answer {
        let (answer, wakes, hasWork) = state.withLock { state in
            let (wakes, answer) = body(&state.ledger)
            // In memory nobody else is to know.
            if folder == nil { _ = state.ledger.takeChanges() }
            knownVersion.store(state.ledger.version, ordering: .releasing)
            return (answer, wakes + state.ledger.takeWakes(), state.ledger.hasWork)
        }
        if hasWork { signal.raise() }
        if !wakes.isEmpty { waking.wake(wakes) }
        return answer
    }

    private func actAndWake(_ body: (inout CredentialLedger) -> [Waiter]) {
        act { (body(&$0), ()) }
    }

    private static var now: Instant { Instant(nanoseconds: UInt64(nanoseconds(CLOCK_MONOTONIC))) }

    static var unixSeconds: Int64 { nanoseconds(CLOCK_REALTIME) / 1_000_000_000 }

    private static var unixOffset: Int64 { nanoseconds(CLOCK_REALTIME) - nanoseconds(CLOCK_MONOTONIC) }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Credential {
    /// How many secrets of this source are known at a time: one, and those that it replaced; or one for each server.
    fileprivate var mostFetched: Int {
        switch deferred {
        case .helper, .netrc: 256
        case .programs, .oauth2, nil: 4
        }
    }
}
