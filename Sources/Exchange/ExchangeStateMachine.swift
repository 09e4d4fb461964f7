internal import Authentication
internal import Bytes
internal import HTTP
package import Rules

/// One client request from its head to the end of its final response, however many legs it takes.
///
/// Pure: events are method calls, answers are `Step` values and reports for the ledger; the runner carries them out.
package struct ExchangeStateMachine: ~Copyable {
    package enum State: Equatable, Sendable {
        /// No request. Ends with `begin`.
        case idle
        /// Waits for what must be known before the request begins. Ends with `begin`, `refuse`, the deadline, or the client.
        case admitting
        /// Waits for the ledger's word. Ends with `ledgerAnswered`, the deadline, or the client.
        case askingLedger
        /// Waits for a secret, or for a token of a handshake. Ends with `secretObtained` or `tokenObtained`, the deadline, or
        /// the client.
        case obtaining
        /// Waits whether the server's last token proves who it is. Ends with `tokenObtained`, the deadline, or the client.
        case verifying
        /// Reads the whole body for a hash over it (auth-int). Ends with `bodyCollected`, the deadline, or the client.
        case collectingBody
        /// Waits until a rejection is in the ledger's file (A-7b). Ends with `rejectionRecorded`, the deadline, or the
        /// client.
        case recordingRejection
        /// Waits for an upstream connection. Ends with `connected`, `failed`, the deadline, or the client.
        case acquiring
        /// Waits for a SOCKS5 proxy's word. Ends with `negotiated`, `failed`, the deadline, or the client.
        case negotiating
        /// Waits for a TLS handshake. Ends with `secured`, `failed`, the deadline, or the client.
        case securing
        /// The head went with an expectation; waits for 100, a final response, or 1 s.
        case awaitingContinue
        /// Waits for the final response head. Ends with it, the connection's end, or the deadline.
        case awaitingHead
        /// Reads a refused response to its end, to keep the connection. Ends with it, its limit, or the deadline.
        case draining
        /// The final response goes to the client. Ends with its end or either peer's.
        case relaying
        /// Both directions are joined (RFC 9110 s.9.3.6, s.7.8).
        case tunnelling
        /// A CONNECT was answered; waits for what the client says first (I-2). Ends with `looked`, the deadline, or the
        /// client.
        case looking
        /// Waits for a handshake of ours with the client. Ends with `welcomed`, the deadline, or the client.
        case welcoming
        /// Nothing is left to do.
        case finished
    }

    /// What the runner does next; exactly one an event.
    package enum Step: Equatable {
        case wait
        /// Ask the ledger `question(for:)`, then tell `ledgerAnswered`.
        case ask(Side)
        /// Fetch what `wanted` says of that side, then tell `secretObtained` or `tokenObtained`.
        case obtain(Side)
        /// Wait until the ledger's file has the rejection that was just reported, then tell `rejectionRecorded`.
        case record
        /// Read the whole body without sending it, then tell `bodyCollected`; where `tellClient`, the client gets its 100
        /// (Continue) first.
        case collectBody(tellClient: Bool)
        /// Give up any connection, lease or open one, then tell `connected` or `failed`.
        case acquire(fresh: Bool)
        /// The way failed: tell `rerouted` another one, or that there is none.
        case reroute(ExchangeError)
        /// Ask the SOCKS5 proxy at the other end, then tell `negotiated` its reply.
        case negotiate(SOCKSNegotiation.Request)
        /// Do a TLS handshake on the connection in hand, then tell `secured` or `failed`.
        case secure(Layer)
        /// Write the next leg on the connection in hand.
        case send
        /// The body is wanted now; where `tellClient`, the client gets its 100 (Continue).
        case sendBody(tellClient: Bool)
        /// Pass an interim response on.
        case relayInterim
        /// Read the refused response to its end, at most the drain limit, then tell `drained`.
        case drain
        /// Pass the response on.
        case relay(ResponseForm)
        /// Give up any connection and answer ourselves.
        case respond(LocalResponse)
        /// Answer the client ourselves, and go on without it: others wait for the verdict on what was sent.
        case dismiss(LocalResponse)
        /// Give up any connection; there is nobody to answer.
        case abandon
        /// Answer a CONNECT ourselves, with the parent's challenge; the connection may be kept where `reusesUpstream`.
        case challengeClient(LocalResponse, reusesUpstream: Bool)
        /// Join both directions behind this 101, or behind a 200 of our own where it is nil.
        case tunnel(ResponseForm?)
        /// Answer a CONNECT with a 200 of our own, look at what the client says first, then tell `looked`.
        case open
        /// Do a handshake with the client, to whom we are the host that it named, then tell `welcomed`.
        case welcome
        /// Serve what the client asks for in its tunnel, the first request with this response of ours where there is one.
        case serve(LocalResponse?)
        /// End the client's connection: in its tunnel nothing can be said to it.
        case hangUp
    }

    /// With whom a TLS handshake is done.
    package enum Layer: Equatable, Sendable {
        /// With the host that was dialled.
        case hop
        /// With the origin, through a parent's tunnel.
        case origin
        /// With the origin, on the connection that a client's CONNECT opened.
        case opened
    }

    package internal(set) var state = State.idle
    package internal(set) var destination: Destination?
    package internal(set) var request = RequestFacts(
        client: Client(address: nil),
        method: .get,
        isSecure: false
    )
    var origin = AuthorizationSide()
    var parent = AuthorizationSide()
    /// What is added to the origin's and the parent's requests besides answers.
    var added: AddedFields.Both?
    /// A credential of this exchange has to be fetched: a flag, for the same reason as `mayHandshake`.
    var mayFetch = false
    /// What the ledger is to be told before the step is carried out; taken by the runner.
    package var reports: [LedgerReport] = []
    /// Requests sent upstream, of at most 24.
    package internal(set) var attempts = 0
    /// Answers to challenges, of at most 8.
    package internal(set) var answers = 0
    package internal(set) var form = RequestForm(target: .origin)
    /// What has been sent of the body is kept for a further leg (B-1); the runner says when it is no longer.
    package var isBodyKept = true
    package internal(set) var hasBody = false
    /// The client waits for its 100 (Continue) (RFC 9110 s.10.1.1).
    var clientExpects = false
    /// The one repeat of this leg was used (H-6).
    var isRepeated = false
    /// The legs are CONNECTs of our own, until the parent has opened the tunnel in which the request goes.
    package internal(set) var isEstablishing = false
    /// The tunnel is being opened, and what is held against the origin waits for the first request in it (I-2).
    var isOpening = false
    var openingFailure: LocalResponse?
    /// The request came in a tunnel that is opened.
    package internal(set) var isInside = false
    /// Who logged in at a SOCKS5 proxy for this exchange's connection, and by which rule.
    var loggedIn: (credential: String, rule: String)?
    /// The connection in hand leads to a SOCKS5 proxy, which has not connected yet.
    var isNegotiating = false
    /// How the client called the origin, where it doesn't know of a proxy; nil for one that does.
    package var addressed: AddressedRequest?
    /// The hops that failed this request, by their places.
    package internal(set) var triedWays: UInt64 = 0
    /// Interim responses of this leg have come.
    var hasInterim = false
    /// What the way in hand failed of, where the request ends with that.
    package internal(set) var deadWay: ExchangeError?
    /// Connections that said what nobody asked for before the request went.
    var unusableCount = 0
    /// The connection of this leg carried another request before.
    var isReused = false
    /// That was a leg of this exchange.
    var isFurtherLeg = false
    /// The client's own Authorization goes upstream and nothing of ours takes its place.
    var bringsAuthorization = false
    /// The login in the target answers the origin's challenges, and nothing of ours does (H-1b).
    var answersByUserinfo = false
    /// The client logs in at the parent itself, by an explicit default disposition.
    var passesProxyAuthorization = false
    /// The parent's refusal of a CONNECT is read to its end, and then told to the client with its challenge.
    var isChallengingClient = false
    /// A refused response is in hand, and its connection can carry the next leg once it is read.
    var refused = Refused.none
    /// Whose challenge the refused response brought.
    var challengedSide = Side.origin
    /// The response head in hand, as far as it decides what happens to it.
    var reading: ResponseReading?
    /// The exchange holds a role or a place in the ledger's queue that it has to give back.
    package internal(set) var holdsLedgerPlace = false
    /// The client has left, or has its response; what was sent is waited for all the same.
    package internal(set) var isUnattended = false
    /// Something was learned in this exchange that other loops may start from.
    package var hasLearned = false

    /// There is something to tell the ledger or other loops before the step is carried out.
    package var hasNews: Bool { hasLearned || !reports.isEmpty }

    /// A refused response is in hand and nothing of its body has been read: it can still be passed on.
    var holdsRefusal = false
    /// Some value of this exchange goes by a handshake: a flag, since nearly no exchange has to look further.
    package internal(set) var mayHandshake = false
    var hasConnection = false
    /// The parent keeps its connection to the origin to this one (RFC 4559 s.6).
    var keepsSessions = false
    /// The identities of the connection in hand.
    package internal(set) var identity: ConnectionIdentity?
    /// A handshake was begun on it and has not ended well: it goes to no pool (C-7).
    var isTainted = false
    /// Handshakes that were begun anew since their connections had ended, of at most one.
    var handshakeRestarts = 0
    /// The client logs in at the origin itself, by a method that is bound to the connection (C-8).
    var bringsHandshake = false

    enum Refused: Equatable { case none, read, toBeRead, unusable }

    package init() {}

    // No coroutines: inlined into a guard that copies out of them, they release the copy's parts once too often in an
    // optimised build; not inlined, each access has its frame on the heap.
    subscript(side: Side) -> AuthorizationSide {
        get { side == .origin ? origin : parent }
        set { if side == .origin { origin = newValue } else { parent = newValue } }
    }

    /// Forgets the exchange, keeping storage for the next.
    package mutating func reset() {
        state = .idle
        destination = nil
        origin.reset()
        parent.reset()
        added = nil
        mayFetch = false
        reports.removeAll(keepingCapacity: true)
        attempts = 0
        answers = 0
        form = RequestForm(target: .origin)
        isBodyKept = true
        hasBody = false
        clientExpects = false
        isRepeated = false
        isNegotiating = false
        loggedIn = nil
        triedWays = 0
        hasInterim = false
        deadWay = nil
        unusableCount = 0
        isReused = false
        isFurtherLeg = false
        isEstablishing = false
        isOpening = false
        openingFailure = nil
        isInside = false
        addressed = nil
        bringsAuthorization = false
        answersByUserinfo = false
        passesProxyAuthorization = false
        isChallengingClient = false
        refused = .none
        reading = nil
        holdsLedgerPlace = false
        isUnattended = false
        hasLearned = false
        holdsRefusal = false
        mayHandshake = false
        hasConnection = false
        keepsSessions = false
        identity = nil
        isTainted = false
        handshakeRestarts = 0
        bringsHandshake = false
    }
}

