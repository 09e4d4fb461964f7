internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import HTTP
internal import Rules

/// What belongs to one exchange and is filled anew for the next: one value, so that an event touches it once.
///
/// Nothing in here calls back into connections or the runner.
struct ExchangeInProgress: ~Copyable {
    var request = RequestHead()
    var response = ResponseHead()
    var machine = ExchangeStateMachine()
    var responseBody = BodyReader()
    /// What the request may have dialled.
    var reaching = Reaching()

    /// Forgets the exchange, keeping storage for the next.
    mutating func reset() {
        request.removeAll()
        machine.reset()
        responseBody.reset()
    }

    // MARK: the request

    /// What the client's connection needs of a head that is whole.
    struct RequestOutline {
        let bodyLength: BodyLength
        let keepsAlive: Bool
        /// A tunnel is asked for, by CONNECT or Upgrade.
        let asksForTunnel: Bool
    }

    enum RequestOutcome {
        case needMore
        case head(consumed: Int, RequestOutline)
        case failed(ParseError)
    }

    mutating func parseRequest(_ bytes: Span<UInt8>, _ policy: Policy) -> RequestOutcome {
        switch request.parse(bytes, limits: policy.limits) {
        case .needMore: return .needMore
        case .failed(let error): return .failed(error)
        case .head(let consumed):
            let outline = RequestOutline(
                bodyLength: request.bodyLength,
                keepsAlive: request.fields.keepsConnection(request.version),
                asksForTunnel: request.method == .connect || policy.admission.upgrades(request)
            )
            return .head(consumed: consumed, outline)
        }
    }

    /// Gives the target of a client's that doesn't know of a proxy the origin that it is for; the refusal of one that is
    /// for another.
    mutating func address(by addressing: Addressing) -> LocalResponse? {
        switch addressing.address(&request) {
        case nil: return nil
        case .refused(let response): return response
        case .addressed(let addressed):
            machine.addressed = addressed
            return nil
        }
    }

    /// Begins to serve the request, unless it is refused.
    mutating func begin(
        _ policy: Policy,
        worker: Worker,
        isClientAllowed: Bool,
        _ identity: Client,
        in tunnel: OpenedTunnel?,
        by hops: [NextHop]?,
        at redirection: Redirection?
    ) -> ExchangeStateMachine.Step {
        if let refusal = policy.admission.refusal(request, isClientAllowed: isClientAllowed, in: tunnel) {
            return machine.refuse(refusal)
        }
        let upgrades = policy.admission.upgrades(request)
        let destination = destination(worker, identity, tunnel, upgrades: upgrades, by: hops, at: redirection)
        if let refusal = worker.refusal(of: destination) ?? refusal(of: destination, isInside: tunnel != nil) {
            return machine.refuse(refusal)
        }
        let terms = ExchangeTerms(
            upgrades: upgrades,
            mightBeAnswered: destination.mightBeAnswered(for: identity)
        )
        return machine.begin(
            request,
            destination: destination,
            isInside: tunnel != nil,
            client: identity,
            terms: terms,
            ledgerVersion: worker.shared.ledger.version
        )
    }

    /// What `access` has against it.
    private mutating func refusal(of destination: Destination, isInside: Bool) -> LocalResponse? {
        guard !destination.standing.isOpen, !reaching.isExempt else { return nil }
        let needsAllowed = destination.standing.needsAllowedAddress(path: request.rulePath)
        reaching.needsAllowed = needsAllowed
        return destination.standing.refusal(
            path: request.rulePath,
            isLocal: reaching.isLocal,
            isInside: isInside
        ).map { LocalResponse($0) }
    }

    /// Where the request goes; one that a web page made another site's browser send goes without identity.
    func destination(
        _ worker: Worker,
        _ identity: Client,
        _ tunnel: OpenedTunnel?,
        upgrades: Bool,
        by hops: [NextHop]?,
        at redirection: Redirection?
    ) -> Destination {
        let isAnonymous = isAnonymous(worker, tunnel)
        guard let tunnel else {
            return worker.destination(
                for: request,
                of: identity,
                isAnonymous: isAnonymous,
                upgrades: upgrades,
                by: hops,
                at: redirection
            )
        }
        return worker.destination(in: tunnel, of: identity, isAnonymous: isAnonymous, by: hops)
    }

    /// Begins a CONNECT of our own.
    mutating func beginCarrying(
        to destination: Destination,
        _ worker: Worker,
        for client: Client
    ) -> ExchangeStateMachine.Step {
        machine.begin(
            request,
            destination: destination,
            client: client,
            terms: ExchangeTerms(upgrades: false, mightBeAnswered: true),
            ledgerVersion: worker.shared.ledger.version
        )
    }

    /// The request goes by another hop than the one that failed, if there is one left.
    mutating func reroute(
        after error: ExchangeError,
        _ policy: Policy,
        _ worker: Worker,
        in tunnel: OpenedTunnel?
    ) -> ExchangeStateMachine.Step {
        let client = machine.request.client
        let next = machine.destination.flatMap {
            worker.furtherWay(
                of: $0,
                for: client,
                isAnonymous: isAnonymous(worker, tunnel),
                tried: machine.triedWays
            )
        }
        return machine.rerouted(
            to: next,
            after: error,
            request,
            terms: ExchangeTerms(
                upgrades: policy.admission.upgrades(request),
                mightBeAnswered: next?.mightBeAnswered(for: client) ?? false
            ),
            ledgerVersion: worker.shared.ledger.version
        )
    }

    /// The request shows the origin no certificate of ours.
    func isAnonymous(_ worker: Worker, _ tunnel: OpenedTunnel?) -> Bool {
        worker.configuration.rules.hasClientCertificates && isCrossSite(tunnel)
    }

