internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import HTTP
internal import Rules
internal import Synchronization
internal import TLS
internal import Telemetry
internal import Trust

/// Everything of one loop: its connections, its pool, what it learned; used on the loop's thread only.
final class Worker: ListenerObserver {
    let index: Int
    let loop: EventLoop
    let shared: SharedState
    let resolver: Resolver
    let digest = MessageDigest()
    /// TLS sessions that may be resumed (T-8).
    let sessions = TLSSessionCache()
    let pseudonym: String
    private(set) var policy: Policy
    private var accessLog: AccessLog?
    var requestScratch = ByteBuffer(capacity: 16 * 1024)
    var responseScratch = ByteBuffer(capacity: 16 * 1024)
    var bodyScratch = ByteBuffer()
    var metrics = MetricsSnapshot()
    /// Exchanges that wait for the ledger's word.
    var waiting: [UInt64: ExchangeRunner] = [:]
    /// Exchanges that go on without their clients.
    var unattended: [UInt64: ExchangeRunner] = [:]
    /// Exchanges that wait for a leaf.
    var minting: [UInt64: ExchangeRunner] = [:]
    /// Exchanges that wait for a secret or a token, each under the number of its question.
    var obtaining: [UInt64: ExchangeRunner] = [:]
    var lastObtaining: UInt64 = 0
    /// Exchanges that wait for what must be known before they begin, each under the number of its question.
    var arriving: [UInt64: ExchangeRunner] = [:]
    var lastArriving: UInt64 = 0
    /// Who waits for a login that came otherwise than in a request.
    var loggingIn: [UInt64: (LoginVerifier.Verdict) -> Void] = [:]
    /// Exchanges for which the lane for files is at work.
    var spooling: [UInt64: ExchangeRunner] = [:]
    let destinations: DestinationTable
    let pool = UpstreamPool()
    private(set) var listeners: [OpenListener] = []
    /// The loop that got the last connection that was handed out.
    var lastHanded = 0
    /// Who asks for the users of loopback connections; nil where the kernel doesn't tell.
    lazy var peerUsers: PeerUsers? = makePeerUsers()
    private var clients: [UInt64: ClientConnection] = [:]
    /// Those that wait for a request, as a list by `nextIdle`.
    private var idleRunner: ExchangeRunner?
    private var idleRunnerCount = 0
    private var nextNumber: UInt64 = 1
    private var ticker: Timer?
    private(set) var isDraining = false
    /// When a connection was accepted last, for whichever loop.
    var lastArrival = Instant(nanoseconds: 0)

    init(index: Int, loop: EventLoop, shared: SharedState, policy: Policy, pseudonym: String) throws(SystemError) {
        self.index = index
        self.loop = loop
        self.shared = shared
        self.policy = policy
        self.pseudonym = pseudonym
        accessLog = shared.log.accessLog(policy.configuration.log)
        resolver = try Resolver(loop, shared.names)
        destinations = DestinationTable()
    }

    var configuration: ServerConfiguration { policy.configuration }
    var timeouts: TimeoutsConfiguration { policy.configuration.timeouts }
    var limits: Limits { policy.limits }

    /// Does something at the end of the work at hand, when nothing is on the stack any more.
    func later(_ body: @escaping () -> Void) {
        deferred.append(body)
        guard deferredTimer == nil else { return }
        deferredTimer = Timer(loop, after: 0) { [unowned self] in runDeferred() }
    }

    private var deferred: [() -> Void] = []
    private var deferredTimer: Timer?

    private func runDeferred() {
        let due = deferred
        deferred.removeAll()
        deferredTimer = nil
        for body in due { body() }
    }

    /// Sends what is put together for a client, and empties the buffer.
    func flushResponse(to client: ClientConnection) {
        Self.flush(&responseScratch) { client.send($0, Span()) }
    }

