internal import Bytes
internal import Events
internal import Exchange
internal import Rules

/// Opens one connection for one exchange: a place at the host's limit, addresses, then connect, address by address.
final class ConnectionAttempt: ReadinessObserver {
    enum Start {
        case waiting
        case opened(UpstreamConnection)
        case failed(ExchangeError)
    }

    let worker: Worker
    let hop: Hop
    /// Whose connection the exchange asks for.
    let wanted: ConnectionIdentity?
    /// The exchange that waits for it; let go of when that wants no connection any more.
    private var runner: ExchangeRunner?
    private var query: Resolver.Query?
    private var addresses: ArraySlice<IPAddress> = []
    private var socket: StreamSocket?
    /// The exchange that opens the tunnel to a parent behind another one.
    private var carrying: ExchangeRunner?
    private var isCarried = false
    private var hasPlace = false
    private var isOver = false
    private var lastError: ExchangeError?

    init(worker: Worker, hop: Hop, runner: ExchangeRunner) {
        self.worker = worker
        self.hop = hop
        wanted = runner.exchange.machine.wantedIdentity
        self.runner = runner
    }

    /// The host's connection limit holds it up (O-12).
    var isWaitingForPlace: Bool { !hasPlace && !isOver && hop.carrier == nil }

    private var source: ExchangeError.Source { hop.isParent ? .parentProxy : .upstream }

    func start() -> Start {
        if let carrier = hop.carrier { return carry(carrier) }
        let limit = worker.placesPerHost
        guard worker.shared.hosts.take(hop.serverKey, limit: limit, for: worker.index) else {
            worker.pool.waiting.append(self)
            worker.askForPlace(hop.serverKey)
            return .waiting
        }
        hasPlace = true
        return findAddresses()
    }

    /// The parent is reached through another one, whose connection has the place at the limit.
    private func carry(_ carrier: Destination) -> Start {
        guard let runner else { return .waiting }
        isCarried = false
        let carrying = worker.carry(to: carrier, for: runner.exchange.machine.request.client) { [self] in carried($0) }
        if !isCarried { self.carrying = carrying }
        return .waiting
    }

    /// The tunnel is there, or can't be had; told in a turn of its own, since `start` may not have returned yet.
    private func carried(_ result: Result<UpstreamConnection, CarrierFailure>) {
        isCarried = true
        carrying = nil
        worker.later { [self] in
            switch result {
            case .success(let connection): adopt(connection)
            case .failure(let failure): finish(fail(ExchangeError(.carrierFailed(failure.response), .parentProxy)))
            }
        }
    }

    private func adopt(_ connection: UpstreamConnection) {
        guard !isOver, let runner, connection.isUsable else {
            worker.discard(connection)
            if !isOver { finish(fail(ExchangeError(.closedBeforeResponse, source))) }
            return
        }
        isOver = true
        worker.pool.turn(connection, to: hop)
        connection.runner = runner
        runner.opened(connection)
    }

    private func findAddresses() -> Start {
        if let address = hop.literalAddress { return connect([address]) }
        switch worker.resolver.resolve(hop.host, within: worker.timeouts.dns, { [weak self] in self?.resolved($0) }) {
        case .known(let answer): return take(answer)
        case .pending(let query):
            self.query = query
            return .waiting
        }
    }

    /// A place that was waited for is taken for it.
    func placeTaken() {
        hasPlace = true
        finish(findAddresses())
    }

    /// A connection of another exchange became free while this one waited for a place.
    func handOver(_ connection: UpstreamConnection) {
        isOver = true
        guard let runner else { return worker.release(connection) }
        worker.later { [self, worker] in
            guard runner.opening === self else { return worker.release(connection) }
            guard connection.isUsable else {
                worker.discard(connection)
                isOver = false
                return finish(start())
            }
            runner.opened(connection)
        }
    }

    private func resolved(_ answer: ResolverThreads.Answer) {
        query = nil
        guard !isOver else { return }
        finish(take(answer))
    }

    private func take(_ answer: ResolverThreads.Answer) -> Start {
        switch answer {
        case .success(let addresses): return connect(addresses)
        case .failure: return fail(ExchangeError(.nameNotResolved, source))
        }
    }

    private func connect(_ addresses: [IPAddress]) -> Start {
        self.addresses = addresses[...]
        return connectNext()
    }

    private func connectNext() -> Start {
        while let address = addresses.popFirst() {
            if worker.shared.ownAddresses.contains(address, port: hop.port) {
                return fail(ExchangeError(.loop, .local))
            }
            do {
                let socket = try StreamSocket.connect(to: SocketAddress(address, port: hop.port), loop: worker.loop)
                if socket.isConnecting {
                    socket.observer = self
                    self.socket = socket
                    return .waiting
                }
                return open(socket)
            } catch {
                lastError = Self.error(error, source)
            }
        }
        return fail(lastError ?? ExchangeError(.unreachable, source))
    }

    private static func error(_ error: SystemError, _ source: ExchangeError.Source) -> ExchangeError {
        if error.isExhaustion { return ExchangeError(.outOfDescriptors, .local) }
        if error.isRefused || error.isReset { return ExchangeError(.connectionRefused, source) }
        return ExchangeError(error.isTimeout ? .connectionTimedOut : .unreachable, source)
    }

    private func open(_ socket: StreamSocket) -> Start {
        isOver = true
        self.socket = nil
        hasPlace = false
        let connection = worker.pool.add(hop) { UpstreamConnection(worker: worker, hop: hop, id: $0, socket: socket) }
        connection.runner = runner
        connection.start()
        return .opened(connection)
    }

    private func fail(_ error: ExchangeError) -> Start {
        release()
        return .failed(error)
    }

    func readable() {}

    func writable() {
        guard let socket, !isOver else { return }
        if let error = socket.connectResult() {
            lastError = Self.error(error, source)
            socket.close()
            self.socket = nil
            finish(connectNext())
        } else {
            finish(open(socket))
        }
    }

    private func finish(_ start: Start) {
        guard let runner else {
            if case .opened(let connection) = start { worker.release(connection) }
            return
        }
        switch start {
        case .waiting: break
        case .opened(let connection): runner.opened(connection)
        case .failed(let error): runner.openingFailed(error)
        }
    }

    /// The exchange wants no connection any more.
    func cancel() {
        release()
        runner = nil
    }

    private func release() {
        isOver = true
        query?.cancel()
        query = nil
        carrying?.cancelCarrying()
        carrying = nil
        socket?.close()
        socket = nil
        if hasPlace { worker.givePlace(at: hop.serverKey) }
        hasPlace = false
        worker.stopWaiting { $0 === self }
    }
}
