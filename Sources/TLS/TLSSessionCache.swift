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
    /// How many keys it holds at most.
    package let capacity: Int
    private var recent: [TLSSessionKey: [ResumableSession]] = [:]
    private var older: [TLSSessionKey: [ResumableSession]] = [:]
    /// A server gives one or two tickets for each connection; more than these would only grow old.
    private static let mostForOneKey = 4

    /// An empty cache for this many keys, at least two.
    package init(capacity: Int = 1024) {
        self.capacity = max(2, capacity)
    }

    /// How many keys it holds.
    package var count: Int { recent.count + older.count }

    /// Forgets all.
    package func removeAll() {
        recent = [:]
        older = [:]
    }

    func add(_ session: ResumableSession, for key: TLSSessionKey) {
        var kept = older.removeValue(forKey: key) ?? recent[key] ?? []
        if !session.isForOneUse { kept.removeAll() }
        if kept.count == Self.mostForOneKey { kept.removeFirst() }
        kept.append(session)
        if recent[key] == nil && recent.count >= capacity / 2 {
            older = recent
            recent = [:]
        }
        recent[key] = kept
    }

    /// The newest session of a key that may be resumed at `now` in `context`.
    ///
    /// One that came late, on a connection older than a change of the rules, is of another context (T-11).
    func take(for key: TLSSessionKey, in context: TLSContext, now: Int64) -> ResumableSession? {
        var kept = recent[key] ?? older[key] ?? []
        while let session = kept.popLast() {
            guard session.context === context, now < session.end, unsafe SSL_SESSION_is_resumable(session.raw) == 1
            else { continue }
            if !session.isForOneUse { kept.append(session) }
            put(kept, for: key)
            return session
        }
        put([], for: key)
        return nil
    }

    private func put(_ sessions: [ResumableSession], for key: TLSSessionKey) {
        let value = sessions.isEmpty ? nil : sessions
        if recent[key] != nil { recent[key] = value } else if older[key] != nil { older[key] = value }
    }
}

@available(*, unavailable)
extension TLSSessionCache: Sendable {}
