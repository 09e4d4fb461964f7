internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules

/// One connection of a client: reads requests, one exchange at a time, and writes responses.
final class ClientConnection: ReadinessObserver, DeadlineObserver {
    let worker: Worker
    var identity: Client
    let number: UInt64
    /// It came by loopback or a unix socket: also what one of the machine's addresses sent, which no other can.
    let isOfThisMachine: Bool
    /// The place of the port that it came by.
    let listener: Int
    /// What it reaches is in the rule file, as it was when it came.
    var reachesNamedDestination = false
    /// The rules under which it was judged last, and whether it was admitted.
    var judgedUnder: Policy?
    var wasAdmitted = false
    /// Whether its process was given the one login of its port; nil: that hasn't been looked at.
    var wasGivenLogin: Bool?
    private let socket: StreamSocket
    private(set) var deadline: Deadline?
    var machine = ClientConnectionStateMachine()
    /// Its tunnel, once that is opened: whatever it asks for is asked for in there.
    var opened: OpenedTunnel?
    /// How its requests say whom they are for, and how it asks for its tunnel.
    var addressing = Addressing.byTarget
    var asking = TunnelAsking.connect
    /// What is known of it before it has said whom it is for.
    var announcement: Announcement?
    /// Bytes that arrived and were not taken yet.
    private var inbound = ByteBuffer() {
        didSet { hasInbound = !inbound.isEmpty }
    }
    /// What could not be sent yet.
    private var outflow = Outflow() {
        didSet { isBlocked = !outflow.isEmpty }
    }
    /// Something waits in `outflow`, or in `inbound`: flags, since they are asked for far more often than they change.
    private(set) var isBlocked = false
    private var hasInbound = false
    private var body = BodyReader()
    /// The request's body has not come to its end.
    private var hasBodyToRead = false
    var runner: ExchangeRunner?
    private var isProcessing = false
    /// What is being processed goes on behind the request's head.
    private var isMoreBehind = false
    private var lingeringBytes = 0
    /// The upstream connection that belongs to this one alone (A-13, C-8).
    var boundUpstream: UpstreamConnection?
    private var readLimit = EventLoop.usualReadLimit
    /// When it came, up to its first response.
    private var arrival: Instant

    init(worker: Worker, socket: StreamSocket, identity: Client, number: UInt64, listener: Int) {
        self.worker = worker
        self.socket = socket
        self.identity = identity
        self.number = number
        self.listener = listener
        isOfThisMachine = identity.address.map { $0.isLoopback || worker.shared.ownAddresses.isOwn($0) } ?? true
        arrival = worker.loop.now
    }

    func start() {
        socket.observer = self
        deadline = Deadline(worker.loop, observer: self)
        setDeadline(worker.timeouts.requestHead)
        begin(under: worker.policy.listeners[listener].mode)
        if !socket.isClosed { socket.resumeReading() }
    }

    /// It idles between requests; who came just now has yet to say what he came for.
    var mayEnd: Bool { machine.isWaiting && worker.loop.now.since(arrival) >= .seconds(1) }
    var keepsAlive: Bool { machine.mayGoOn(hasUnread: hasUnread) && !worker.isDraining }
    var trailers: Fields? { body.trailers }
    var stream: StreamSocket { socket }
    var hasUnread: Bool { hasInbound || isMoreBehind }
    var isEndOfFileSeen: Bool { machine.isEndOfFileSeen }

    func setDeadline(_ length: Nanoseconds) {
        deadline?.set(to: worker.loop.now.adding(nanoseconds: length))
    }

    // MARK: reading

    func readable() {
        switch machine.readable(hasUnread: hasInbound, isBlocked: isBlocked) {
        case .pause: socket.pauseReading()
        case .discard: discard()
        case .read: read()
        }
    }

    private func read() {
        if let runner, runner.splicesOutward { return runner.spliceOutward(self) }
        switch socket.read(limit: readLimit) {
        case .bytes(let count): received(count)
        case .wouldBlock: break
        case .endOfFile: endOfFile()
        case .failed: abort()
        }
    }

    private func received(_ count: Int) {
        let loop = worker.loop
        if !hasInbound {
            let taken = process(loop.received)
            if taken < count, !socket.isClosed { inbound.append(loop.received.extracting(taken..<count)) }
        } else {
            inbound.append(loop.received)
            processInbound()
        }
        if let runner, runner.isUploading, count == readLimit, readLimit < 256 * 1024 {
            readLimit = runner.isUpstreamBlocked ? EventLoop.usualReadLimit : readLimit * 2
        }
    }

