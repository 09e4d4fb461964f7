package import Bytes
internal import COpenSSL
internal import Glibc
package import Trust

/// What a session reads and writes its records through.
package enum TLSTransport: Sendable {
    /// A connected, non-blocking socket, which stays its owner's and must outlive the session.
    case descriptor(Int32)
    /// One end of a pair of BIOs.
    case pair(BIOPair.End)
}

/// Where a handshake stands.
package enum TLSHandshakeResult: Sendable {
    /// It is done, and the server accepted.
    case complete
    case wantsRead
    case wantsWrite
    /// It failed for good; an alert has been sent as far as there was room.
    case failed(TLSError)
}

/// What a read gave.
package enum TLSReadResult: Sendable {
    /// So many bytes, at least one.
    case bytes(Int)
    case wantsRead
    case wantsWrite
    /// The peer has said that it ends its direction [RFC 8446 s.6.1].
    case endOfFile
    /// The connection has ended and the peer hasn't said so: whoever can't tell the end by himself was cut short.
    case truncated
    case failed(TLSError)
}

/// What a write did.
package enum TLSWriteResult: Sendable {
    /// So many bytes were taken, at least one unless none was given.
    case wrote(Int)
    case wantsRead
    case wantsWrite
    case failed(TLSError)
}

/// One TLS connection, ours to a server or a client's to us; it never blocks and belongs to one thread.
@safe package final class TLSSession {
    let ssl: OpaquePointer
    let context: TLSContext
    /// Whom we speak to; nil in a session with a client.
    let server: Server?
    /// The verdict on the server; nil as long as there is none. Nothing may be sent unless it is accepted.
    package internal(set) var decision: TrustDecision?
    /// The server's path: valid up to its anchor, or what signatures link of an invalid one.
    package internal(set) var peerPath: [CertificateFacts] = []
    /// What the server presented, leaf first, where its pins failed or were observed (T-4).
    package internal(set) var presentedCertificates: [[UInt8]] = []
    /// Whether the server asked for a client certificate, on this connection and not in the one that is resumed.
    package internal(set) var askedForCertificate = false
    /// Whether the client certificate of the context was given to the handshake.
    package internal(set) var hasOfferedCertificate = false
    var hasRefusedRenegotiation = false
    /// How often this call may still read of the transport.
    var readsLeft = 0
    /// Sessions that the server has given to be resumed.
    var ticketCount = 0
    /// A server gives one or two, and perhaps some more in the course of time.
    private static let mostTickets = 64
    /// What the transport had given when a read first came to nothing since the last bytes; nil if none has since.
    private var barrenSince: UInt64?
    /// Far more than any record, or a demand for a certificate, takes without a byte for us.
    private static let mostBarren: UInt64 = 256 * 1024
    /// The session that the handshake offered to resume.
    private var offered: ResumableSession?
    private var isOpen = false
    private var hasFailed = false
    /// Bytes that had been read before the session began, as long as they are not taken.
    private var first: MemoryBIO?
    /// How reading has ended; it is told once all bytes before it have been taken, and from then on.
    private var ending: TLSReadResult?
    private var isEndingTold = false
    /// The last read took all that had come as a whole record.
    private var isDry = false
    /// Why nothing more can be written; what the peer said before may still be read.
    private var writeFailure: TLSError?

    /// What a session with a server needs to know of it.
    struct Server {
        let identity: ReferenceIdentity
        let sessions: TLSSessionCache?
        let key: TLSSessionKey?
        let now: Int64
    }

    /// A session with a server that must be `identity`, whose name is sent as SNI [RFC 6066 s.3].
    ///
    /// It resumes what `sessions` holds for `key` and keeps there what the server gives. `now` is the time as of which
    /// the server is judged, in seconds of Unix time.
    package init(
        _ context: TLSContext,
        to identity: ReferenceIdentity,
        over transport: TLSTransport,
        sessions: TLSSessionCache? = nil,
        key: TLSSessionKey? = nil,
        now: Int64
    ) throws(TLSError) {
        ERR_clear_error()
        guard let policy = context.policy, let ssl = unsafe SSL_new(context.raw) else { throw TLSError(.library) }
        unsafe self.ssl = ssl
        self.context = context
        server = Server(identity: identity, sessions: sessions, key: key, now: now)
        unsafe SSL_set_connect_state(ssl)
        attach()
        try connect(transport)
        limitReads()
        if case .name(let name) = identity, unsafe COpenSSL_SSL_set_tlsext_host_name(ssl, name) != 1 {
            throw TLSError(.material, .local, "'\(name)' is no name for SNI")
        }
        switch policy.terms.revocation {
        case .staple, .mustStaple: unsafe COpenSSL_SSL_set_tlsext_status_type(ssl, TLSEXT_STATUSTYPE_ocsp)
        case .off, .crl: break
        }
        if let key, let stored = sessions?.take(for: key, in: context, now: now),
            unsafe SSL_set_session(ssl, stored.raw) == 1
        {
            offered = stored
        }
    }

    /// A session with a client, to whom we are what `leaf` says; `first` is what has been read of its bytes already.
    package init(
        _ context: TLSContext,
        as leaf: MintedLeaf,
        over transport: TLSTransport,
        behind first: Span<UInt8> = Span()
    ) throws(TLSError) {
        ERR_clear_error()
        guard context.policy == nil, let ssl = unsafe SSL_new(context.raw) else { throw TLSError(.library) }
        unsafe self.ssl = ssl
        self.context = context
        server = nil
        unsafe SSL_set_accept_state(ssl)
        attach()
        try connect(transport)
        guard unsafe SSL_use_cert_and_key(ssl, leaf.certificate.raw, leaf.key.raw, nil, 1) == 1 else {
            throw TLSError(.material, .local, "the leaf is of no use")
        }
        // What one leaf's client was given isn't resumed under another leaf [RFC 6066 s.3].
        let name = leaf.sessionContext
        guard unsafe SSL_set_session_id_context(ssl, name, UInt32(name.count)) == 1 else { throw TLSError(.library) }
        if !first.isEmpty { try readFirst(first) }
    }

    deinit {
        // A session that ends without close_notify could not be resumed any more; only one that failed mustn't be.
        if !hasFailed { unsafe SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        // The transport may live on, and what it would call is gone.
        if server != nil { endLimit() }
        unsafe SSL_free(ssl)
    }

    /// Has `bytes` read before what the transport brings.
    private func readFirst(_ bytes: Span<UInt8>) throws(TLSError) {
        let memory = try MemoryBIO(reading: bytes)
        unsafe BIO_up_ref(memory.raw)
        unsafe SSL_set0_rbio(ssl, memory.raw)
        first = memory
    }

    /// What was read before is taken: the transport's turn has come, or not.
    private func endsFirst() -> Bool {
        guard first != nil, let transport = unsafe SSL_get_wbio(ssl) else { return false }
        unsafe BIO_up_ref(transport)
        unsafe SSL_set0_rbio(ssl, transport)
        first = nil
        return true
    }

    private func connect(_ transport: TLSTransport) throws(TLSError) {
        switch transport {
        case .descriptor(let descriptor):
            guard unsafe SSL_set_fd(ssl, descriptor) == 1 else { throw TLSError(.library) }
        case .pair(let end):
            // One reference serves both directions.
            unsafe BIO_up_ref(end.raw)
            unsafe SSL_set_bio(ssl, end.raw, end.raw)
        }
    }
}

// MARK: Bytes

extension TLSSession {
    /// Takes the handshake as far as it goes.
    ///
    /// The server has been judged before `complete`, and before our certificate left (T-1).
    package func handshake() -> TLSHandshakeResult {
        guard !hasFailed else { return .failed(Self.unusable) }
        if isOpen { return .complete }
        ERR_clear_error()
        allowReads()
        let status = unsafe SSL_do_handshake(ssl)
        guard status == 1 else {
            switch outcome(of: status) {
            case .wantsRead where isBarren(): return .failed(fail(.flood))
            case .wantsRead: return endsFirst() ? handshake() : .wantsRead
            case .wantsWrite: return .wantsWrite
            case .endOfFile, .truncated: return .failed(fail(TLSError(.closed, .peer)))
            case .failed(let error): return .failed(fail(error))
            }
        }
        if server != nil {
            if let offered, isResumed {
                decision = offered.decision
                peerPath = offered.path
            }
            // The callback has refused what it didn't accept; this holds even if it was never called.
            guard decision?.isAccepted == true else { return .failed(fail(TLSError(.untrusted))) }
        }
        offered = nil
        isOpen = true
        barrenSince = nil
        // What a server may ask for later on skips as much as a handshake.
        if server != nil, context.identity == nil { endLimit() }
        return .complete
    }

    /// Reads what has arrived: as much as `bytes` takes and is there without waiting.
    package func read(into bytes: inout MutableSpan<UInt8>) -> TLSReadResult {
        if let ending {
            isEndingTold = true
            return ending
        }
        guard isOpen, !hasFailed else { return .failed(Self.unusable) }
        TLSError.clearQueue()
        isDry = false
        var filled = 0
        let limit = bytes.count
        while filled < limit {
            var count = 0
            allowReads()
            let status = unsafe bytes.withUnsafeMutableBytes { storage in
                unsafe storage.baseAddress.map { unsafe SSL_read_ex(ssl, $0 + filled, limit - filled, &count) } ?? 0
            }
            if status == 1 {
                filled += count
                barrenSince = nil
                // Nothing is left over: another read would only hear so from the kernel.
                if !hasPending { break }
                continue
            }
            let result = refusal().map { .failed($0) } ?? readResult(of: status)
            switch result {
            case .bytes: break
            case .wantsRead, .wantsWrite: isDry = true
            case .endOfFile, .truncated, .failed:
                ending = result
                isEndingTold = filled == 0
            }
            return filled > 0 ? .bytes(filled) : result
        }
        return .bytes(filled)
    }

    /// Reads at most `limit` bytes that have arrived, and appends them to `buffer`.
    package func read(into buffer: inout ByteBuffer, limit: Int) -> TLSReadResult {
        let all = buffer.writable(minimum: limit)
        var window = all._consumingExtracting(first: limit)
        let result = read(into: &window)
        if case .bytes(let count) = result { buffer.commit(count) }
        return result
    }

    /// What the peer did that ends the session, though OpenSSL has nothing against it.
    private func refusal() -> TLSError? {
        if hasRefusedRenegotiation {
            let words = "the server asks for another handshake, and no client certificate is meant for it"
            return fail(TLSError(.renegotiationRefused, .peer, words))
        }
        guard ticketCount > Self.mostTickets || isBarren() else { return nil }
        return fail(.flood)
    }

    /// The peer has sent a good deal since the last byte for us: key updates, say, without end.
    private func isBarren() -> Bool {
        guard let transport = unsafe SSL_get_rbio(ssl) else { return false }
        let total = unsafe BIO_number_read(transport)
        // What was read of before may have been another transport.
        let since = min(barrenSince ?? total, total)
        barrenSince = since
        return total - since > Self.mostBarren
    }

    /// What a call comes to on a session that isn't open yet, or has failed.
    private static var unusable: TLSError { TLSError(.library, .local, "the session isn't open") }

    private func readResult(of status: Int32) -> TLSReadResult {
        switch outcome(of: status) {
        case .wantsRead: .wantsRead
        case .wantsWrite: .wantsWrite
        case .endOfFile: .endOfFile
        case .truncated: truncation()
        case .failed(let error): .failed(fail(error))
        }
    }

    private func truncation() -> TLSReadResult {
        hasFailed = true
        return .truncated
    }

    /// Writes as much of `bytes` as there is room for, in records of at most 16 KiB.
    ///
    /// After `wantsWrite` or `wantsRead` the next write must begin with the same bytes: a record of them may be under
    /// way.
    package func write(_ bytes: Span<UInt8>) -> TLSWriteResult {
        guard isOpen, !hasFailed else { return .failed(Self.unusable) }
        if let writeFailure { return .failed(writeFailure) }
        TLSError.clearQueue()
        var taken = 0
        while taken < bytes.count {
            var count = 0
            let status = unsafe bytes.withUnsafeBytes { storage in
                unsafe storage.baseAddress.map { unsafe SSL_write_ex(ssl, $0 + taken, storage.count - taken, &count) }
                    ?? 0
            }
            if status == 1 {
                taken += count
                continue
            }
            let result = writeResult(of: status)
            if case .failed(let error) = result { writeFailure = error }
            return taken > 0 ? .wrote(taken) : result
        }
        return .wrote(taken)
    }

    private func writeResult(of status: Int32) -> TLSWriteResult {
        switch outcome(of: status) {
        case .wantsRead: return .wantsRead
        case .wantsWrite: return .wantsWrite
        case .endOfFile, .truncated: return .failed(TLSError(.closed, .peer))
        case .failed(let error):
            if case .system = error.kind { return .failed(error) }
            return .failed(fail(error))
        }
    }

    /// Tells the peer, once, that nothing more comes, as far as there is room, and doesn't wait for its answer.
    package func shutdown() {
        // Asked again, OpenSSL would look for the answer.
        guard isOpen, !hasFailed, unsafe SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN == 0 else { return }
        ERR_clear_error()
        _ = unsafe SSL_shutdown(ssl)
        ERR_clear_error()
    }

    private enum Outcome {
        case wantsRead, wantsWrite, endOfFile, truncated
        case failed(TLSError)
    }

    private func outcome(of status: Int32) -> Outcome {
        let code = errno
        switch unsafe SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .endOfFile
        case SSL_ERROR_SYSCALL:
            return code == 0 ? .truncated : .failed(TLSError(.system(code), .transport))
        default:
            let error = TLSError.fromQueue()
            return error.kind == .closed ? .truncated : .failed(error)
        }
    }

    /// Notes that the session is at its end: OpenSSL wants no further call on it but the last.
    private func fail(_ error: TLSError) -> TLSError {
        hasFailed = true
        guard case .reject? = decision else { return error }
        return error.asRefusal
    }
}

extension TLSSession {
    /// Whether a read would give something though the transport may have nothing more: the beginning of a record is
    /// nothing yet.
    package var hasPending: Bool {
        if ending != nil { return !isEndingTold }
        return unsafe !isDry && SSL_has_pending(ssl) == 1
    }
}

@available(*, unavailable)
extension TLSSession: Sendable {}
