internal import Bytes
internal import Events
internal import Exchange
internal import Rules

/// Opens one connection for one exchange: a place at the host's limit, then whatever address of its answers first.
final class ConnectionAttempt: DialerObserver {
    enum Start {
        case waiting
        case opened(UpstreamConnection)
        case failed(ExchangeError)
    }

    let worker: Worker
    let destination: Destination
    let hop: Hop
    /// What the exchange may have dialled.
    let reaching: Reaching
    /// Whose connection the exchange asks for.
    let wanted: ConnectionIdentity?
    /// The exchange that waits for it; let go of when that wants no connection any more.
    private var runner: ExchangeRunner?
    private var dialer: Dialer?
    /// The exchange that opens the tunnel to a parent behind another one.
    private var carrying: ExchangeRunner?
    private var isCarried = false
    private var hasPlace = false
    private var isOver = false
    /// Why an address may not be dialled.
    private var refusal: ExchangeError?

    init(worker: Worker, destination: Destination, runner: ExchangeRunner) {
        self.worker = worker
        self.destination = destination
        hop = destination.hop
        reaching = runner.exchange.reaching
        wanted = runner.exchange.machine.wantedIdentity
        self.runner = runner
    }

    /// The host's connection limit holds it up (O-12).
    var isWaitingForPlace: Bool { !hasPlace && !isOver && hop.carrier == nil }

    private var source: ExchangeError.Source { hop.isParent || hop.socks != nil ? .parentProxy : .upstream }

    func start() -> Start {
        if let carrier = hop.carrier { return carry(carrier) }
        let limit = worker.placesPerHost
        guard worker.shared.hosts.take(hop.serverKey, limit: limit, for: worker.index) else {
            worker.pool.waiting.append(self)
            worker.askForPlace(hop.serverKey)
            return .waiting
        }
        hasPlace = true
        return dial()
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

    private func dial() -> Start {
        let dialer = Dialer(worker.loop, port: hop.port, observer: self)
        self.dialer = dialer
        let outcome =
            if let address = hop.literalAddress {
                dialer.dial(address)
            } else {
                dialer.dial(hop.host, by: worker.resolver, within: worker.timeouts.dns)
            }
        return outcome.map { take($0) } ?? .waiting
    }

    /// A place that was waited for is taken for it.
    func placeTaken() {
        hasPlace = true
        finish(dial())
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

    /// What would come back to this proxy is dialled at no address (H-13), nor what `access` refuses.
    func permits(_ address: IPAddress) -> Bool {
        if worker.shared.ownAddresses.contains(address, port: hop.port) {
            refusal = refusal ?? ExchangeError(.loop, .local)
        } else if worker.mayDial(address, for: destination, reaching) {
            return true
        } else {
            refusal = refusal ?? ExchangeError(.prohibited, .local)
        }
        return false
    }

    func dialled(_ outcome: Dialer.Outcome) {
        finish(take(outcome))
    }

    private func take(_ outcome: Dialer.Outcome) -> Start {
        dialer = nil
        switch outcome {
        case .connected(let socket, let address): return open(socket, at: address)
        case .failed(.notResolved): return fail(ExchangeError(.nameNotResolved, source))
        case .failed(.refused): return fail(refusal ?? ExchangeError(.unreachable, source))
        case .failed(.failed(let error, _)): return fail(Self.error(error, source))
        }
    }

    private static func error(_ error: SystemError, _ source: ExchangeError.Source) -> ExchangeError {
        if error.isExhaustion { return ExchangeError(.outOfDescriptors, .local) }
        if error.isRefused || error.isReset { return ExchangeError(.connectionRefused, source) }
        return ExchangeError(error.isTimeout ? .connectionTimedOut : .unreachable, source)
    }

    private func open(_ socket: StreamSocket, at address: IPAddress) -> Start {
        isOver = true
        hasPlace = false
        let connection = worker.pool.add(hop) { UpstreamConnection(worker: worker, hop: hop, id: $0, socket: socket) }
        connection.address = address
        connection.isForEverybody = worker.isForEverybody(address, destination)
        connection.runner = runner
        connection.start()
        return .opened(connection)
    }

    private func fail(_ error: ExchangeError) -> Start {
        release()
        return .failed(error)
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
        dialer?.cancel()
        dialer = nil
        carrying?.cancelCarrying()
        carrying = nil
        if hasPlace { worker.givePlace(at: hop.serverKey) }
        hasPlace = false
        worker.stopWaiting { $0 === self }
    }
}
