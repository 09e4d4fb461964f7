internal import CEvent
internal import Glibc

/// Told when its socket can be read or written, on the socket's loop.
package protocol ReadinessObserver: AnyObject {
    /// There are bytes, an end of file or an error to be read.
    func readable()
    /// There is room to write, as asked for by `notifyWhenWritable`; or a connect has ended.
    func writable()
}

/// What a read gave.
package enum ReadResult: Equatable, Sendable {
    /// So many bytes, at least one, stand in the loop's `received`.
    case bytes(Int)
    /// There is nothing now.
    case wouldBlock
    /// The other side has ended its direction.
    case endOfFile
    /// The connection is broken.
    case failed(SystemError)
}

/// What a write did.
package enum WriteResult: Equatable, Sendable {
    /// So many bytes were taken: at least one unless none was given, perhaps not all.
    case wrote(Int)
    /// There is no room now.
    case wouldBlock
    /// The connection is broken.
    case failed(SystemError)
}

/// A connected or connecting stream socket of one loop, not blocking.
///
/// It holds its observer until `close`, so an owner that observes its own socket has to close it.
@safe package final class StreamSocket {
    package let loop: EventLoop
    /// Who is told of readiness; set before `resumeReading`.
    package var observer: (any ReadinessObserver)? {
        get { told }
        set { told = newValue }
    }
    private var told: (any ReadinessObserver)?
    /// What reads and writes go through; nil for a connection in the clear.
    package var cipher: (any StreamCipher)? {
        get { stage }
        set {
            stage = newValue
            // What came with the end of its handshake has left the kernel, which will not tell of it again.
            if isReadingWanted, newValue?.hasPending == true { reading?.activate() }
        }
    }
    private var stage: (any StreamCipher)?
    /// Whether the connect is still under way; when it ends, the observer is told `writable`.
    package private(set) var isConnecting = false

    /// −1 once closed, so that a call that comes late fails and hits no other's descriptor.
    private(set) var rawDescriptor: Int32
    /// The kernel's number of it, for a cipher that reads and writes it itself; negative once closed.
    package var descriptorNumber: Int32 { rawDescriptor }
    private var descriptor: Descriptor?
    private var reading: EventRegistration?
    private var writing: EventRegistration?
    private var isReadingWanted = false
    /// Whether the observer is told of readiness to read.
    package var isReading: Bool { isReadingWanted }
    private var isReadingWatched = false
    private var isWritingWanted = false
    private var isWritingWatched = false

    /// Takes over an open, non-blocking socket; nothing is watched yet.
    package init(_ loop: EventLoop, _ descriptor: consuming Descriptor) {
        self.loop = loop
        rawDescriptor = descriptor.rawValue
        self.descriptor = consume descriptor
    }

    /// Begins to connect. Unless it is `isConnecting`, the result may be written to at once.
    ///
    /// The observer is told `writable` at the end of a connect under way; `connectResult` then says how it went.
    package static func connect(to address: SocketAddress, loop: EventLoop) throws(SystemError) -> StreamSocket {
        let descriptor = try Descriptor.streamSocket(family: address.family)
        descriptor.setOption(IPPROTO_TCP.asLevel, TCP_NODELAY, 1)
        let rawValue = descriptor.rawValue
        let call = { () -> Int32 in
            unsafe address.withKernelForm { unsafe Glibc.connect(rawValue, $0, $1) == 0 ? 0 : errno }
        }
        var code = call()
        // Over loopback the handshake is done by now, and asking again saves a turn of the loop.
        if code == EINPROGRESS { code = call() }
        let socket = StreamSocket(loop, descriptor)
        switch code {
        case 0, EISCONN: break
        case EALREADY, EINPROGRESS, EINTR:
            socket.isConnecting = true
            socket.notifyWhenWritable()
        default: throw SystemError(.connect, code: code)
        }
        return socket
    }

    /// How the connect ended; nil if well. Asked once, in the first `writable`.
    package func connectResult() -> SystemError? {
        isConnecting = false
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(rawDescriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
            return SystemError(.connect)
        }
        return code == 0 ? nil : SystemError(.connect, code: code)
    }

    /// Reads once, at most `limit` bytes, into the loop's `received`.
    package func read(limit: Int = EventLoop.usualReadLimit) -> ReadResult {
        if let stage { return readDeciphered(stage, limit) }
        let buffer = unsafe loop.buffer
        while true {
            let count = unsafe recv(rawDescriptor, buffer.baseAddress, min(limit, buffer.count), 0)
            if count > 0 {
                loop.receivedCount = count
                return .bytes(count)
            }
            if count == 0 { return .endOfFile }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .failed(SystemError(.receive))
            }
        }
    }

    private func readDeciphered(_ cipher: any StreamCipher, _ limit: Int) -> ReadResult {
        let result = loop.receive(limit: limit) { cipher.read(into: &$0) }
        if cipher.readAwaitsRoom || cipher.hasUnsent { notifyWhenWritable() }
        return result
    }

    /// Writes as much of `bytes` as there is room for.
    package func write(_ bytes: Span<UInt8>) -> WriteResult {
        if let stage { return writeEnciphered(stage, bytes) }
        while true {
            let count = unsafe bytes.withUnsafeBufferPointer {
                unsafe send(rawDescriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return .wrote(count) }
            if let result = Self.writeFailure() { return result }
        }
    }

    /// Writes as much of `first` and then `second` as there is room for, in one call.
    package func write(_ first: Span<UInt8>, _ second: Span<UInt8>) -> WriteResult {
        if second.isEmpty { return write(first) }
        if first.isEmpty { return write(second) }
        if let stage { return writeEnciphered(stage, first, second) }
        while true {
            let count = unsafe first.withUnsafeBufferPointer { first in
                unsafe second.withUnsafeBufferPointer { second in unsafe gather(first, second) }
            }
            if count >= 0 { return .wrote(count) }
            if let result = Self.writeFailure() { return result }
        }
    }

    private func writeEnciphered(_ cipher: any StreamCipher, _ bytes: Span<UInt8>) -> WriteResult {
        let result = cipher.write(bytes)
        if cipher.hasUnsent { notifyWhenWritable() }
        return result
    }

    /// One record and one call for a head and the start of what stands behind it.
    private func writeEnciphered(
        _ cipher: any StreamCipher,
        _ first: Span<UInt8>,
        _ second: Span<UInt8>
    ) -> WriteResult {
        let share = min(second.count, max(0, Self.largestRecord - first.count))
        let result = loop.join(first, second.extracting(first: share)) { writeEnciphered(cipher, $0) }
        guard case .wrote(let count) = result, count == first.count + share, share < second.count else { return result }
        guard case .wrote(let more) = writeEnciphered(cipher, second.extracting(share..<second.count)) else {
            return result
        }
        return .wrote(count + more)
    }

    /// The content of a TLS record [RFC 8446 s.5.1].
    private static let largestRecord = 16 * 1024

    private func gather(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Int {
        var parts: [2 of iovec] = unsafe [
            iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count),
            iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count),
        ]
        return unsafe withUnsafeMutablePointer(to: &parts) { pointer in
            unsafe pointer.withMemoryRebound(to: iovec.self, capacity: 2) { vector in
                var message = unsafe msghdr()
                unsafe message.msg_iov = vector
                unsafe message.msg_iovlen = 2
                return unsafe sendmsg(rawDescriptor, &message, Int32(MSG_NOSIGNAL))
            }
        }
    }

    /// The result that errno stands for; nil to try again.
    private static func writeFailure() -> WriteResult? {
        switch errno {
        case EINTR: nil
        case EAGAIN: .wouldBlock
        default: .failed(SystemError(.send))
        }
    }
}

