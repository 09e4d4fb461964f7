internal import Bytes
package import HTTP
internal import Rules

/// What happens to the connection of a leg before its response.
extension ExchangeStateMachine {
    /// An upstream connection is in hand; `isReused` where it served another exchange before, and `identity` whose it is.
    package mutating func connected(isReused: Bool, identity: ConnectionIdentity? = nil) -> Step {
        switch state {
        case .acquiring:
            adopt(identity)
            self.isReused = isReused
            isFurtherLeg = false
            isEstablishing = false
            if isReused { return reached() }
            isNegotiating = false
            return destination?.hop.socks == nil ? reachedHost() : negotiate()
        case .idle, .admitting, .askingLedger, .obtaining, .verifying, .recordingRejection, .collectingBody,
            .negotiating, .securing,
            .awaitingContinue, .awaitingHead,
            .draining, .relaying, .tunnelling, .looking, .welcoming, .finished:
            preconditionFailure("a connection came that was not asked for")
        }
    }

    /// Who is at the other end of the connection is the host itself.
    mutating func reachedHost() -> Step {
        guard destination?.hop.security == nil else {
            state = .securing
            return .secure(.hop)
        }
        return reachedHop()
    }

    /// The leg was written, as far as it goes without waiting for 100.
    package mutating func legSent() -> Step {
        attempts += 1
        refused = .none
        hasInterim = false
        if isEstablishing {
            state = .awaitingHead
            return .wait
        }
        if form.expectsContinue && !form.isEmpty {
            state = .awaitingContinue
            return .wait
        }
        state = .awaitingHead
        return hasBody && !form.isEmpty ? .sendBody(tellClient: clientExpects) : .wait
    }

    /// No connection could be had.
    package mutating func failed(_ error: ExchangeError) -> Step {
        switch state {
        case .securing:
            return notSecured(error)
        case .looking, .welcoming:
            // It is told where it can be read, by the first request inside.
            openingFailure = openingFailure ?? error.response
            return .wait
        case .acquiring, .negotiating:
            return wayFailed(error)
        case .idle, .admitting, .askingLedger, .obtaining, .verifying, .recordingRejection, .collectingBody,
            .awaitingContinue, .awaitingHead, .draining, .relaying, .tunnelling, .finished:
            return finish(with: error.response)
        }
    }

    /// The upstream connection ended, or what it sent can't be read, before the final response's head.
    ///
    /// `isUntouched` where not a byte of the response had come, `isSent` where a byte of the request had been sent.
    package mutating func connectionLost(isUntouched: Bool, isSent: Bool, error: ExchangeError) -> Step {
        switch state {
        case .draining:
            return drained(isReusable: false)
        case .awaitingContinue, .awaitingHead:
            if isUntouched && isFurtherLeg { destination?.hop.closesBehindChallenges = true }
            if isUnattended { return abandon() }
            let mayRepeat = isUntouched && !hasInterim && isBodyKept && attempts < Self.attemptLimit
            guard mayRepeat, isLegIdempotent || isEstablishing || !isSent else { return failedOnWay(error) }
            guard isReused && !isRepeated else { return wayFailed(error) }
            if isHandshakeUnderWay { return restartHandshake() }
            isRepeated = true
            return acquireFresh()
        case .securing:
            return notSecured(error)
        case .negotiating:
            return wayFailed(error)
        case .askingLedger, .obtaining, .recordingRejection:
            return isNegotiating ? wayFailed(error) : .wait
        case .idle, .admitting, .verifying, .collectingBody, .acquiring:
            return .wait
        case .relaying, .tunnelling, .looking, .welcoming, .finished:
            return .wait
        }
    }

    mutating func acquireFresh() -> Step {
        refused = .none
        loseConnection()
        state = .acquiring
        return .acquire(fresh: true)
    }

    /// The connection of the refused response carries the next leg too, unless one like it was seen to end there and
    /// the request could not be repeated then.
    mutating func sendOnSame() -> Step {
        let isFree = destination?.hop.closesBehindChallenges == true && !isHandshakeUnderWay
        if isFree && !request.method.isIdempotent { return acquireFresh() }
        isReused = true
        isFurtherLeg = true
        return readyToSend()
    }

    /// The refused response was read to its end; `isReusable` where its connection can carry the next leg.
    package mutating func drained(isReusable: Bool) -> Step {
        switch state {
        case .draining where isChallengingClient:
            return challengeClient(reusesUpstream: isReusable)
        case .draining:
            guard isReusable else { return isHandshakeUnderWay ? restartHandshake() : acquireFresh() }
            refused = .read
            return sendOnSame()
        case .idle, .admitting, .askingLedger, .obtaining, .verifying, .recordingRejection, .collectingBody, .acquiring,
            .negotiating, .securing, .awaitingContinue, .awaitingHead, .relaying, .tunnelling, .looking, .welcoming,
            .finished:
            return .wait
        }
    }

    /// The connection of a refused response ended while the ledger was asked: another one carries the next leg.
    package mutating func refusedConnectionLost() {
        if refused != .none { refused = .unusable }
    }

    /// The connection in hand can't carry the leg that was to be sent: it has ended, or said what nobody asked for.
    package mutating func connectionUnusable() -> Step {
        if isHandshakeUnderWay { return restartHandshake() }
        unusableCount += 1
        // Who says something on each new connection before it is asked would else be asked for ever.
        guard unusableCount < 3 else {
            let source: ExchangeError.Source = destination?.hop.isParent == true ? .parentProxy : .upstream
            return finish(with: ExchangeError(.unaskedBytes, source).response)
        }
        return acquireFresh()
    }

    /// What the upstream sent can't be read (RFC 9112): nothing of it is passed on.
    package mutating func responseMalformed(_ error: ParseError) -> Step {
        if isUnattended { return abandon() }
        let source: ExchangeError.Source = destination?.hop.isParent == true ? .parentProxy : .upstream
        let failure = ExchangeError(.malformedResponse(error), source)
        let mayRepeat = (state == .awaitingHead || state == .awaitingContinue) && !hasInterim
        guard mayRepeat, isBodyKept, attempts < Self.attemptLimit, isLegIdempotent || isEstablishing else {
            return failedOnWay(failure)
        }
        return wayFailed(failure)
    }
}
