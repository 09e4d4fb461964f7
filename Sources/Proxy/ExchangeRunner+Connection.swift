internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import HTTP

extension ExchangeRunner {
    /// Leases or opens a connection; nil while one is being opened.
    func acquire(fresh: Bool) -> ExchangeStateMachine.Step? {
        phase = .none
        giveUpUpstream()
        guard let destination = exchange.machine.destination else { return nil }
        let hop = destination.hop
        // Nobody but a parent knows then where the name leads.
        if exchange.reaching.needsAllowed, hop.isProxy {
            return exchange.machine.failed(ExchangeError(.prohibited, .local))
        }
        let wanted = exchange.machine.mayHandshake ? exchange.machine.wantedIdentity : nil
        if !fresh, let bound = client?.boundUpstream, bound.hop === hop, mayUse(bound, for: wanted),
            worker.admits(bound, to: destination, exchange.reaching)
        {
            return use(bound, isReused: true)
        }
        if exchange.machine.isInside { giveUpBound() }
        let lease = Lease(wanted: wanted, mayBeRepeated: exchange.mayBeRepeated, reaching: exchange.reaching)
        if !fresh, let pooled = worker.lease(destination, lease) { return use(pooled, isReused: true) }
        let attempt = ConnectionAttempt(worker: worker, destination: destination, runner: self)
        opening = attempt
        switch attempt.start() {
        case .waiting:
            return nil
        case .opened(let connection):
            opening = nil
            return use(connection, isReused: false)
        case .failed(let error):
            opening = nil
            return exchange.machine.failed(error)
        }
    }

    /// The client's own connection serves it, unless it could be gone by now and the request can't be repeated (H-6).
    ///
    /// One that may carry a login of the client's is never given up for another, which would have none (C-8).
    private func mayUse(_ bound: UpstreamConnection, for wanted: ConnectionIdentity?) -> Bool {
        guard bound.isUsable, bound.runner == nil, bound.identity.fitness(for: wanted) != nil else { return false }
        return bound.carriesLogin || exchange.mayBeRepeated || worker.isYoung(bound)
    }

    /// A tunnel has one connection: another one needs its place, too.
    private func giveUpBound() {
        guard let client, let bound = client.boundUpstream, bound.runner == nil else { return }
        client.boundUpstream = nil
        worker.discard(bound)
    }

    /// A connection that was waited for is there.
    func opened(_ connection: UpstreamConnection) {
        opening = nil
        perform(use(connection, isReused: false))
    }

    /// No connection could be opened.
    func openingFailed(_ error: ExchangeError) {
        opening = nil
        perform(exchange.machine.failed(error))
    }

    private func use(_ connection: UpstreamConnection, isReused: Bool) -> ExchangeStateMachine.Step {
        upstream = connection
        isFurtherLeg = false
        connection.runner = self
        if isCarrying { takeCarried(connection) }
        let outcome = exchange.connected(isReused: isReused, identity: connection.identity)
        if outcome.isBound { bind(connection) }
        return outcome.step
    }

    /// Another hop of the route takes the place of the one that failed.
    func reroute(_ error: ExchangeError) -> ExchangeStateMachine.Step {
        giveUpUpstream()
        noteDeadWay(error)
        if exchange.machine.holdsLedgerPlace {
            worker.shared.ledger.leave(worker.waiter(self))
            exchange.machine.ledgerPlaceGivenBack()
        }
        let step = exchange.reroute(after: error, policy, worker, in: client?.opened)
        if inside != nil { inside = findInside() }
        return step
    }

    /// Whatever it responded, the way is no dead one.
    func wayIsAlive() {
        guard !worker.shared.ways.isEmpty, let upstream else { return }
        worker.shared.ways.responded(upstream.hop.wayName)
    }

    /// Requests that follow pass the way over for a while.
    func noteDeadWay(_ error: ExchangeError) {
        guard let hop = exchange.machine.destination?.hop else { return }
        worker.shared.ways.failed(hop.wayName, now: worker.loop.now)
        worker.shared.log.warn("\(error.response.reason): \(hop.wayName) can't be used: \(error.response.explanation)")
    }

    func bind(_ connection: UpstreamConnection) {
        connection.isBound = true
        if let old = client?.boundUpstream, old !== connection { worker.discard(old) }
        client?.boundUpstream = connection
    }

