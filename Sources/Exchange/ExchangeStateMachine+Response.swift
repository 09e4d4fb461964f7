internal import Authentication
internal import Bytes
package import HTTP
internal import Rules

/// What the runner knows of the connection on which a response head was read.
package struct ResponseReading: Equatable, Sendable {
    /// How the client reads what is passed on.
    package let client: ClientTerms
    /// The leg's request went out whole: the response's end leaves the connection in step.
    package let isRequestSent: Bool
    /// The response leaves the connection open (RFC 9112 s.9.3).
    package let keepsAlive: Bool
    package let bodyLength: BodyLength
    /// Bytes came in one with the head, and stand behind it.
    package let isMoreBehind: Bool

    package init(
        client: ClientTerms,
        isRequestSent: Bool,
        keepsAlive: Bool,
        bodyLength: BodyLength,
        isMoreBehind: Bool = false
    ) {
        self.isMoreBehind = isMoreBehind
        self.client = client
        self.isRequestSent = isRequestSent
        self.keepsAlive = keepsAlive
        self.bodyLength = bodyLength
    }

    /// What a refused response means for the connection (B-6, B-7).
    var refused: ExchangeStateMachine.Refused {
        guard isRequestSent, keepsAlive, bodyLength != .untilClose else { return .unusable }
        return bodyLength == .none || bodyLength == .fixed(0) ? .read : .toBeRead
    }
}

/// The client's side of a response.
package struct ClientTerms: Equatable, Sendable {
    package let version: HTTPVersion
    package let keepsAlive: Bool

    package init(version: HTTPVersion, keepsAlive: Bool) {
        self.version = version
        self.keepsAlive = keepsAlive
    }
}

extension ExchangeStateMachine {
    /// A response head was read on the leg's connection.
    package mutating func responseHeadReceived(
        _ response: borrowing ResponseHead,
        _ head: borrowing RequestHead,
        _ reading: ResponseReading
    ) -> Step {
        switch state {
        case .awaitingContinue, .awaitingHead:
            break
        case .idle, .admitting, .askingLedger, .obtaining, .verifying, .recordingRejection, .collectingBody, .acquiring,
            .negotiating, .securing,
            .draining, .relaying,
            .tunnelling, .looking, .welcoming, .finished:
            return .wait
        }
        if response.status < 200, response.status != 101 { hasInterim = true }
        if mayHandshake, response.status >= 200 || response.status == 101,
            let (side, token) = unverifiedSide(response)
        {
            self[side].handshake.isVerified = true
            self[side].handshake.input = token
            self.reading = reading
            state = .verifying
            return .obtain(side)
        }
        if isEstablishing { return establishingAnswered(response, head, reading) }
        if response.version == .http10 { destination?.hop.refusesExpectation = true }
        let step = judged(response, head, reading)
        // The verdict is what was waited for; nobody is there for the rest.
        let isFinal = response.status >= 200 || response.status == 101
        return isUnattended && isFinal ? abandon() : step
    }

    /// The verdicts that the head says, and what follows from it.
    private mutating func judged(
        _ response: borrowing ResponseHead,
        _ head: borrowing RequestHead,
        _ reading: ResponseReading
    ) -> Step {
        switch response.status {
        case 101:
            return switched(response, head, reading)
        case 100..<200:
            return form.isEmpty ? .wait : interim(response.status, reading.client)
        case 407:
            return refusedByParent(response, head, reading)
        case 401 where form.target != .authority:
            confirm(.parent, head, status: 401)
            return challenged(.origin, response, head, reading)
        case _ where form.isEmpty:
            return emptyLegTaken(head, reading)
        case 417 where form.expectsContinue && !clientExpects:
            return refusedExpectation(reading)
        default:
            return form.target == .authority ? connectAnswered(response, head) : final(response, head, reading)
        }
    }

    /// A parent's response to a CONNECT of our own: no response of the target's, whatever it says (H-15).
    private mutating func establishingAnswered(
        _ response: borrowing ResponseHead,
        _ head: borrowing RequestHead,
        _ reading: ResponseReading
    ) -> Step {
        switch response.status {
        case 101:
            return switched(response, head, reading)
        case 100..<200:
            return .wait
        case 407:
            return challenged(.parent, response, head, reading)
        case 200..<300:
            confirm(.parent, head, status: response.status)
            parent.sent = .none
            // They are nobody's whom the handshake, or the request, is for.
            guard !reading.isMoreBehind else {
                return finish(with: ExchangeError(.secureChannel(.unexpectedBytes), .parentProxy).response)
            }
            isEstablishing = false
            refused = .none
            guard destination?.hop.tunnel?.security != nil else { return reached() }
            state = .securing
            return .secure(.origin)
        default:
            confirm(.parent, head, status: response.status == 401 ? 400 : response.status)
            return finish(with: Self.tunnelRefused(status: 502, receivedStatus: response.status))
        }
    }

