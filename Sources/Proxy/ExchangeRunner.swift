internal import Authentication
internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules

/// Carries out what `ExchangeStateMachine` says for one request; reused from request to request.
final class ExchangeRunner: DeadlineObserver {
    /// What the bytes of the upstream connection are.
    enum ResponsePhase { case none, negotiation, head, held, draining, relaying, tunnel }

    let worker: Worker
    /// The rules that the exchange runs under from its beginning to its end.
    private(set) var policy: Policy
    /// Bytes of the upstream's are being taken.
    var isReceiving = false
    var number: UInt64 = 0
    var exchange = ExchangeInProgress()
    var record = ExchangeRecord()
    var client: ClientConnection?
    /// Who waits for the tunnel that is all this exchange is for; nil for one of a client's.
    var carrying: ((Result<UpstreamConnection, CarrierFailure>) -> Void)?
    /// It opens a tunnel for another exchange, whose line in the log tells what came of it.
    var isCarrier = false
    var upstream: UpstreamConnection?
    var opening: ConnectionAttempt?
    var securing: SecureHandshake?
    /// What is waited for was asked of a lane under this number; a later answer is nobody's.
    var obtainingNumber: UInt64 = 0
    var isObtaining = false
    /// The mechanisms' side of handshakes on the connection in hand.
    var tokens = TokenContexts()
    /// What is known of the request before it begins, where something has to be asked first.
    var arrival = Arrival()
    private var isArrivalUsed = false
    /// What a SOCKS5 proxy was asked last.
    var socksRequest = SOCKSNegotiation.Request.connect
    /// Nonces on their way from a connection that was given up to the next (A-4b).
    var carried = ConnectionNonces()
    var isCarrying = false
    var replay: ReplayBuffer
    /// A body is kept, or was, and is to be dropped with the exchange.
    var isReplayBegun = false
    var replayOffset: UInt64 = 0
    /// The refusal in hand is judged once it is certain that the body is kept.
    var awaitsSpool = false
    /// The connection of that refusal ended meanwhile.
    var isHeldConnectionLost = false
    /// The hash over the kept body, as far as it has come.
    var bodyHash: BodyHash?
    var phase = ResponsePhase.none
    /// The response in hand leaves its connection to another exchange.
    var isResponseReusable = false
    /// The client gets the response's body in chunks.
    var relaysChunks = false
    /// The client's connection goes on behind the response.
    var keepsClient = true
    /// The leg's body may be sent now.
    var isBodyOpen = false
    var isRequestBodyRead = true
    var hasBody = false
    /// The leg's request went out whole.
    var isRequestSent = false
    /// The connection in hand has carried a leg of this exchange.
    var isFurtherLeg = false
    /// The connection was broken before the leg's first byte.
    var isLegUnsent = false
    var isCollecting = false
    var drained = 0
    var tunnel = TunnelStateMachine()
    /// Where what is asked for in a tunnel that is opened goes; nil for any other request.
    var inside: Destination?
    /// What the client said first in a tunnel that is opened, for the handshake with it.
    var firstBytes: [UInt8] = []
    /// How many first bytes have to be there before another look is worth it.
    var lookNeeds = 0
    /// The TLS connection with the client, in which its requests follow.
    var greeting: TLSChannel?
    /// Bytes go from socket to socket inside the kernel: from the upstream to the client, and the other way.
    var splicesInward = false
    var splicesOutward = false
    var hasBegunResponse = false
    private(set) var deadline: Deadline?
    /// The next in the worker's list of those that wait for a request.
    var nextIdle: ExchangeRunner?

    init(worker: Worker) {
        self.worker = worker
        policy = worker.policy
        replay = ReplayBuffer(shared: worker.shared.replayTotal, lane: worker.shared.files)
        deadline = Deadline(worker.loop, observer: self)
    }

    /// Makes it ready for the next request of `client`.
    func prepare(for client: ClientConnection, number: UInt64, policy: Policy) {
        prepare(number: number, policy: policy)
        self.client = client
        record.client = client.identity.address
        record.tunnel = client.opened
    }

    /// Makes it ready for an exchange without a client.
    func prepare(number: UInt64, policy: Policy) {
        self.policy = policy
        self.number = number
        exchange.reset()
        record = ExchangeRecord()
        record.began = worker.loop.now
        replayOffset = 0
        phase = .none
        isResponseReusable = false
        isBodyOpen = false
        isRequestBodyRead = true
        hasBody = false
        isRequestSent = false
        isLegUnsent = false
        isCollecting = false
        drained = 0
        tokens = TokenContexts()
        hasBegunResponse = false
        splicesInward = false
        splicesOutward = false
    }

    // MARK: the request