extension ExchangeStateMachine {
    /// A digest value of one side went with this leg.
    package func usedDigest(_ side: Side) -> Bool {
        switch side == .origin ? origin.sent : parent.sent {
        case .digestAnswer, .digestAhead: true
        case .none, .basicAnswer, .basicAhead, .bearer, .leg, .lastLeg: false
        }
    }

    /// A digest value went with this leg.
    package var usesDigest: Bool { usedDigest(.origin) || usedDigest(.parent) }

    /// The rule that was used wants a wrong rspauth to end the exchange.
    package func verifiesServer(_ side: Side) -> Bool { rule(side)?.verifiesServer ?? false }

    /// The client doesn't know that there is a proxy.
    var isUnaware: Bool { isInside || addressed != nil }

    /// What the client and the upstream call the same origin, where they call it differently.
    package var mapping: OriginMapping? {
        guard let addressed, addressed.isFixed, let destination else { return destination?.mapping }
        return addressed.mapping(to: destination.origin)
    }

    /// The connection belongs to the client's own, which logs in at the parent itself (A-13, C-8), or which takes what it
    /// speaks in its tunnel for a connection of its own.
    package var isBound: Bool { passesProxyAuthorization || isInside || bringsHandshake }

    /// The deadline of the present state passed.
    package mutating func deadlinePassed() -> Step {
        let source: ExchangeError.Source = destination?.hop.isParent == true ? .parentProxy : .upstream
        switch state {
        case .askingLedger:
            return finish(with: .unconfirmed)
        case .obtaining, .verifying:
            return finish(with: .secretLate)
        case .collectingBody:
            return finish(with: ExchangeError(.requestTimedOut, .client).response)
        case .negotiating where parent.sent != .none:
            // The proxy is there, and has nothing to say to the login.
            return finish(with: ExchangeError(.connectionTimedOut, .parentProxy).response)
        case .negotiating:
            return wayFailed(ExchangeError(.connectionTimedOut, .parentProxy))
        case .acquiring:
            return wayFailed(ExchangeError(.connectionTimedOut, source))
        case .securing:
            return notSecured(ExchangeError(.connectionTimedOut, source))
        case .looking, .welcoming:
            return hangUp()
        case .awaitingContinue:
            state = .awaitingHead
            return .sendBody(tellClient: clientExpects)
        case .awaitingHead where isUnattended:
            return abandon()
        case .awaitingHead:
            return failedOnWay(ExchangeError(.responseTimedOut, source))
        case .draining:
            return drained(isReusable: false)
        case .admitting:
            return finish(with: .notAdmittedInTime)
        case .idle, .recordingRejection, .relaying, .tunnelling, .finished:
            return .wait
        }
    }