    private func processInbound() {
        // What is called from here may drop the buffer, so it is out of reach meanwhile.
        var bytes = ByteBuffer()
        swap(&bytes, &inbound)
        let taken = process(bytes.readable)
        guard !socket.isClosed, machine.state != .lingering else { return }
        bytes.consume(taken)
        if !bytes.isEmpty { swap(&bytes, &inbound) }
    }

    /// Takes what can be taken of `bytes`; the rest waits for the exchange that is under way.
    private func process(_ bytes: Span<UInt8>) -> Int {
        guard !isProcessing else { return 0 }
        isProcessing = true
        defer {
            isProcessing = false
            isMoreBehind = false
        }
        var offset = 0
        while !socket.isClosed {
            let before = offset
            switch machine.next(hasBytes: offset < bytes.count, isBlocked: isBlocked) {
            case .none: return offset
            case .parseHead:
                guard parseHead(bytes, &offset) else { return offset }
            case .takeBody:
                guard let runner, runner.wantsBody else { return offset }
                guard takeBody(bytes, &offset, runner) else { return offset }
            case .look:
                guard let runner, let taken = runner.look(bytes.extracting(offset..<bytes.count)) else { return offset }
                offset += taken
                // Nothing taken leaves it to another reader of the same bytes.
                guard machine.state != .looking else { return offset }
                continue
            case .announce:
                guard let taken = announce(bytes.extracting(offset..<bytes.count)) else { return offset }
                offset += taken
                continue
            case .relayTunnel:
                guard let runner, runner.takesTunnelBytes else { return offset }
                runner.tunnelReceived(bytes.extracting(offset..<bytes.count), fromClient: true)
                return bytes.count
            }
            if offset == before && offset == bytes.count { return offset }
        }
        return bytes.count
    }

    /// Parses the next head at `offset`; false where more bytes are needed or the connection ends.
    private func parseHead(_ bytes: Span<UInt8>, _ offset: inout Int) -> Bool {
        let runner = runner ?? worker.makeRunner(for: self)
        self.runner = runner
        if machine.state == .idle { setDeadline(worker.timeouts.requestHead) }
        machine.headBegan()
        switch runner.exchange.parseRequest(bytes.extracting(offset..<bytes.count), worker.policy) {
        case .needMore:
            return false
        case .failed(let error):
            machine.requestMalformed()
            runner.refuse(LocalResponse(malformed: error))
            return false
        case .head(let consumed, let outline):
            offset += consumed
            isMoreBehind = offset < bytes.count
            headReceived(outline, runner)
            return true
        }
    }

    func headReceived(_ outline: ExchangeInProgress.RequestOutline, _ runner: ExchangeRunner) {
        let hasBody = outline.bodyLength != .none && outline.bodyLength != .fixed(0)
        hasBodyToRead = hasBody
        if hasBody { body.begin(outline.bodyLength, .request, limits: worker.limits) }
        machine.headReceived(
            keepsAlive: outline.keepsAlive,
            hasBody: hasBody,
            asksForTunnel: outline.asksForTunnel
        )
        runner.begin(hasBody: hasBody)
    }

    /// Hands content of the request's body on; false where it can't go on now.
    private func takeBody(_ bytes: Span<UInt8>, _ offset: inout Int, _ runner: ExchangeRunner) -> Bool {
        switch body.next(bytes, from: offset) {
        case .needMore:
            offset = bytes.count
            return false
        case .content(let range):
            offset = range.upperBound
            runner.bodyReceived(bytes.extracting(range))
            if body.isEnded { bodyEnded(runner) }
            return true
        case .end(let consumed):
            offset = consumed
            bodyEnded(runner)
            return true
        case .failed(let error):
            machine.requestMalformed()
            runner.bodyMalformed(LocalResponse(malformed: error))
            return false
        }
    }

    private func bodyEnded(_ runner: ExchangeRunner) {
        hasBodyToRead = false
        machine.bodyEnded()
        runner.bodyEnded()
    }

    /// The exchange wants input again: what waits here first, then the socket.
    func resumeInput() {
        guard !socket.isClosed, !isProcessing else { return }
        if hasInbound { processInbound() }
        if !hasInbound, !socket.isClosed, !machine.isEndOfFileSeen { socket.resumeReading() }
    }

    /// The client ended its direction.
    func endOfFile() {
        socket.pauseReading()
        switch machine.endOfFileReceived() {
        case .none: break
        case .close: close()
        case .abortExchange: abort()
        case .halfClose: runner?.tunnelEnded(fromClient: true)
        case .endLook: runner?.lookEnded()
        case .endAnnouncement: announcementEnded()
        }
    }

