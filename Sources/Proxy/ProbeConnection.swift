package import Bytes
package import Events
internal import Exchange
internal import Glibc
package import HTTP
internal import TLS
package import Trust

/// A connection of an inspection's, on a thread that may wait: each step has a time limit, and shows what it saw.
package final class ProbeConnection {
    /// Why a step failed.
    package struct Failure: Error, Equatable {
        /// The stable reason code (O-9).
        package let code: String
        /// In words, without an end.
        package let message: String

        init(_ code: String, _ message: String) {
            self.code = code
            self.message = message
        }
    }

    private let descriptor: Descriptor
    private let limit: Nanoseconds
    /// What bytes go through; nil in the clear.
    private var channel: (any StreamCipher)?
    private var sessions: [TLSSession] = []

    private init(_ descriptor: consuming Descriptor, limit: Nanoseconds) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// Connects to an address; each step of the connection gets `limit`.
    package static func open(_ address: SocketAddress, limit: Nanoseconds) throws(Failure) -> ProbeConnection {
        let seconds = max(1, Int(limit / .seconds(1)))
        do throws(SystemError) {
            let descriptor = try Descriptor.connected(to: address, seconds: seconds)
            _ = fcntl(descriptor.rawValue, F_SETFL, O_NONBLOCK)
            return ProbeConnection(descriptor, limit: limit)
        } catch {
            // What a blocking connect says where its time is up.
            guard error.code != EINPROGRESS, error.code != EAGAIN, error.code != ETIMEDOUT else {
                throw Failure("route.timeout", "it didn't answer within \(seconds) s")
            }
            throw Failure("route.unreachable", error.reason)
        }
    }

    // MARK: TLS

    /// Has a TLS handshake, within the session before it where there is one, and tells what it showed.
    package func secure(_ policy: TrustPolicy, host: String, now: Int64) throws(Failure) -> TLSSighting {
        do throws(TLSError) {
            let context = try TLSContext(policy: policy, systemAnchors: SystemAnchors())
            let identity = ReferenceIdentity(host: host)
            guard let outer = channel else {
                let session = try TLSSession(context, to: identity, over: .descriptor(descriptor.rawValue), now: now)
                return try shake(session, over: nil)
            }
            let transport = try NestedTransport(through: outer)
            return try shake(TLSSession(context, to: identity, over: .pair(transport.inner), now: now), over: transport)
        } catch {
            throw Failure(error.reasonCode, "\(error)")
        }
    }

    private func shake(_ session: TLSSession, over transport: NestedTransport?) throws(TLSError) -> TLSSighting {
        let end = Instant.monotonic.adding(nanoseconds: limit)
        while true {
            let result = session.handshake()
            if let transport, !transport.carryOut() { transport.breakOff() }
            switch result {
            case .complete:
                let secured = TLSChannel(session)
                sessions.append(session)
                channel = transport.map { NestedChannel(secured, over: $0) } ?? secured
                return TLSSighting(session, error: nil)
            case .failed(let error):
                return TLSSighting(session, error: error)
            case .wantsRead:
                if let transport, transport.carryIn() != .nothing { continue }
                if wait(for: POLLIN, until: end) { continue }
            case .wantsWrite:
                if wait(for: POLLOUT, until: end) { continue }
            }
            return TLSSighting(session, error: nil, isLate: true)
        }
    }

    /// The hash that goes with a handshake as its channel binding [RFC 5929 s.4]; nil in the clear.
    package var channelBinding: [UInt8]? { sessions.last?.channelBinding }

    // MARK: Bytes

    /// Sends bytes and reads what `take` asks for; true from it ends the reading.
    private func converse(
        _ bytes: [UInt8],
        ended: () -> Bool = { false },
        _ take: (Span<UInt8>) throws(Failure) -> Bool
    ) throws(Failure) {
        let end = Instant.monotonic.adding(nanoseconds: limit)
        try send(bytes, until: end)
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            var span = buffer.mutableSpan
            let result = channel?.read(into: &span) ?? receive(into: &span)
            switch result {
            case .bytes(let count):
                if try take(buffer.span.extracting(first: count)) { return }
            case .wouldBlock:
                guard wait(for: POLLIN, until: end) else {
                    throw Failure("response.timeout", "there was no response within \(limit / .seconds(1)) s")
                }
            case .endOfFile where ended(): return
            case .endOfFile: throw Failure("response.closed", "it closed the connection without a response")
            case .failed(let error): throw Failure("response.closed", error.reason)
            }
        }
    }

    private func send(_ bytes: [UInt8], until end: Instant) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let rest = bytes.span.extracting(sent..<bytes.count)
            switch channel?.write(rest) ?? write(rest) {
            case .wrote(let count): sent += count
            case .wouldBlock:
                guard wait(for: POLLOUT, until: end) else {
                    throw Failure("response.timeout", "it took no request within \(limit / .seconds(1)) s")
                }
            case .failed(let error): throw Failure("response.closed", error.reason)
            }
        }
    }

    private func receive(into bytes: inout MutableSpan<UInt8>) -> ReadResult {
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe recv(descriptor.rawValue, $0.baseAddress, $0.count, 0)
        }
        if count > 0 { return .bytes(count) }
        if count == 0 { return .endOfFile }
        return errno == EAGAIN || errno == EINTR ? .wouldBlock : .failed(SystemError(.receive, code: errno))
    }

    private func write(_ bytes: Span<UInt8>) -> WriteResult {
        let count = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(descriptor.rawValue, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return .wrote(count) }
        return errno == EAGAIN || errno == EINTR ? .wouldBlock : .failed(SystemError(.send, code: errno))
    }

    /// Waits for readiness; false where the time is up.
    private func wait(for events: Int32, until end: Instant) -> Bool {
        let left = end.since(.monotonic) / .milliseconds(1)
        guard left > 0 else { return false }
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(events), revents: 0)
        return unsafe poll(&entry, 1, Int32(clamping: left)) != 0
    }
}

