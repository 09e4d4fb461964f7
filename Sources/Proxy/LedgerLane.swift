internal import Authentication
internal import Storage

/// What the shared ledger's thread does: reads the file before a scout goes, writes what happened, and computes the
/// fingerprints that the file tells secrets apart by.
///
/// A scout waits for a fingerprint only where some secret of its name is held back by the file.
final class LedgerLane {
    /// Rejections beyond this that can't be written are remembered in memory only.
    private static let unwrittenBound = 4096
    private static let retryMilliseconds: Int32 = 10_000
    /// How often a file is begun anew under our hands before we wait for it to rest.
    private static let saltPatience = 3

    private let shared: SharedLedger
    private let folder: LedgerFolder
    private let signal: LaneSignal
    /// Of the secrets that were needed so far, under `salt`.
    private var fingerprints: [CredentialKey: SecretFingerprint] = [:]
    private var salt: [UInt8]
    /// Whose fingerprints will be needed, and whose record waits for it.
    private var pending: [CredentialKey] = []
    private var unwritten: [(key: CredentialKey, change: LedgerChange)] = []
    private var hasFailed = false

    init(_ shared: SharedLedger, folder path: String, signal: LaneSignal) {
        self.shared = shared
        self.signal = signal
        folder = LedgerFolder(path: path)
        salt = folder.file.salt
    }

    func run() {
        while !signal.isStopping {
            signal.wait(milliseconds: pending.isEmpty ? (unwritten.isEmpty ? -1 : Self.retryMilliseconds) : 0)
            work()
        }
        // What happened after the last look.
        work()
    }

    private func work() {
        let work = shared.takeWork()
        unwritten += work.changes
        if !work.refreshes.isEmpty { refresh(work.refreshes) }
        if !unwritten.isEmpty { write() }
        if !signal.isStopping, let key = pending.popLast() { lookUp(key) }
    }

    // MARK: Reading

    private func refresh(_ keys: [CredentialKey]) {
        do {
            if try folder.refresh() { adoptAll() }
            succeed()
        } catch {
            fail(error)
        }
        for key in keys { refresh(key) }
    }

    private func refresh(_ key: CredentialKey) {
        let entries = folder.file.entries(named: key.name)
        if fingerprints[key] == nil, entries.contains(where: \.record.isRestricted) { lookUp(key) }
        let isKnown = fingerprints[key] != nil
        // Most often nothing is there, or what is there holds nothing back: the scout goes while we find out.
        if !isKnown { pending.append(key) }
        shared.refreshed(key, isRecordPending: !isKnown && !entries.isEmpty)
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
        do {
            try writeUnwritten()
            succeed()
        } catch {
            fail(error)
            unwritten.removeFirst(max(0, unwritten.count - Self.unwrittenBound))
        }
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
        let (records, changes) = shared.takeRecords()
        unwritten += changes
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
        guard let credential = shared.credential(of: key) else { return nil }
        switch credential.kind {
        case .password(let username, let domain, let password):
            let fingerprint = SecretFingerprint(
                username: username,
                domain: domain ?? "",
                secret: password,
                salt: salt
            )
            fingerprints[key] = fingerprint
            return fingerprint
        case .clientCertificate: return nil
        }
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