    private func takeCarried(_ connection: UpstreamConnection) {
        if let nonce = carried.origin, connection.nonces.origin == nil {
            connection.nonces.origin = nonce
            carried.origin = nil
        }
        if let nonce = carried.parent, connection.nonces.parent == nil {
            connection.nonces.parent = nonce
            carried.parent = nil
        }
        isCarrying = carried.origin != nil || carried.parent != nil
    }

    /// Gives the connection up; the nonces that it holds go along to the next (A-4b).
    func giveUpUpstream() {
        opening?.cancel()
        opening = nil
        securing?.cancel()
        securing = nil
        if tokens.origin != nil, !exchange.machine.holdsToken(.origin) { tokens.origin = nil }
        if tokens.parent != nil, !exchange.machine.holdsToken(.parent) { tokens.parent = nil }
        guard let upstream else { return }
        self.upstream = nil
        if let nonce = upstream.nonces.origin {
            carried.origin = nonce
            upstream.nonces.origin = nil
        }
        if let nonce = upstream.nonces.parent {
            carried.parent = nonce
            upstream.nonces.parent = nil
        }
        isCarrying = carried.origin != nil || carried.parent != nil
        worker.discard(upstream)
    }

    /// The connection in hand has said nothing that nobody asked for, and has not ended: what comes next on it will be
    /// the response to what is sent next (RFC 9112 s.9.2).
    var isConnectionQuiet: Bool {
        guard let upstream, !upstream.hasUnread else { return false }
        // On a fresh connection only the end of a handshake can have brought something.
        let isWorthALook = isFurtherLeg || upstream.stream.cipher?.hasPending == true
        return !isWorthALook || upstream.stream.peek() == .silent
    }

    /// Writes the head of the next leg; nil where there is no connection for it.
    func sendLeg() -> ExchangeStateMachine.Step? {
        guard let upstream else { return nil }
        phase = .head
        replayOffset = 0
        isBodyOpen = false
        let step = exchange.appendLeg(worker, nonces: &upstream.nonces, into: &worker.requestScratch)
        isRequestSent = !hasBody || exchange.machine.form.isEmpty
        isFurtherLeg = true
        if exchange.machine.carriesOwnLogin { upstream.carriesLogin = true }
        isLegUnsent = !worker.flushRequest(to: upstream)
        upstream.stream.resumeReading()
        return step
    }

    /// The connection took no more: what it said before is read first, so the end is told from there.
    func upstreamWriteFailed(_ connection: UpstreamConnection) {
        connection.stream.resumeReading()
    }

    /// Everything that waited to be sent upstream has gone.
    func upstreamDrained(_ connection: UpstreamConnection) {
        guard connection === upstream else { return }
        if phase == .tunnel {
            client?.resumeInput()
            tunnelDrained(fromClient: true)
            return
        }
        pumpBody()
    }

    /// The upstream connection ended, or broke.
    func upstreamEnded(_ connection: UpstreamConnection, isReset: Bool) {
        guard connection === upstream else { return }
        switch phase {
        case .tunnel:
            if isReset { tunnelReset() } else { tunnelEnded(fromClient: false) }
        case .relaying:
            // A body that only the connection's end delimits could have been cut short by anybody on the way.
            let isCut = connection.isTruncated && exchange.responseBody.isUntilClose
            endOfRelayedBody(isReset: isReset || isCut)
        case .none, .negotiation, .head, .held, .draining:
            lost(connection)
        }
    }

    private func lost(_ connection: UpstreamConnection) {
        // Who ends the connection behind a login has refused it, whether or not he says so (RFC 1929 s.2).
        if phase == .negotiation, socksRequest == .login {
            return perform(exchange.negotiated(.failed(.loginRefused)))
        }
        let isParents = connection.hop.isParent || phase == .negotiation
        let source: ExchangeError.Source = isParents ? .parentProxy : .upstream
        if let error = connection.channelError {
            let failure = ExchangeError(.secureChannel(SecureChannelFailure(error)), source)
            return perform(exchange.machine.failed(failure))
        }
        let isUntouched = phase != .head || !connection.hasUnread
        let error = ExchangeError(isUntouched ? .closedBeforeResponse : .responseIncomplete, source)
        if phase == .held, exchange.machine.state != .negotiating {
            // The refused response is all that is missing: its connection is of no use for the next leg.
            if awaitsSpool { isHeldConnectionLost = true } else { exchange.machine.refusedConnectionLost() }
            return
        }
        perform(exchange.machine.connectionLost(isUntouched: isUntouched, isSent: !isLegUnsent, error: error))
    }

    func resumeUpstream() { upstream?.resumeReading() }
}
