internal import Authentication
internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules

/// Carries out what `ExchangeStateMachine` says for one request; reused from request to request.
final class ExchangeRunner: DeadlineObserver {
    /// What the bytes of the upstream connection are.
    enum ResponsePhase { case none, head, held, draining, relaying, tunnel }

    let worker: Worker
    /// The rules that the exchange runs under from its beginning to its end.
    private(set) var policy: Policy
    /// Bytes of the upstream's are being taken.
    var isReceiving = false
    var number: UInt64 = 0
    var request = RequestHead()
    var response = ResponseHead()
    var machine = ExchangeStateMachine()
    var record = ExchangeRecord()
    var client: ClientConnection?
    var upstream: UpstreamConnection?
    var opening: ConnectionAttempt?
    /// Nonces on their way from a connection that was given up to the next (A-4b).
    var carried = ConnectionNonces()
    var replay: ReplayBuffer
    var replayOffset: UInt64 = 0
    var phase = ResponsePhase.none
    var responseBody = BodyReader()
    var form = ResponseForm(framing: .none, keepsAlive: true)
    /// The leg's body may be sent now.
    var isBodyOpen = false
    var isRequestBodyRead = true
    /// The leg's request went out whole.
    var isRequestSent = false
    /// The connection was broken before the leg's first byte.
    var isLegUnsent = false
    var isCollecting = false
    var drained = 0
    var tunnel = TunnelStateMachine()
    var hasBegunResponse = false
    private(set) var deadline: Deadline?

    init(worker: Worker) {
        self.worker = worker
        policy = worker.policy
        replay = ReplayBuffer(shared: worker.shared.replayTotal)
        deadline = Deadline(worker.loop, observer: self)
    }

    /// Makes it ready for the next request of `client`.
    func prepare(for client: ClientConnection, number: UInt64, policy: Policy) {
        self.policy = policy
        self.client = client
        self.number = number
        request.removeAll()
        machine.reset()
        record.reset()
        carried = ConnectionNonces()
        replay.reset()
        replayOffset = 0
        phase = .none
        responseBody.reset()
        isBodyOpen = false
        isRequestBodyRead = true
        isRequestSent = false
        isLegUnsent = false
        isCollecting = false
        drained = 0
        hasBegunResponse = false
    }

    // MARK: the request

    /// The request's head is whole.
    func begin() {
        guard let client else { return }
        record.begin(request, loop: worker.loop, client: client)
        if let refusal = worker.admission.refusal(request, isClientAllowed: client.isAdmitted) {
            return refuse(refusal)
        }
        isRequestBodyRead = request.bodyLength == .none || request.bodyLength == .fixed(0)
        let destination = worker.destination(for: request)
        if let refusal = worker.refusal(of: destination) { return refuse(refusal) }
        let mightBeAnswered = destination.mightBeAnswered(for: client.identity)
        replay.begin(
            limits: worker.replayLimits(mightBeAnswered: mightBeAnswered, request),
            totalLimit: UInt64(policy.configuration.limits.replayTotal)
        )
        machine.isBodyKept = true
        let terms = ExchangeTerms(upgrades: worker.admission.upgrades(request), mightBeAnswered: mightBeAnswered)
        let step = machine.begin(
            request,
            destination: destination,
            client: client.identity,
            terms: terms,
            ledgerVersion: worker.shared.ledger.version
        )
        perform(step)
    }

    /// A request that is not forwarded.
    func refuse(_ response: LocalResponse) {
        perform(machine.refuse(response))
    }

    // MARK: the one switch

