internal import Authentication
internal import Storage

/// What the shared ledger's thread does: reads the file before a scout goes, writes what happened, and computes the
/// fingerprints that the file tells secrets apart by.
///
/// A scout waits for its secret's fingerprint, once, so that a rejection has to wait for the file only.
final class LedgerLane {
    /// Rejections beyond this that can't be written are remembered in memory only.
    private static let unwrittenBound = 4096
    private static let retryPause = Duration.seconds(10)
    /// How often a file is begun anew under our hands before we wait for it to rest.
    private static let saltPatience = 3

    private let shared: SharedLedger
    private let folder: LedgerFolder
    private let signal: LaneSignal
    /// Of the secrets that were needed so far, under `salt`.
    private var fingerprints: [CredentialKey: SecretFingerprint] = [:]
    private var salt: [UInt8]
    /// Whose scouts wait for the file to be read.
    private var pending: [CredentialKey] = []
    private var unwritten: [(key: CredentialKey, change: LedgerChange)] = []
    /// Changes that no writing was tried of yet, and how many there were with them, in all.
    private var hasNewChanges = false
    private var changeCount: UInt64 = 0
    private var retryTime = ContinuousClock.now
    private var hasFailed = false

    init(_ shared: SharedLedger, folder path: String, signal: LaneSignal) {
        self.shared = shared
        self.signal = signal
        folder = LedgerFolder(path: path)
        salt = folder.file.salt
    }

    func run() {
        while !signal.isStopping {
            signal.wait(milliseconds: pause)
            work()
        }
        // What happened after the last look.
        work()
    }

    /// How long nothing has to be done, in milliseconds, if nothing happens; -1 for ever.
    private var pause: Int32 {
        if hasNewChanges || !pending.isEmpty { return 0 }
        if unwritten.isEmpty { return -1 }
        let rest = retryTime - .now
        return Int32(max(0, rest / .milliseconds(1))) + 1
    }

    private func work() {
        let work = shared.takeWork()
        take(work)
        pending += work.refreshes
        let isRetryDue = !unwritten.isEmpty && (retryTime <= .now || signal.isStopping)
        if hasNewChanges || isRetryDue { write() }
        // One at a time, so that a rejection doesn't wait for the fingerprints of others.
        if !signal.isStopping, !pending.isEmpty { refresh(pending.removeFirst()) }
    }

    private func take(_ work: SharedLedger.Work) {
        unwritten += work.changes
        if work.changeCount > changeCount { hasNewChanges = true }
        changeCount = work.changeCount
    }

    // MARK: Reading

    /// Reads the file before a scout goes, as late as can be.
    private func refresh(_ key: CredentialKey) {
        if fingerprints[key] == nil {
            // The salt may come from the file.
            readFile()
            _ = fingerprint(of: key)
        }
        readFile()
        lookUp(key)
        shared.refreshed(key)
    }

    private func readFile() {
        do {
            if try folder.refresh() { adoptAll() }
            succeed()
        } catch {
            fail(error)
        }
    }

    /// Finds the record of a secret by its fingerprint.
    private func lookUp(_ key: CredentialKey) {
        guard let fingerprint = fingerprint(of: key) else { return }
        adopt(key, folder.file.record(name: key.name, fingerprint: fingerprint))
    }

    /// Takes over what others wrote, of all secrets whose fingerprints are known.
    private func adoptAll() {
        if folder.file.salt != salt { restore() }
        fingerprints = fingerprints.filter { shared.credential(of: $0.key) != nil }
        let records = Dictionary(
            folder.file.entries.map { (Secretless(name: $0.name, fingerprint: $0.fingerprint), $0.record) },
            uniquingKeysWith: { first, _ in first }
        )
        for (key, fingerprint) in fingerprints {
            adopt(key, records[Secretless(name: key.name, fingerprint: fingerprint)] ?? CredentialRecord())
        }
    }

    private func adopt(_ key: CredentialKey, _ record: CredentialRecord) {
        shared.adopt(record, for: key, unwritten: unwritten.filter { $0.key == key }.map(\.change))
    }

    private struct Secretless: Hashable {
        let name: String
        let fingerprint: SecretFingerprint
    }

    // MARK: Writing

    private func write() {
        hasNewChanges = false
        let attempted = changeCount
        do {
            try writeUnwritten()
            succeed()
        } catch {
            fail(error)
            unwritten.removeFirst(max(0, unwritten.count - Self.unwrittenBound))
        }
        retryTime = .now + Self.retryPause
        // Also where it failed: nobody waits for a disk that doesn't work.
        shared.recorded(through: attempted)
    }

    private func writeUnwritten() throws(StorageError) {
        for _ in 0..<Self.saltPatience where !unwritten.isEmpty {
            // Before the lock is taken: others need it too.
            for key in Set(unwritten.map(\.key)) { _ = fingerprint(of: key) }
            var isWritten = false
            try folder.update { file in
                guard file.salt == salt else { return }
                for (key, change) in unwritten {
                    guard let fingerprint = fingerprints[key] else { continue }
                    let time = SharedLedger.unixSeconds
                    file.apply(change, name: key.name, fingerprint: fingerprint, unixSeconds: time)
                }
                isWritten = true
            }
            if isWritten { unwritten.removeAll() }
            adoptAll()
        }
    }

    /// The file is another one than the one whose fingerprints are known: what it doesn't know of is put into it.
    private func restore() {
        salt = folder.file.salt
        fingerprints.removeAll()
        let (records, work) = shared.takeRecords()
        take(work)
        guard !records.isEmpty else { return }
        for (key, _) in records { _ = fingerprint(of: key) }
        do {
            try folder.update { file in
                guard file.salt == salt else { return }
                for (key, record) in records {
                    guard let fingerprint = fingerprints[key],
                        file.record(name: key.name, fingerprint: fingerprint).isClean
                    else { continue }
                    let time = SharedLedger.unixSeconds
                    file.set(record, name: key.name, fingerprint: fingerprint, unixSeconds: time)
                    // The record has what wasn't written of it.
                    unwritten.removeAll { $0.key == key }
                }
            }
        } catch {
            fail(error)
        }
    }

    private func fingerprint(of key: CredentialKey) -> SecretFingerprint? {
        if let known = fingerprints[key] { return known }
        guard let login = shared.credential(of: key)?.login else { return nil }
        let fingerprint = SecretFingerprint(
            username: login.username,
            domain: login.domain,
            secret: login.secret,
            salt: salt
        )
        fingerprints[key] = fingerprint
        return fingerprint
    }

    // MARK: Telling

    private func succeed() {
        hasFailed = false
        for notice in folder.takeNotices() { shared.tell(notice) }
    }

    /// Told once until it works again.
    private func fail(_ error: StorageError) {
        for notice in folder.takeNotices() { shared.tell(notice) }
        if !hasFailed { shared.tell("\(error.message); the ledger of withheld credentials goes on in memory") }
        hasFailed = true
    }
}