    private static func tunnelRefused(status: UInt16, receivedStatus: UInt16) -> LocalResponse {
        LocalResponse(
            status,
            .httpRequestDenied,
            "connect.refused",
            "The parent proxy refused the tunnel.",
            receivedStatus: receivedStatus
        )
    }

    private mutating func interim(_ status: UInt16, _ client: ClientTerms) -> Step {
        if status == 100 {
            guard state == .awaitingContinue else { return .wait }
            state = .awaitingHead
            return .sendBody(tellClient: clientExpects)
        }
        return client.version == .http11 ? .relayInterim : .wait
    }

    private mutating func refusedExpectation(_ reading: ResponseReading) -> Step {
        destination?.hop.refusesExpectation = true
        form.expectsContinue = false
        guard isBodyKept else {
            return finish(with: LocalResponse.bodyNotKept.becoming(status: 502, receivedStatus: 417))
        }
        state = .acquiring
        return .acquire(fresh: true)
    }

    /// A 407 is a challenge only from a parent that got the request as a proxy.
    private mutating func refusedByParent(
        _ response: borrowing ResponseHead,
        _ head: borrowing RequestHead,
        _ reading: ResponseReading
    ) -> Step {
        guard let hop = destination?.hop, hop.isParent, hop.tunnel == nil else {
            releaseVerdicts(head)
            return finish(
                with: LocalResponse(
                    502,
                    .httpProtocolError,
                    "proxy-challenge.unexpected",
                    "The server answered 407, which only a proxy may do.",
                    receivedStatus: 407
                )
            )
        }
        return challenged(.parent, response, head, reading)
    }

    /// A 101 is passed on only where the client's own Upgrade was, and to the same protocol (H-5b).
    private mutating func switched(
        _ response: borrowing ResponseHead,
        _ head: borrowing RequestHead,
        _ reading: ResponseReading
    ) -> Step {
        guard form.upgrades, !isEstablishing, response.fields.hasToken(.upgrade, "websocket") else {
            releaseVerdicts(head)
            return finish(
                with: LocalResponse(
                    502,
                    .httpUpgradeFailed,
                    "upgrade.unexpected",
                    "The server switched to a protocol that was not asked for.",
                    receivedStatus: 101
                )
            )
        }
        confirm(.origin, head, status: 101)
        confirm(.parent, head, status: 101)
        var responseForm = ResponseForm(framing: .none, keepsAlive: true)
        responseForm.upgrades = true
        responseForm.isAnswered = origin.sent != .none || mayHandshake && origin.isAnswered
        state = .tunnelling
        return .tunnel(responseForm)
    }

    /// A 2xx joins the tunnel; any other status is the parent's, not the target's (H-15).
    private mutating func connectAnswered(_ response: borrowing ResponseHead, _ head: borrowing RequestHead) -> Step {
        // A 401 to CONNECT is a parent's odd refusal, not an origin's challenge: no verdict (A-1, A-6b).
        confirm(.parent, head, status: response.status == 401 ? 400 : response.status)
        if (200..<300).contains(response.status) { return joined() }
        // One that has no content can't be kept for a response of ours, which has.
        let status = response.status == 304 ? 502 : response.status
        return finish(with: Self.tunnelRefused(status: status, receivedStatus: response.status))
    }

    private mutating func final(
        _ response: borrowing ResponseHead,
        _ head: borrowing RequestHead,
        _ reading: ResponseReading
    ) -> Step {
        if origin.sent != .none { confirm(.origin, head, status: response.status) }
        if parent.sent != .none { confirm(.parent, head, status: response.status) }
        state = .relaying
        var responseForm = ResponseForm(framing: framing(reading), keepsAlive: reading.client.keepsAlive)
        responseForm.isAnswered = origin.sent != .none || mayHandshake && origin.isAnswered
        let isOurs = responseForm.isAnswered || added?.origin.rule != nil
        responseForm.isPrivate = isOurs && request.method.isSafe && response.status < 300
        if response.status >= 400, added != nil { responseForm.told = originFields.reason ?? parentFields.reason }
        if responseForm.framing == .untilClose { responseForm.keepsAlive = false }
        return .relay(responseForm)
    }