    /// The request's head is whole; `hasBody` where content follows it.
    func begin(hasBody: Bool) {
        guard let client else { return }
        // The head may have begun under other rules than those by which its destination is found now.
        policy = worker.policy
        self.hasBody = hasBody
        isRequestBodyRead = !hasBody
        if isArrivalUsed { arrival = Arrival() }
        if let refusal = exchange.address(by: client.addressing) {
            return refuse(client.isAdmitted ? refusal : .clientRefused)
        }
        guard policy.asksFirst || client.redirection != nil else { return start(client) }
        isArrivalUsed = true
        admit()
    }

    /// All that had to be known first is known.
    func start(_ client: ClientConnection) {
        exchange.reaching = reaching(of: client)
        let step = exchange.begin(
            policy,
            worker: worker,
            isClientAllowed: client.isAdmitted,
            client.identity,
            in: client.opened,
            by: arrival.via,
            at: arrival.redirection
        )
        if hasBody { beginReplay(client) }
        if exchange.machine.destination?.isOpened == true { inside = findInside() }
        perform(step)
    }

    /// Gets ready to keep the body for a further leg (B-1).
    private func beginReplay(_ client: ClientConnection) {
        let mightBeAnswered = exchange.machine.destination?.mightBeAnswered(for: client.identity) ?? false
        let limits = worker.replayLimits(
            mightBeAnswered: mightBeAnswered,
            isIdempotent: exchange.request.method.isIdempotent
        )
        replay.begin(limits: limits, totalLimit: UInt64(policy.configuration.limits.replayTotal))
        isReplayBegun = true
    }

    /// A request that is not forwarded.
    func refuse(_ response: LocalResponse) {
        perform(exchange.machine.refuse(response))
    }

    // MARK: the one switch

    /// Carries out a step and those that follow from it at once.
    func perform(_ first: ExchangeStateMachine.Step) {
        var step = first
        while true {
            // Before the client sees the response: its next request may come to another loop.
            if exchange.machine.hasNews { tellNews() }
            switch step {
            case .wait:
                return armDeadline()
            case .ask(let side):
                guard let next = ask(side) else { return }
                step = next
            case .obtain(let side):
                guard let next = obtain(side) else { return }
                step = next
            case .record:
                guard let next = awaitRecord() else { return }
                step = next
            case .collectBody where !replay.mayHold(exchange.request.bodyLength):
                step = exchange.machine.bodyTooLarge()
            case .collectBody(let tellClient):
                if tellClient { sendContinue() }
                isCollecting = true
                client?.resumeInput()
                guard isRequestBodyRead, exchange.machine.state == .collectingBody else { return armDeadline() }
                guard let next = hashBody() else { return armDeadline() }
                step = next
            case .acquire(let fresh):
                guard let next = acquire(fresh: fresh) else { return armDeadline() }
                step = next
            case .reroute(let error):
                step = reroute(error)
            case .negotiate(let request):
                guard let next = negotiate(request) else { return armDeadline() }
                step = next
            case .secure(let layer):
                guard let next = secure(layer) else { return armDeadline() }
                step = next
            case .send where !isConnectionQuiet:
                step = exchange.machine.connectionUnusable()
            case .send:
                guard let next = sendLeg() else { return armDeadline() }
                step = next
            case .sendBody(let tellClient):
                if tellClient { sendContinue() }
                return openBody()
            case .relayInterim:
                return relayInterim()
            case .drain:
                drained = 0
                phase = .draining
                armDeadline()
                return resumeUpstream()
            case .relay(let form):
                return beginRelay(form)
            case .respond(let local):
                return respond(local)
            case .dismiss(let local):
                return dismiss(local)
            case .abandon:
                return finish(reusesUpstream: false)
            case .challengeClient(let local, let reusesUpstream):
                return challengeClient(local, reusesUpstream: reusesUpstream)
            case .tunnel(let form):
                return beginTunnel(form)
            case .open:
                return openTunnel()
            case .welcome:
                guard let next = welcome() else { return armDeadline() }
                step = next
            case .serve(let failure):
                return serve(failure)
            case .hangUp:
                return hangUp()
            }
        }
    }

    // MARK: deadlines

    func armDeadline() {
        let length: Nanoseconds
        switch exchange.machine.state {
        case .admitting, .askingLedger, .obtaining, .verifying, .awaitingHead: length = worker.timeouts.responseHead
        case .collectingBody: length = worker.timeouts.requestBody
        case .acquiring: length = worker.timeouts.connect
        case .negotiating, .securing: length = worker.timeouts.handshake
        case .awaitingContinue: length = .seconds(1)
        case .draining, .relaying: length = worker.timeouts.responseBody
        case .tunnelling: length = tunnel.isHalf ? worker.timeouts.tunnelHalf : worker.timeouts.tunnelIdle
        case .looking: length = .seconds(1)
        case .welcoming: length = worker.timeouts.handshake
        case .idle, .recordingRejection, .finished: return
        }
        deadline?.set(to: worker.loop.now.adding(nanoseconds: length))
    }