    /// The same, with `content` behind it in one call.
    func flushResponse(to client: ClientConnection, with content: Span<UInt8>) {
        Self.flush(&responseScratch) { client.send($0, content) }
    }

    /// Lends the buffer for a piece of a kept body.
    func takeBodyScratch() -> ByteBuffer {
        var piece = ByteBuffer()
        swap(&piece, &bodyScratch)
        piece.removeAll()
        return piece
    }

    /// Takes the buffer back.
    func giveBodyScratch(_ piece: consuming ByteBuffer) {
        bodyScratch = piece
    }

    /// Sends what is put together for an upstream, and empties the buffer; false where the connection is broken.
    func flushRequest(to upstream: UpstreamConnection) -> Bool {
        var isSent = true
        Self.flush(&requestScratch) { isSent = upstream.send($0, Span()) }
        return isSent
    }

    private static func flush(_ buffer: inout ByteBuffer, _ send: (Span<UInt8>) -> Void) {
        send(buffer.readable)
        buffer.removeAll()
    }

    // MARK: clients

    func listen(_ descriptor: consuming Descriptor, _ index: Int, isHandedOut: Bool) {
        let listener = Listener(loop, descriptor, observer: self)
        listeners.append(OpenListener(listener: listener, index: index, isHandedOut: isHandedOut))
        if ticker == nil {
            ticker = Timer(loop, after: .seconds(1), repeats: true) { [unowned self] in tick() }
        }
    }

    /// A connection of a client's begins.
    func add(_ socket: StreamSocket, _ identity: Client, listener: Int) {
        nextNumber += 1
        let client = ClientConnection(
            worker: self,
            socket: socket,
            identity: identity,
            number: nextNumber,
            listener: listener
        )
        clients[client.number] = client
        client.start()
    }

    func acceptFailed(_ error: SystemError, by listener: Listener) {
        closeOneIdleUpstream()
        shared.log.warn("can't accept connections: \(error.description)")
    }

    func forget(_ client: ClientConnection) {
        guard clients.removeValue(forKey: client.number) != nil else { return }
        shared.clients.wrappingSubtract(1, ordering: .relaxed)
    }

    func pauseListeners() {
        for open in listeners { open.listener.pause() }
        arePaused = true
    }

    private var arePaused = false

    /// Once a second: idle connections end, and accepting recovers.
    private func tick() {
        if arePaused, shared.clients.load(ordering: .relaxed) < configuration.limits.connections {
            arePaused = false
            for open in listeners { open.listener.resume() }
        }
        let now = loop.now.nanoseconds
        if now > timeouts.upstreamIdle {
            pool.closeIdle(before: Instant(nanoseconds: now - timeouts.upstreamIdle), worker: self)
        }
        destinations.evict(before: loop.now)
        for client in Array(clients.values) { client.endIfBroken() }
    }

    // MARK: exchanges

    func makeRunner(for client: ClientConnection) -> ExchangeRunner {
        let runner = takeIdleRunner() ?? ExchangeRunner(worker: self)
        nextNumber += 1
        runner.prepare(for: client, number: nextNumber, policy: policy)
        return runner
    }

    /// A runner of an exchange without a client.
    func makeRunner() -> ExchangeRunner {
        let runner = takeIdleRunner() ?? ExchangeRunner(worker: self)
        nextNumber += 1
        runner.prepare(number: nextNumber, policy: policy)
        return runner
    }

    private func takeIdleRunner() -> ExchangeRunner? {
        guard let runner = idleRunner else { return nil }
        idleRunner = runner.nextIdle
        runner.nextIdle = nil
        idleRunnerCount -= 1
        return runner
    }

    func recycle(_ runner: ExchangeRunner) {
        if runner.isWaitingForLedger {
            waiting[runner.number] = nil
            runner.isWaitingForLedger = false
        }
        if runner.exchange.machine.isUnattended { unattended[runner.number] = nil }
        guard idleRunnerCount < 256, !hasEnded else { return runner.retire() }
        runner.nextIdle = idleRunner
        idleRunner = runner
        idleRunnerCount += 1
    }