    /// Carries out a step and those that follow from it at once.
    func perform(_ first: ExchangeStateMachine.Step) {
        var step = first
        while true {
            if !machine.reports.isEmpty { tellLedger() }
            // Before the client sees the response: its next request may come to another loop.
            if machine.hasLearned { publishLearned() }
            switch step {
            case .wait:
                return armDeadline()
            case .ask(let side):
                guard let next = ask(side) else { return }
                step = next
            case .collectBody where !replay.mayHold(request.bodyLength):
                step = machine.bodyTooLarge()
            case .collectBody:
                isCollecting = true
                client?.resumeInput()
                guard isRequestBodyRead, machine.state == .collectingBody else { return armDeadline() }
                isCollecting = false
                step = machine.bodyCollected(hash: bodyHash())
            case .acquire(let fresh):
                guard let next = acquire(fresh: fresh) else { return armDeadline() }
                step = next
            case .send:
                sendLeg()
                step = machine.legSent()
            case .sendBody(let tellClient):
                if tellClient { sendContinue() }
                return openBody()
            case .relayInterim:
                return relayInterim()
            case .drain:
                phase = .draining
                armDeadline()
                return resumeUpstream()
            case .relay(let form):
                return beginRelay(form)
            case .respond(let local):
                return respond(local)
            case .challengeClient(let local, let reusesUpstream):
                return challengeClient(local, reusesUpstream: reusesUpstream)
            case .tunnel(let form):
                return beginTunnel(form)
            }
        }
    }

    // MARK: deadlines

    func armDeadline() {
        let length: Nanoseconds
        switch machine.state {
        case .askingLedger, .awaitingHead: length = worker.timeouts.responseHead
        case .collectingBody: length = worker.timeouts.requestBody
        case .acquiring: length = worker.timeouts.connect
        case .awaitingContinue: length = .seconds(1)
        case .draining, .relaying: length = worker.timeouts.responseBody
        case .tunnelling: length = tunnel.isHalf ? worker.timeouts.tunnelHalf : worker.timeouts.tunnelIdle
        case .idle, .finished: return
        }
        deadline?.set(to: worker.loop.now.adding(nanoseconds: length))
    }

    func deadlinePassed() {
        switch machine.state {
        case .idle, .finished:
            return
        case .askingLedger where asksAgain:
            return askAgain()
        case .relaying:
            record.reason = "response.timeout"
            return cutShort()
        case .tunnelling:
            record.reason = "tunnel.timeout"
            return endTunnel()
        case .askingLedger, .collectingBody, .acquiring, .awaitingContinue, .awaitingHead, .draining:
            perform(machine.deadlinePassed())
        }
    }

    /// When the exchange's wait for the ledger ends, whatever the scouts do.
    var waitLimit = Instant.distantFuture
    var askedSide: Side?

    private var asksAgain: Bool { askedSide != nil && worker.loop.now < waitLimit }

    // MARK: end

    /// The client is gone, with or without its response.
    func clientGone() {
        guard client != nil else { return }
        client = nil
        if record.reason.isEmpty { record.reason = "client.gone" }
        finish(reusesUpstream: false)
    }

    /// Gives everything back; the log gets its line.
    func finish(reusesUpstream: Bool) {
        machine.ended()
        if machine.holdsLedgerPlace { worker.shared.ledger.leave(worker.waiter(self)) }
        askedSide = nil
        waitLimit = .distantFuture
        opening?.cancel()
        opening = nil
        if let upstream {
            self.upstream = nil
            if reusesUpstream { worker.release(upstream) } else { worker.discard(upstream) }
        }
        giveBackCarried()
        worker.log(self)
        phase = .none
        client = nil
        worker.recycle(self)
    }

    /// It won't be used again.
    func retire() {
        deadline?.clear()
        deadline = nil
    }

    private func publishLearned() {
        machine.hasLearned = false
        if let destination = machine.destination { worker.publishLearned(destination) }
    }

    private func giveBackCarried() {
        if let nonce = carried.origin { machine.giveBack(.origin, nonce) }
        if let nonce = carried.parent { machine.giveBack(.parent, nonce) }
        carried = ConnectionNonces()
    }

    var isClientBlocked: Bool { client?.isBlocked ?? true }
    var isUpstreamBlocked: Bool { upstream?.isBlocked ?? true }
    var isUploading: Bool { isBodyOpen && !isRequestBodyRead || phase == .tunnel }
}