    /// The client is gone: its exchange ends, and the upstream attempt with it (H-10).
    private func abort() {
        let runner = runner
        self.runner = nil
        runner?.clientGone()
        close()
    }

    // MARK: writing

    /// Sends both parts, keeping what the kernel doesn't take.
    func send(_ first: Span<UInt8>, _ second: Span<UInt8>) {
        let wasBlocked = isBlocked
        switch outflow.send(first, second, on: socket) {
        case .sent: break
        case .waiting: if !wasBlocked { awaitRoom() }
        case .broken: endLater()
        }
    }

    private func awaitRoom() {
        socket.notifyWhenWritable()
        setDeadline(worker.timeouts.responseBody)
    }

    /// The connection broke; what is on the stack still works with it.
    func endLater() {
        worker.later { [self] in abort() }
    }

    func writable() {
        guard isBlocked else { return }
        switch outflow.flush(on: socket) {
        case .sent: break
        case .waiting: return awaitRoom()
        case .broken: return abort()
        }
        guard let runner else {
            outflow.closePipe()
            return carryOutEnd()
        }
        runner.clientDrained()
    }

    /// Opens the way for `splice`; false where there is none.
    func beginSplicing() -> Bool { outflow.openPipe() }

    /// Moves bytes that arrived at `source` on to the client inside the kernel.
    func splice(from source: StreamSocket, limit: UInt64) -> Outflow.Move {
        let move = outflow.splice(from: source, to: socket, limit: limit)
        if isBlocked { awaitRoom() }
        return move
    }

    func endSplicing() { outflow.closePipe() }

    // MARK: ends

    /// The response is written, as far as it comes; the next request may follow where both sides allow it.
    func exchangeEnded(keepsAlive: Bool) {
        runner = nil
        arrival = Instant(nanoseconds: 0)
        if boundUpstream?.isClosed == true { boundUpstream = nil }
        machine.exchangeEnded(keepsAlive: keepsAlive, isBodyRead: !hasBodyToRead, hasUnread: hasUnread)
        readLimit = EventLoop.usualReadLimit
        if !isBlocked { carryOutEnd() }
    }

    private func carryOutEnd() {
        switch machine.state {
        case .idle:
            setDeadline(worker.timeouts.clientIdle)
            guard hasInbound else { return socket.resumeReading() }
            worker.later { [self] in resumeInput() }
        case .lingering:
            socket.shutdownWrite()
            inbound.removeAll()
            setDeadline(.seconds(2))
            socket.resumeReading()
        case .closing:
            close()
        case .announcing, .readingHead, .inExchange, .tunnelling, .looking, .welcoming, .closed:
            break
        }
    }

    /// The response can't be brought to its end: the client must not take what it got for whole.
    func cutShort() {
        runner = nil
        machine.closed()
        release()
        socket.closeWithReset()
    }

    /// Reads and drops what the client still sends, so that it gets to read the response.
    private func discard() {
        switch socket.discard(limit: 64 * 1024) {
        case .bytes(let count):
            lingeringBytes += count
            if lingeringBytes > 1024 * 1024 { close() }
        case .wouldBlock:
            break
        case .endOfFile, .failed:
            close()
        }
    }

    func deadlinePassed() {
        // The client is held up by us, not we by the client.
        if hasBodyToRead, !isBlocked, let runner, !runner.wantsBody { return awaitBody() }
        switch machine.deadlinePassed(isBlocked: isBlocked) {
        case .none: break
        case .close: close()
        case .abortExchange: abort()
        case .refuse: runner?.requestTimedOut()
        case .endAnnouncement: announcementEnded()
        }
    }

    /// The body stays away: each wait for more of it has a limit.
    func awaitBody() { setDeadline(worker.timeouts.requestBody) }

    /// While nothing is read, only a look tells that the client is gone (H-10).
    func endIfBroken() {
        if runner != nil, !socket.isReading, socket.isBroken { abort() }
    }

    /// Closes, whatever is under way.
    func close() {
        guard !socket.isClosed else { return }
        let runner = runner
        self.runner = nil
        runner?.clientGone()
        machine.closed()
        release()
        socket.close()
    }

    private func release() {
        if announcement != nil { forgetAnnouncement() }
        deadline?.clear()
        deadline = nil
        if let bound = boundUpstream {
            boundUpstream = nil
            worker.discard(bound)
        }
        worker.forget(self)
    }
}
