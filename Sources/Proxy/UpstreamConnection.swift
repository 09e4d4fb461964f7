internal import Bytes
internal import Events
internal import Exchange
internal import TLS

/// One connection to an origin or a parent, lent to one exchange at a time.
final class UpstreamConnection: ReadinessObserver {
    let worker: Worker
    /// Where it leads to; a tunnel that a client asked for becomes one to what is in it.
    var hop: Hop
    let id: UpstreamID
    /// The nonces that it holds (A-4b).
    var nonces = ConnectionNonces()
    /// The exchange that has it; nil while it idles in the pool.
    var runner: ExchangeRunner?
    /// What could not be sent yet.
    private var outflow = Outflow() {
        didSet { isBlocked = !outflow.isEmpty }
    }
    /// Something waits in `outflow`, or in `inbound`: flags, since they are asked for far more often than they change.
    private(set) var isBlocked = false
    private var hasInbound = false
    /// Bytes that arrived and were not taken yet.
    private(set) var inbound = ByteBuffer() {
        didSet { hasInbound = !inbound.isEmpty }
    }
    private let socket: StreamSocket
    var idleSince = Instant(nanoseconds: 0)
    /// Whom it was authenticated for by handshakes (C-1).
    var identity: ConnectionIdentity?
    /// Where it was dialled; nil where it is a tunnel's from parent to parent.
    var address: IPAddress?
    /// Every request for its hop may go there.
    var isForEverybody = true
    /// It belongs to this client connection and goes to no pool (A-13, C-8).
    var isBound = false
    /// A login of the client's own has gone on it.
    var carriesLogin = false
    /// What one read takes; grows while reads fill it and the other side keeps up.
    private var readLimit = EventLoop.usualReadLimit
    private var isEndOfFileSeen = false
    /// What was taken last may not have been all that had arrived.
    private var isMorePossible = false
    /// It ended by a reset.
    private var isResetSeen = false
    /// Bytes are being handed over: what is called from there must not begin again.
    private var isProcessing = false

    init(worker: Worker, hop: Hop, id: UpstreamID, socket: StreamSocket) {
        self.worker = worker
        self.hop = hop
        self.id = id
        self.socket = socket
    }

    func start() {
        socket.observer = self
        socket.resumeReading()
    }

    var isClosed: Bool { socket.isClosed }
    var hasUnread: Bool { hasInbound }
    var stream: StreamSocket { socket }

    /// From here on everything goes through `channel`, whose records `transport` carries where they go inside others.
    func adopt(_ channel: TLSChannel, over transport: NestedTransport?) {
        socket.observer = self
        socket.cipher = transport.map { NestedChannel(channel, over: $0) } ?? channel
        // A handshake that never had to wait has not asked for it.
        socket.resumeReading()
        self.channel = channel
    }

    /// The innermost TLS connection.
    private(set) var channel: TLSChannel?

    /// What ended its TLS; a word about our certificate comes only behind the handshake (T-6).
    var channelError: TLSError? { channel?.error }

    /// The peer's end was not announced, so that it may be somebody else's doing.
    var isTruncated: Bool { channel?.isTruncated == true }

    func readable() {
        guard let runner else { return idleReadable() }
        guard wantsInput, !isEndOfFileSeen else { return socket.pauseReading() }
        if runner.splicesInward {
            isMorePossible = true
            return runner.spliceInward(self)
        }
        switch socket.read(limit: readLimit) {
        case .bytes(let count):
            isMorePossible = count == readLimit
            take(count, runner)
        case .wouldBlock:
            break
        case .endOfFile:
            endOfFile()
        case .failed:
            isEndOfFileSeen = true
            isResetSeen = true
            socket.pauseReading()
            runner.upstreamEnded(self, isReset: true)
        }
    }

    /// The peer ended its direction.
    func endOfFile() {
        isEndOfFileSeen = true
        socket.pauseReading()
        runner?.upstreamEnded(self, isReset: false)
    }

    /// What is unread waits for its taker, but for a head or a reply that has not come whole.
    private var wantsInput: Bool { !hasInbound || runner?.phase == .head || runner?.phase == .negotiation }

    private func take(_ count: Int, _ runner: ExchangeRunner) {
        let loop = worker.loop
        if !hasInbound {
            isProcessing = true
            let taken = runner.received(loop.received, from: self)
            isProcessing = false
            if taken < count, !socket.isClosed { inbound.append(loop.received.extracting(taken..<count)) }
        } else {
            inbound.append(loop.received)
            takeInbound(runner)
        }
        adapt(count)
    }

    private func takeInbound(_ runner: ExchangeRunner) {
        isProcessing = true
        // What is called from here may close the connection, so the buffer is out of reach meanwhile.
        var bytes = ByteBuffer()
        swap(&bytes, &inbound)
        let taken = runner.received(bytes.readable, from: self)
        isProcessing = false
        bytes.consume(taken)
        if !bytes.isEmpty { swap(&bytes, &inbound) }
    }

    /// Reads more at a time while that much comes and the client takes it.
    private func adapt(_ count: Int) {
        if runner?.isClientBlocked ?? true {
            readLimit = EventLoop.usualReadLimit
        } else if count == readLimit && readLimit < EventLoop.largestReadLimit {
            readLimit *= 2
        }
    }

    /// Takes what was left unread before, then reads on.
    func resumeReading() {
        guard !isProcessing else { return }
        if hasInbound, let runner { takeInbound(runner) }
        guard wantsInput, !socket.isClosed else { return }
        guard isEndOfFileSeen else { return socket.resumeReading() }
        // It came while nobody could say yet what becomes of the response.
        if let runner, runner.phase == .relaying { runner.upstreamEnded(self, isReset: isResetSeen) }
    }

    func pauseReading() { socket.pauseReading() }

    /// Sends both parts, keeping what the kernel doesn't take; false where the connection is broken.
    func send(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
        let wasBlocked = isBlocked
        switch outflow.send(first, second, on: socket) {
        case .sent: break
        case .waiting: if !wasBlocked { socket.notifyWhenWritable() }
        case .broken: return false
        }
        return true
    }

    func writable() {
        guard isBlocked else { return }
        switch outflow.flush(on: socket) {
        case .sent: runner?.upstreamDrained(self)
        case .waiting: socket.notifyWhenWritable()
        case .broken:
            // What the peer said before it broke off is still to be read.
            outflow.removeAll()
            runner?.upstreamWriteFailed(self)
        }
    }

    /// Opens the way for `splice`; false where there is none.
    func beginSplicing() -> Bool { outflow.openPipe() }

    /// Moves bytes that arrived at `source` on to the upstream inside the kernel.
    func splice(from source: StreamSocket, limit: UInt64) -> Outflow.Move {
        let move = outflow.splice(from: source, to: socket, limit: limit)
        if isBlocked { socket.notifyWhenWritable() }
        return move
    }

    /// Bytes or an end on a connection that nobody uses: it can't be trusted any more. A TLS ticket is neither.
    private func idleReadable() {
        if channel != nil, socket.peek() == .silent { return }
        worker.discard(self)
    }

    func shutdownWrite() { socket.shutdownWrite() }

    /// Closes; only the worker calls it, which knows the pool.
    func close() {
        runner = nil
        socket.close()
    }

    /// The peer may have ended it while nobody looked (H-6), or said what nobody asked for.
    var isUsable: Bool {
        guard !socket.isClosed && !isEndOfFileSeen && !hasInbound && !isBlocked else { return false }
        return !isMorePossible || socket.peek() == .silent
    }
}