    private func isCrossSite(_ tunnel: OpenedTunnel?) -> Bool {
        CrossSite.judge(request, host: tunnel?.origin.host ?? machine.addressed?.calledHost ?? "")
    }

    /// An upstream connection is in hand; `isBound` where it is the client's connection's alone from now on.
    mutating func connected(
        isReused: Bool,
        identity: ConnectionIdentity?
    ) -> (step: ExchangeStateMachine.Step, isBound: Bool) {
        (machine.connected(isReused: isReused, identity: identity), machine.isBound)
    }

    /// The connection goes to the clients that it was authenticated for; false where it is of no use to anybody (C-7).
    func keepIdentity(on connection: UpstreamConnection) -> Bool {
        guard machine.leavesConnectionClean else { return false }
        if connection.identity !== machine.identity { connection.identity = machine.identity }
        return true
    }

    /// What is to be obtained for one side.
    mutating func wanted(_ side: Side) -> Wanted? { machine.wanted(side, request) }

    mutating func secretObtained(_ side: Side, _ answer: SecretAnswer) -> ExchangeStateMachine.Step {
        machine.secretObtained(side, answer, request)
    }

    mutating func tokenObtained(_ side: Side, _ answer: TokenAnswer) -> ExchangeStateMachine.Step {
        machine.tokenObtained(side, answer, response, request)
    }

    /// What the ledger is asked for one side; nil where it has no say.
    func question(_ side: Side) -> LedgerQuestion? { machine.question(side, request) }

    mutating func negotiated(_ reply: SOCKSNegotiation.Reply) -> ExchangeStateMachine.Step {
        machine.negotiated(reply, request)
    }

    /// The ledger's file has the rejection that was waited for, or can't have it.
    mutating func rejectionRecorded() -> ExchangeStateMachine.Step { machine.rejectionRecorded(request) }

    /// Writes the head of the next leg, which counts as sent.
    mutating func appendLeg(
        _ worker: Worker,
        nonces: inout ConnectionNonces,
        into buffer: inout ByteBuffer
    ) -> ExchangeStateMachine.Step {
        response.removeAll()
        buffer.removeAll()
        machine.appendLeg(
            request,
            pseudonym: worker.pseudonym,
            nonces: &nonces,
            digest: worker.digest,
            use: { worker.nonceUse($0, $1) },
            into: &buffer
        )
        return machine.legSent()
    }

    /// The request may be repeated on another connection (H-6).
    var mayBeRepeated: Bool { request.method.isIdempotent && machine.isBodyKept }

    // MARK: the response

    /// The method of the leg that a response answers.
    private var method: HTTPMethod {
        machine.isEstablishing ? .connect : machine.isLegHead ? .head : request.method
    }

    mutating func parseResponse(_ bytes: Span<UInt8>, limits: Limits) -> ParseOutcome {
        response.parse(bytes, limits: limits, requestMethod: method)
    }

    /// The status of a final response whose head was just read; nil for an interim one.
    var finalStatus: UInt16? { response.status < 200 && response.status != 101 ? nil : response.status }

    /// What a response head that was just read leads to.
    struct ResponseOutcome {
        let step: ExchangeStateMachine.Step
        /// The connection can serve another exchange once the response is read to its end.
        let isReusable: Bool
    }

    /// A response head was read; `isRequestSent` where the leg's request went out whole, `isMoreBehind` where bytes
    /// stood behind it.
    mutating func headReceived(
        clientKeepsAlive: Bool,
        isRequestSent: Bool,
        isMoreBehind: Bool,
        limits: Limits
    ) -> ResponseOutcome {
        let length = response.bodyLength(for: method)
        var keepsAlive = response.fields.keepsConnection(response.version)
        if finalStatus != nil {
            responseBody.begin(length, .response, limits: limits)
            // Bytes that belong to no response of ours: nothing on that connection can be trusted any more.
            if isMoreBehind && responseBody.isEnded { keepsAlive = false }
        }
        let reading = ResponseReading(
            client: ClientTerms(version: request.version, keepsAlive: clientKeepsAlive),
            isRequestSent: isRequestSent,
            keepsAlive: keepsAlive,
            bodyLength: length,
            isMoreBehind: isMoreBehind
        )
        let step = machine.responseHeadReceived(response, request, reading)
        return ResponseOutcome(step: step, isReusable: keepsAlive && length != .untilClose)
    }

    /// Writes the head of the response that is passed on; true where it has no body.
    func appendResponse(_ form: ResponseForm, _ worker: Worker, into buffer: inout ByteBuffer) -> Bool {
        buffer.removeAll()
        let terms = terms(worker, keepsAlive: form.keepsAlive)
        let mapping = machine.mapping
        if mapping != nil, OriginMapping.asksForSecureOrigin(response.fields) {
            worker.shared.log.warn("a server sets a cookie that a client in the clear refuses: its name asks for TLS")
        }
        ForwardedResponse.append(response, form: form, terms: terms, mapping: mapping, into: &buffer)
        return responseBody.isEnded
    }

    /// How the client reads a response.
    func terms(_ worker: Worker, keepsAlive: Bool) -> ResponseTerms {
        ResponseTerms(
            pseudonym: worker.pseudonym,
            version: request.version,
            keepsAlive: keepsAlive,
            unixSeconds: worker.loop.unixSeconds
        )
    }

    /// What comes next of the response's body, and whether it ends with it.
    mutating func nextContent(_ bytes: Span<UInt8>, from start: Int) -> (event: BodyReader.Event, isEnded: Bool) {
        let event = responseBody.next(bytes, from: start)
        return (event, responseBody.isEnded)
    }

    /// The exchange is over; true where it has a place in the ledger's queue to give back.
    mutating func ended() -> Bool {
        machine.ended()
        return machine.holdsLedgerPlace
    }
}