    /// The challenge goes to the client as it came, with why it was not answered.
    mutating func passOn(_ side: Side) -> Step {
        guard let reading else { return finish(with: .proxyChallengeUnanswered) }
        if side == .parent && (form.target == .authority || isEstablishing) { return passOnTunnelChallenge() }
        if side == .parent && isUnaware { return finish(with: .proxyChallengeUnanswered) }
        state = .relaying
        releaseLedger()
        // What answered a HEAD of ours (B-3) has no body for the client's own method.
        let framing = isLegHead ? .fixed(0) : framing(reading)
        var responseForm = ResponseForm(framing: framing, keepsAlive: reading.client.keepsAlive)
        responseForm.keepsProxyChallenge = side == .parent
        responseForm.told = self[side].reason
        // A client that logs in itself may do so through us (RFC 4559 s.6): its connection has one of its own upstream.
        responseForm.tellsProxySupport =
            side == .origin && !isInside
            && self[side].challenges.contains {
                $0.method == .ntlm || $0.method == .negotiate
            }
        if responseForm.framing == .untilClose { responseForm.keepsAlive = false }
        return .relay(responseForm)
    }

    /// The client logs in for its CONNECT itself: it gets the challenge in a response of ours (H-15), and the connection
    /// is kept where its login is bound to that (C-8).
    private mutating func passOnTunnelChallenge() -> Step {
        // Whoever speaks in its tunnel takes all that comes for the origin's.
        if isUnaware { return finish(with: .proxyChallengeUnanswered) }
        guard isBound else { return challengeClient(reusesUpstream: false) }
        guard refused == .toBeRead else { return challengeClient(reusesUpstream: refused == .read) }
        isChallengingClient = true
        state = .draining
        return .drain
    }

    mutating func challengeClient(reusesUpstream: Bool) -> Step {
        releaseLedger()
        state = .finished
        return .challengeClient(.parentDemandsLogin, reusesUpstream: reusesUpstream)
    }

    /// How the body is framed anew: chunks where its end would else be the connection's (RFC 9112 s.6).
    private func framing(_ reading: ResponseReading) -> ResponseFraming {
        switch reading.bodyLength {
        case .none: .none
        case .fixed(let length): .fixed(length)
        case .chunked, .untilClose: reading.client.version == .http11 ? .chunked : .untilClose
        }
    }
}

extension LocalResponse {
    /// The parent's challenge to a CONNECT goes to the client by an explicit default disposition.
    fileprivate static var parentDemandsLogin: LocalResponse {
        LocalResponse(407, .httpRequestDenied, "rule.default", "The parent proxy demands a login.", receivedStatus: 407)
    }
}

// MARK: verdicts

extension ExchangeStateMachine {
    /// What a status says about what one side sent (A-6b).
    mutating func confirm(_ side: Side, _ head: borrowing RequestHead, status: UInt16) {
        // A look at a part by the subscript copies the whole side, so the common case looks once.
        let (sent, plan, isKnown) =
            side == .origin
            ? (origin.sent, origin.plan, origin.isKnownToLedger) : (parent.sent, parent.plan, parent.isKnownToLedger)
        guard sent != .none else { return }
        if sent == .lastLeg { authenticated(side) }
        guard sent != .leg, Self.isConfirmation(status, side) else {
            if isKnown { report(side, .none, head) }
            return
        }
        let isUnchallenged = plan == .ahead && !(side == .origin ? origin.isAheadLearned : parent.isAheadLearned)
        if isKnown { report(side, .confirmed(isUnchallenged ? .unchallenged : .answer), head) }
        if plan == .answer {
            learn(side, head)
            self[side].isConfirmed = true
        }
    }

    /// 101, 2xx, 3xx, and a 4xx that speaks of the request itself; for a parent also the origin's 401 (A-6b).
    static func isConfirmation(_ status: UInt16, _ side: Side) -> Bool {
        switch status {
        case 101, 200..<400: true
        case 401: side == .parent
        case 400, 407, 408, 421, 425, 429, 431: false
        case 402..<500: true
        default: false
        }
    }

    mutating func releaseVerdicts(_ head: borrowing RequestHead) {
        if origin.isKnownToLedger { report(.origin, .none, head) }
        if parent.isKnownToLedger { report(.parent, .none, head) }
    }
}