extension ProbeConnection {
    /// Sends a request as it stands, and takes the whole response to it.
    package func exchange(_ request: [UInt8], method: HTTPMethod) throws(Failure) -> ProbeResponse {
        var response = ProbeResponse.Taking(method)
        try converse(request, ended: { response.end() }) { bytes throws(Failure) in try response.take(bytes) }
        return response.finish()
    }

    /// Asks a SOCKS5 proxy for a connection without a login [RFC 1928]; false where it wants one first.
    package func askSOCKS(host: String, port: UInt16) throws(Failure) -> Bool {
        var greeting = ByteBuffer()
        SOCKSNegotiation.appendMethods(offersLogin: true, into: &greeting)
        guard try negotiate(greeting, .methods(offersLogin: true)) else { return false }
        var wish = ByteBuffer()
        guard SOCKSNegotiation.appendConnect(host: host, port: port, into: &wish) else {
            throw Failure(SOCKSFailure.unusable.code, SOCKSFailure.unusable.message)
        }
        return try negotiate(wish, .connect)
    }

    /// False where a login is wanted.
    private func negotiate(_ message: borrowing ByteBuffer, _ request: SOCKSNegotiation.Request) throws(Failure) -> Bool
    {
        var received: [UInt8] = []
        var isOpen = true
        try converse(message.readable.indices.map { message.readable[$0] }) { bytes throws(Failure) in
            for index in bytes.indices { received.append(bytes[index]) }
            switch SOCKSNegotiation.read(received.span, after: request) {
            case .needMore: return false
            case .noLogin, .loginAccepted, .connected: return true
            case .wantsLogin:
                isOpen = false
                return true
            case .failed(.noAcceptableMethod):
                isOpen = false
                return true
            case .failed(let failure): throw Failure(failure.code, failure.message)
            }
        }
        return isOpen
    }
}