// MARK: Interest

extension StreamSocket {
    /// Tells the observer of readiness to read from now on, at once if there is something already.
    package func resumeReading() {
        let wasWanted = isReadingWanted
        isReadingWanted = true
        defer { if !wasWanted, stage?.hasPending == true { reading?.activate() } }
        guard !isReadingWatched, rawDescriptor >= 0 else { return }
        if reading == nil {
            reading = unsafe EventRegistration(
                loop,
                descriptor: rawDescriptor,
                events: EV_READ | EV_PERSIST,
                context: Unmanaged.passUnretained(self).toOpaque(),
                callback: socketReadable
            )
        }
        reading?.add()
        isReadingWatched = true
    }

    /// Tells the observer of nothing to read until `resumeReading`.
    ///
    /// The kernel is told only when something does arrive in the meantime, so a short pause costs no call.
    package func pauseReading() {
        isReadingWanted = false
    }

    /// Tells the observer once when there is room to write.
    package func notifyWhenWritable() {
        isWritingWanted = true
        guard !isWritingWatched, rawDescriptor >= 0 else { return }
        if writing == nil {
            writing = unsafe EventRegistration(
                loop,
                descriptor: rawDescriptor,
                events: EV_WRITE | EV_PERSIST,
                context: Unmanaged.passUnretained(self).toOpaque(),
                callback: socketWritable
            )
        }
        writing?.add()
        isWritingWatched = true
    }

