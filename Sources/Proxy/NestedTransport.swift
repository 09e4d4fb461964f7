internal import Bytes
internal import Events
internal import TLS

/// Carries the records of a TLS session through another one: to an origin inside an https parent's tunnel.
final class NestedTransport {
    /// What came of carrying records in.
    enum Carried { case some, nothing, ended }

    /// The session with the parent.
    let outer: any StreamCipher
    /// What the session inside speaks over.
    let inner: BIOPair.End
    private let end: BIOPair.End
    /// Records of the inner session that the outer one has not taken yet.
    private var unsent = ByteBuffer()

    init(through outer: any StreamCipher) throws(TLSError) {
        let pair = try BIOPair()
        self.outer = outer
        inner = pair.first
        end = pair.second
    }

    /// What one step moves.
    private static let step = 16 * 1024

    var hasUnsent: Bool { !unsent.isEmpty || end.waitingCount > 0 }

    /// Hands what the inner session has written to the outer one, as far as there is room; false where that is broken.
    func carryOut() -> Bool {
        while hasUnsent {
            if unsent.isEmpty {
                var window = unsent.writable(minimum: Self.step)
                let count = end.read(into: &window)
                unsent.commit(count)
            }
            switch outer.write(unsent.readable) {
            case .wrote(let count): unsent.consume(count)
            case .wouldBlock: return true
            case .failed: return false
            }
        }
        unsent.shrink()
        return true
    }

    /// Hands what has arrived to the inner session.
    func carryIn() -> Carried {
        guard end.room >= Self.step else { return .some }
        var bytes = ByteBuffer(capacity: Self.step)
        var window = bytes.writable(minimum: Self.step)._consumingExtracting(first: Self.step)
        switch outer.read(into: &window) {
        case .bytes(let count):
            bytes.commit(count)
            // There is room for all of it, as has been asked.
            _ = end.write(bytes.readable)
            return .some
        case .wouldBlock:
            return .nothing
        case .endOfFile, .failed:
            breakOff()
            return .ended
        }
    }

    /// The inner session finds its connection ended.
    func breakOff() { end.shutdownWrite() }
}

/// A TLS session inside another one, as what stands between a socket and its connection.
final class NestedChannel: StreamCipher {
    private let transport: NestedTransport
    private let channel: TLSChannel
    private var hasEnded = false

    init(_ channel: TLSChannel, over transport: NestedTransport) {
        self.channel = channel
        self.transport = transport
    }

    var hasPending: Bool {
        channel.hasPending || transport.inner.waitingCount > 0 || transport.outer.hasPending
    }
    var readAwaitsRoom: Bool { channel.readAwaitsRoom || transport.outer.readAwaitsRoom }
    var hasUnsent: Bool { transport.hasUnsent }

    func read(into bytes: inout MutableSpan<UInt8>) -> ReadResult {
        // Records that bring nothing to read could follow each other for ever.
        for _ in 0..<Self.mostSteps {
            let result = channel.read(into: &bytes)
            guard transport.carryOut() else { return .failed(.secureChannel) }
            guard result == .wouldBlock, !hasEnded else { return result }
            switch transport.carryIn() {
            case .some: continue
            case .nothing: return .wouldBlock
            // The inner session says what that means.
            case .ended: hasEnded = true
            }
        }
        return .wouldBlock
    }

    private static let mostSteps = 4

    func write(_ bytes: Span<UInt8>) -> WriteResult {
        let result = channel.write(bytes)
        guard transport.carryOut() else { return .failed(.secureChannel) }
        return result
    }

    func flush() -> Bool { transport.carryOut() }

    func peek() -> StreamSocket.Peek {
        // What waits outside may be a ticket for the inside: only a read tells.
        var byte: [1 of UInt8] = [0]
        var span = byte.mutableSpan
        switch read(into: &span) {
        case .bytes: return .bytes
        case .wouldBlock: return .silent
        case .endOfFile, .failed: return .ended
        }
    }

    func endWriting() {
        channel.endWriting()
        if transport.carryOut() { transport.outer.endWriting() }
    }
}
