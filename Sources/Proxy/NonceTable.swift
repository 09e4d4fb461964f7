internal import Authentication
internal import Crypto
internal import Events
internal import Synchronization

/// The nonces that this process uses, so that none of its connections repeats a count of another's (A-4b).
///
/// They are known by a digest of server and nonce; those that no challenge named for a long time are forgotten.
final class NonceTable: Sendable {
    /// One nonce's cnonce and the last count that was used.
    private final class Entry: Sendable {
        let cnonce = RandomBytes.hex(count: 16)
        private let count = Atomic<UInt32>(0)

        func take() -> UInt32? {
            var last = count.load(ordering: .relaxed)
            while last < .max {
                let (isTaken, found) = count.weakCompareExchange(
                    expected: last,
                    desired: last + 1,
                    ordering: .relaxed
                )
                if isTaken { return last + 1 }
                last = found
            }
            return nil
        }
    }

    private struct Entries {
        var recent: [[UInt8]: Entry] = [:]
        /// Those that were not looked up since `recent` was begun.
        var older: [[UInt8]: Entry] = [:]
    }

    private static let bound = 4096
    private let entries = Locked(Entries())

    /// The use of the nonce of that digest, begun by whoever asks first.
    func use(of key: [UInt8]) -> NonceUse {
        let entry = entries.withLock { entries in
            if let entry = entries.recent[key] { return entry }
            if entries.recent.count >= Self.bound {
                entries.older = entries.recent
                entries.recent.removeAll()
            }
            let entry = entries.older[key] ?? Entry()
            entries.recent[key] = entry
            return entry
        }
        return NonceUse(cnonce: entry.cnonce) { entry.take() }
    }
}

extension Worker {
    /// The use of a nonce that the server of that name gave.
    func nonceUse(_ server: String, _ nonce: [UInt8]) -> NonceUse {
        digest.begin(.sha256)
        let name = server.utf8
        digest.update(name.span)
        digest.update(0)
        digest.update(nonce.span)
        var result = [64 of UInt8](repeating: 0)
        let count = digest.finish(into: &result)
        return shared.nonces.use(of: (0..<count).map { result[$0] })
    }
}