    func deadlinePassed() {
        switch exchange.machine.state {
        case .idle, .finished:
            return
        case .acquiring where opening?.isWaitingForPlace == true:
            perform(exchange.machine.failed(placeError))
        case .recordingRejection:
            return askAgain()
        case .askingLedger where asksAgain:
            return askAgain()
        case .relaying:
            record.reason = "response.timeout"
            return cutShort()
        case .tunnelling:
            record.reason = "tunnel.timeout"
            return endTunnel()
        case .looking:
            return lookEnded()
        case .welcoming:
            record.reason = "interception.timeout"
            return perform(exchange.machine.deadlinePassed())
        case .admitting, .askingLedger, .obtaining, .verifying, .collectingBody, .acquiring, .negotiating, .securing,
            .awaitingContinue, .awaitingHead, .draining:
            perform(exchange.machine.deadlinePassed())
        }
    }

    /// Why there was no place at the host's limit: those who have them wait for a host that doesn't answer, or use them.
    private var placeError: ExchangeError {
        guard let hop = exchange.machine.destination?.hop,
            worker.shared.ways.isResting(hop.wayName, now: worker.loop.now)
        else { return ExchangeError(.connectionLimitReached, .local) }
        return ExchangeError(.connectionTimedOut, hop.isParent ? .parentProxy : .upstream)
    }

    /// When the exchange's wait for the ledger ends, whatever the scouts do.
    var waitLimit = Instant.distantFuture
    var askedSide: Side?
    /// The worker knows it by its number, to wake it.
    var isWaitingForLedger = false

    private var asksAgain: Bool { askedSide != nil && worker.loop.now < waitLimit }

    // MARK: end

    /// The client is gone, with or without its response.
    func clientGone() {
        guard let client else { return }
        if record.reason.isEmpty { record.reason = "client.gone" }
        let step = exchange.machine.clientGone()
        guard step == .wait, !worker.hasEnded else {
            self.client = nil
            return finish(reusesUpstream: false)
        }
        goOn(without: client)
    }

    /// Waits for the verdict alone.
    func goOn(without client: ClientConnection) {
        if let upstream, client.boundUpstream === upstream { client.boundUpstream = nil }
        self.client = nil
        worker.unattended[number] = self
        // It may have been held up by the client.
        resumeUpstream()
    }

    /// Gives everything back; the log gets its line.
    func finish(reusesUpstream: Bool) {
        if exchange.ended() { worker.shared.ledger.leave(worker.waiter(self)) }
        if !worker.shared.ways.isEmpty, let destination = exchange.machine.destination, destination.hopCount > 1 {
            worker.shared.ways.tryEnded(destination.hop.wayName, now: worker.loop.now)
        }
        askedSide = nil
        waitLimit = .distantFuture
        opening?.cancel()
        opening = nil
        securing?.cancel()
        securing = nil
        if isObtaining { forgetObtaining() }
        if arrival.isUnderWay { forgetArrival() }
        if let upstream {
            self.upstream = nil
            if reusesUpstream, !exchange.machine.mayHandshake || exchange.keepIdentity(on: upstream) {
                worker.release(upstream)
            } else {
                worker.discard(upstream)
            }
        }
        if isCarrying { giveBackCarried() }
        if isReplayBegun { endReplay() }
        if inside != nil { forgetOpening() }
        if isCarrier { isCarrier = false } else { worker.log(self) }
        phase = .none
        client = nil
        worker.recycle(self)
    }

    /// It won't be used again.
    func retire() {
        deadline?.clear()
        deadline = nil
    }

    private func tellNews() {
        if !exchange.machine.reports.isEmpty { tellLedger() }
        guard exchange.machine.hasLearned else { return }
        exchange.machine.hasLearned = false
        if let destination = exchange.machine.destination { worker.publishLearned(destination) }
    }

    private func giveBackCarried() {
        if let nonce = carried.origin { exchange.machine.giveBack(.origin, nonce) }
        if let nonce = carried.parent { exchange.machine.giveBack(.parent, nonce) }
        carried = ConnectionNonces()
        isCarrying = false
    }

    var isClientBlocked: Bool { client?.isBlocked ?? true }
    var isUpstreamBlocked: Bool { upstream?.isBlocked ?? true }
    var isUploading: Bool { isBodyOpen && !isRequestBodyRead || phase == .tunnel }
}
