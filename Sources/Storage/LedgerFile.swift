package import Authentication

/// What the ledger's file says: of each credential that was ever confirmed or rejected, its record (A-7b).
package struct LedgerFile: Equatable, Sendable {
    /// A credential's record under its name and the fingerprint of its secret.
    package struct Entry: Equatable, Sendable {
        /// The name in the rule file.
        package var name: String
        /// Which secret it had.
        package var fingerprint: SecretFingerprint
        /// Unix time of the last change in seconds.
        package var changed: Int64
        /// What is known.
        package var record: CredentialRecord

        /// An entry in all its parts.
        package init(name: String, fingerprint: SecretFingerprint, changed: Int64, record: CredentialRecord) {
            self.name = name
            self.fingerprint = fingerprint
            self.changed = changed
            self.record = record
        }
    }

    /// How many secrets of one name are remembered.
    static let secretBound = 16
    /// How many entries are kept in all.
    static let entryBound = 32_768
    /// How long a salt is, in bytes.
    package static let saltLength = 16

    /// What the fingerprints are salted with.
    package let salt: [UInt8]
    /// In the order in which they came.
    package private(set) var entries: [Entry]

    /// A file with that salt and these entries.
    package init(salt: [UInt8], entries: [Entry] = []) {
        self.salt = salt
        self.entries = entries
    }

    /// The entries of one name, which differ in their secrets.
    package func entries(named name: String) -> [Entry] {
        entries.filter { $0.name == name }
    }

    /// The record of that name and secret; a clean one where nothing is known.
    package func record(name: String, fingerprint: SecretFingerprint) -> CredentialRecord {
        entries.first { $0.name == name && $0.fingerprint == fingerprint }?.record ?? CredentialRecord()
    }

    /// Takes in what happened to a credential.
    package mutating func apply(
        _ change: LedgerChange,
        name: String,
        fingerprint: SecretFingerprint,
        unixSeconds: Int64
    ) {
        var record = record(name: name, fingerprint: fingerprint)
        record.apply(change)
        set(record, name: name, fingerprint: fingerprint, unixSeconds: unixSeconds)
    }

    /// Puts a record in the place of the one of that name and secret; a clean one is left out.
    package mutating func set(
        _ record: CredentialRecord,
        name: String,
        fingerprint: SecretFingerprint,
        unixSeconds: Int64
    ) {
        let index = entries.firstIndex { $0.name == name && $0.fingerprint == fingerprint }
        if record.isClean {
            if let index { entries.remove(at: index) }
        } else if let index {
            entries[index].record = record
            entries[index].changed = unixSeconds
        } else {
            entries.append(Entry(name: name, fingerprint: fingerprint, changed: unixSeconds, record: record))
            dropOldest(from: name)
        }
    }

    /// Ends every withholding of that name, or with nil of all; returns the names that had an entry.
    package mutating func release(name: String?, unixSeconds: Int64) -> Set<String> {
        var names: Set<String> = []
        for entry in entries where name == nil || entry.name == name {
            names.insert(entry.name)
            apply(.released, name: entry.name, fingerprint: entry.fingerprint, unixSeconds: unixSeconds)
        }
        return names
    }

    private mutating func dropOldest(from name: String) {
        let ofName = entries.indices.filter { entries[$0].name == name }
        let candidates =
            if ofName.count > Self.secretBound {
                ofName
            } else if entries.count > Self.entryBound {
                Array(entries.indices)
            } else {
                [Int]()
            }
        if let oldest = candidates.min(by: { entries[$0].changed < entries[$1].changed }) {
            entries.remove(at: oldest)
        }
    }
}