    /// The exchange ended, by the response's end, either peer's, or the tunnel's.
    package mutating func ended() {
        releaseLedger()
        state = .finished
    }

    /// Ends the exchange with a response of our own.
    mutating func finish(with response: LocalResponse) -> Step {
        releaseLedger()
        state = .finished
        return .respond(response)
    }

    static var attemptLimit: Int { 24 }
    static var answerLimit: Int { 8 }
}

extension LocalResponse {
    /// `verify_server` is set and rspauth is wrong.
    package static func serverUnproven(receivedStatus: UInt16) -> LocalResponse {
        LocalResponse(
            502,
            .httpProtocolError,
            "digest.rspauth",
            "The server did not prove that it knows the password.",
            receivedStatus: receivedStatus
        )
    }

    /// Who asks, which way or where to was not known in time.
    static var notAdmittedInTime: LocalResponse {
        LocalResponse(
            504,
            .proxyInternalError,
            "admission.timeout",
            "What has to be known of the request before it goes on was not known in time."
        )
    }

    /// The wait for another request's verdict on the same credential took too long.
    static var unconfirmed: LocalResponse {
        LocalResponse(
            503,
            .httpResponseTimeout,
            "credential.unconfirmed",
            "Another request is still trying this credential for the first time."
        )
    }
}