    fileprivate func becameReadable() {
        guard isReadingWanted else {
            reading?.remove()
            isReadingWatched = false
            return
        }
        told?.readable()
        if stage != nil { readPending() }
    }

    /// What the cipher holds back has left the kernel, which will not tell of it again.
    private func readPending() {
        var turns = 0
        while isReadingWanted, turns < Self.mostPending, let stage, stage.hasPending {
            told?.readable()
            turns += 1
        }
        if isReadingWanted, stage?.hasPending == true { reading?.activate() }
    }

    /// Reads that one readiness is good for before others have their turn.
    private static let mostPending = 16

    fileprivate func becameWritable() {
        isWritingWanted = false
        // Where that breaks, the next read says so.
        if let stage, stage.hasUnsent, stage.flush(), stage.hasUnsent { notifyWhenWritable() }
        if stage?.readAwaitsRoom == true, isReadingWanted { told?.readable() }
        told?.writable()
        // Asked for again in the meantime, it is still watched: two calls saved for each full buffer.
        if !isWritingWanted && isWritingWatched {
            writing?.remove()
            isWritingWatched = false
        }
    }
}

// MARK: End

extension StreamSocket {
    /// Whether `close` has been called.
    package var isClosed: Bool { rawDescriptor < 0 }

    /// Ends our direction; what was written before still arrives.
    package func shutdownWrite() {
        stage?.endWriting()
        _ = shutdown(rawDescriptor, Int32(SHUT_WR))
    }

    /// Closes at once. The observer is let go of and told nothing any more, not even of what was due in this turn.
    package func close() {
        guard rawDescriptor >= 0 else { return }
        stage?.endWriting()
        stage = nil
        reading = nil
        writing = nil
        isReadingWatched = false
        isWritingWatched = false
        isReadingWanted = false
        isWritingWanted = false
        rawDescriptor = -1
        descriptor = nil
        // Often the observer itself is up the stack, and nobody else holds it.
        if let observer { loop.keepToEndOfTurn(observer) }
        observer = nil
    }

    /// Closes so that the other side sees a reset, and what was not sent yet is dropped.
    package func closeWithReset() {
        stage = nil
        if descriptor != nil {
            var linger = linger(l_onoff: 1, l_linger: 0)
            let size = socklen_t(MemoryLayout<linger>.size)
            _ = unsafe setsockopt(rawDescriptor, SOL_SOCKET, SO_LINGER, &linger, size)
        }
        close()
    }
}

private func socketReadable(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<StreamSocket>.fromOpaque(context).takeUnretainedValue().becameReadable()
}

private func socketWritable(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<StreamSocket>.fromOpaque(context).takeUnretainedValue().becameWritable()
}
