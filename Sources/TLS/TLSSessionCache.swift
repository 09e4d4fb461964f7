internal import COpenSSL
internal import Trust

/// Everything that keeps one TLS session apart from another: the key of the pool that its connection belongs to (T-5).
package struct TLSSessionKey: Hashable, Sendable {
    private let bytes: [UInt8]

    /// A key from bytes that say all of it, the policy's fingerprint and the client certificate's included.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// A TLS session that may be resumed, with the verdict that stood when it was made.
@safe final class ResumableSession {
    let raw: OpaquePointer
    let decision: TrustDecision
    let path: [CertificateFacts]
    /// The context that it was made in, and so the very policy and client certificate that it stands for.
    let context: TLSContext
    /// From then on it isn't resumed, in seconds of Unix time: a certificate of its path has ended.
    let end: Int64

    /// Takes over one reference to an `SSL_SESSION`.
    init(taking raw: OpaquePointer, of context: TLSContext, decision: TrustDecision, path: [CertificateFacts]) {
        unsafe self.raw = raw
        self.context = context
        self.decision = decision
        self.path = path
        end = path.map(\.notAfter).min() ?? .min
    }

    deinit { unsafe SSL_SESSION_free(raw) }

    /// Whether it is of one use only, as a TLS 1.3 ticket is, lest an onlooker sees who comes again [RFC 8446 s.C.4].
    var isForOneUse: Bool { unsafe SSL_SESSION_get_protocol_version(raw) == TLS1_3_VERSION }
}

/// The sessions that one loop may resume (T-8); it belongs to that loop.
///
/// Of the keys that were not used for longest, whole halves are forgotten at a time.
package final class TLSSessionCache {
    /// How many sessions it holds at most.
    package let capacity: Int
    private var recent = Generation()
    private var older = Generation()
    /// How many of one key it holds at most: so many connections to a server can be opened at once, each with a ticket.
    private let mostForOneKey: Int
    /// How many make a half.
    private let half: Int

    /// Some keys with their sessions, the newest at the end.
    private struct Generation {
        private(set) var sessions: [TLSSessionKey: [ResumableSession]] = [:]
        /// How many sessions there are, of all keys.
        private(set) var count = 0

        mutating func add(_ session: ResumableSession, for key: TLSSessionKey, atMost limit: Int = .max) {
            if !session.isForOneUse { remove(key) }
            if sessions[key]?.count == limit {
                sessions[key]?.removeFirst()
                count -= 1
            }
            sessions[key, default: []].append(session)
            count += 1
        }

        mutating func take(for key: TLSSessionKey) -> ResumableSession? {
            guard let session = sessions[key]?.popLast() else { return nil }
            count -= 1
            if sessions[key]?.isEmpty == true { sessions[key] = nil }
            return session
        }

        mutating func remove(_ key: TLSSessionKey) {
            count -= sessions.removeValue(forKey: key)?.count ?? 0
        }

        /// Takes over what the other holds for a key.
        mutating func move(_ key: TLSSessionKey, from other: inout Generation) {
            guard let moved = other.sessions[key] else { return }
            other.remove(key)
            for session in moved { add(session, for: key) }
        }
    }

    /// An empty cache for this many sessions, at least four.
    package init(capacity: Int = 1024) {
        self.capacity = max(4, capacity)
        mostForOneKey = min(64, self.capacity / 4)
        // Both halves, with what one key brings back from the older one.
        half = (self.capacity - mostForOneKey) / 2
    }

    /// How many sessions it holds.
    package var count: Int { recent.count + older.count }

    /// Forgets all.
    package func removeAll() {
        recent = Generation()
        older = Generation()
    }

    func add(_ session: ResumableSession, for key: TLSSessionKey) {
        recent.move(key, from: &older)
        recent.add(session, for: key, atMost: mostForOneKey)
        forgetIfFull()
    }

    private func forgetIfFull() {
        guard recent.count >= half else { return }
        older = recent
        recent = Generation()
    }

    /// The newest session of a key that may be resumed at `now` in `context`.
    ///
    /// One that came late, on a connection older than a change of the rules, is of another context (T-11).
    func take(for key: TLSSessionKey, in context: TLSContext, now: Int64) -> ResumableSession? {
        recent.move(key, from: &older)
        defer { forgetIfFull() }
        while let session = recent.take(for: key) {
            guard session.context === context, now < session.end, unsafe SSL_SESSION_is_resumable(session.raw) == 1
            else { continue }
            if !session.isForOneUse { recent.add(session, for: key) }
            return session
        }
        return nil
    }
}

@available(*, unavailable)
extension TLSSessionCache: Sendable {}