    func waiter(_ runner: ExchangeRunner) -> Waiter { Waiter(loop: index, exchange: runner.number) }

    /// Another exchange's verdict: these ask the ledger again.
    func wake(_ exchanges: [UInt64]) {
        for number in exchanges {
            if let runner = waiting[number] {
                runner.askAgain()
            } else {
                shared.ledger.declined(Waiter(loop: index, exchange: number))
            }
        }
    }

    var clientCount: Int { clients.count }

    /// An exchange has ended: it is counted, and the log gets its line.
    func log(_ runner: ExchangeRunner) {
        count(runner)
        guard let accessLog, runner.policy.configuration.log.access else { return }
        runner.write(to: accessLog)
    }

    /// A target that leads back to this proxy by its own address (H-13), or a tunnel to whom pins are for (T-12).
    func refusal(of destination: Destination) -> LocalResponse? {
        if !destination.isOpened, destination.tunnelTrust?.refusesTunnel(at: loop.unixSeconds) == true {
            return .tunnelRefused
        }
        // With other hops to go by, it is found out when this one is dialled.
        guard destination.hopCount <= 1, leadsBack(destination.hop) else { return nil }
        return ExchangeError(.loop, .local).response
    }

    private func leadsBack(_ hop: Hop) -> Bool {
        if let address = hop.literalAddress, shared.ownAddresses.contains(address, port: hop.port) { return true }
        // Nobody names himself in SOCKS5, so what a proxy on this machine would connect to is looked at here.
        guard let socks = hop.socks, hop.isLoopback else { return false }
        let target = IPAddress(socks.host) ?? (socks.host == "localhost" ? .loopbackV4 : nil)
        return target.map { shared.ownAddresses.contains($0, port: socks.port) } ?? false
    }

    // MARK: reload and end

    /// New requests run under `policy` from now on; what did not change keeps its state.
    func adopt(_ policy: Policy) {
        let log = policy.configuration.log
        if log != configuration.log { accessLog = shared.log.accessLog(log) }
        self.policy = policy
        // What they were made under may have changed (T-11).
        sessions.removeAll()
        destinations.rebind(to: policy, worker: self)
        for host in Set(pool.waiting.map(\.hop.serverKey)) { placeFreed(at: host) }
    }

    /// From now on each connection ends with its exchange.
    func drain() { isDraining = true }

    /// Nothing is under way that would be cut short.
    var isQuiet: Bool { unattended.isEmpty && clients.values.allSatisfy(\.mayEnd) }

    /// A client came a moment ago, and others may follow it.
    var isVisited: Bool { loop.now.since(lastArrival) < .seconds(1) }

    /// Takes in who stands in the queues, closes the listeners, and the connections that idle.
    func stopListening() {
        for open in listeners { open.listener.close() }
        listeners.removeAll()
        for client in Array(clients.values) where client.mayEnd { client.close() }
    }

    private(set) var hasEnded = false

    /// Ends whatever is left.
    func end() {
        hasEnded = true
        ticker?.cancel()
        ticker = nil
        for open in listeners { open.listener.close() }
        listeners.removeAll()
        for client in Array(clients.values) { client.close() }
        for runner in Array(unattended.values) { runner.finish(reusesUpstream: false) }
        pool.closeAll(worker: self)
        // They hold the worker, as it holds them.
        while let runner = takeIdleRunner() { runner.retire() }
        waiting.removeAll()
        spooling.removeAll()
        minting.removeAll()
        obtaining.removeAll()
        arriving.removeAll()
        loggingIn.removeAll()
        loop.stop()
    }
}

/// A listener, the place of its configuration, and whether what it accepts is for all loops.
struct OpenListener {
    let listener: Listener
    let index: Int
    let isHandedOut: Bool
}

@available(*, unavailable)
extension Worker: Sendable {}
