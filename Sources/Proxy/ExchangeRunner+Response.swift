internal import Authentication
internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules

extension ExchangeRunner {
    /// Takes what it can of what the upstream sent; the rest waits in the connection.
    func received(_ bytes: Span<UInt8>, from connection: UpstreamConnection) -> Int {
        var offset = 0
        isReceiving = true
        defer { isReceiving = false }
        while upstream === connection {
            let isGoingOn: Bool
            switch phase {
            case .none, .held:
                return offset
            case .negotiation:
                guard offset < bytes.count else { return offset }
                isGoingOn = readNegotiation(bytes, &offset)
            case .head:
                guard offset < bytes.count else { return offset }
                isGoingOn = readHead(bytes, &offset)
            case .draining:
                isGoingOn = readRefused(bytes, &offset)
            case .relaying:
                isGoingOn = relay(bytes, &offset)
            case .tunnel:
                guard offset < bytes.count else { return offset }
                tunnelReceived(bytes.extracting(offset..<bytes.count), fromClient: false)
                return bytes.count
            }
            if !isGoingOn { break }
        }
        return upstream === connection ? offset : bytes.count
    }

    private func readHead(_ bytes: Span<UInt8>, _ offset: inout Int) -> Bool {
        // What was passed on before is not read yet: interim responses have no other bound.
        if let client, client.isBlocked {
            upstream?.pauseReading()
            return false
        }
        switch exchange.parseResponse(bytes.extracting(offset..<bytes.count), limits: worker.limits) {
        case .needMore:
            return false
        case .failed(let error):
            perform(exchange.machine.responseMalformed(error))
            return false
        case .head(let consumed):
            offset += consumed
            headReceived(isMoreBehind: offset < bytes.count)
            return true
        }
    }

    private func headReceived(isMoreBehind: Bool) {
        let status = exchange.finalStatus
        if let status {
            if client != nil { record.status = status }
            wayIsAlive()
            phase = .held
            if status == 401 || status == 407 || status == 417, replay.isUnsettled {
                awaitsSpool = true
                return
            }
        }
        judgeHead(isMoreBehind: isMoreBehind)
    }

    /// What the head in hand means; a refusal's, once it is known whether the body is kept for another leg.
    func judgeHead(isMoreBehind: Bool) {
        let status = exchange.finalStatus
        let outcome = exchange.headReceived(
            clientKeepsAlive: client?.keepsAlive == true && isRequestBodyRead,
            isRequestSent: isRequestSent && upstream?.isBlocked == false && !isHeldConnectionLost,
            isMoreBehind: isMoreBehind,
            limits: worker.limits
        )
        isResponseReusable = outcome.isReusable
        // One that is passed over puts no limit off.
        if status != nil || outcome.step != .wait { perform(outcome.step) }
        if status == nil && phase == .head { exchange.response.removeAll() }
    }

    /// Reads a refused response to its end, up to the limit that keeps its connection worth it (B-6).
    private func readRefused(_ bytes: Span<UInt8>, _ offset: inout Int) -> Bool {
        switch exchange.responseBody.next(bytes, from: offset) {
        case .needMore:
            offset = bytes.count
            return false
        case .content(let range):
            offset = range.upperBound
            drained += range.count
            let isWithin = drained <= drainLimit
            guard exchange.responseBody.isEnded || !isWithin else { return true }
            perform(exchange.machine.drained(isReusable: isWithin && offset == bytes.count))
            return true
        case .end(let consumed):
            offset = consumed
            perform(exchange.machine.drained(isReusable: offset == bytes.count))
            return true
        case .failed:
            perform(exchange.machine.drained(isReusable: false))
            return false
        }
    }

    /// A handshake is worth more, since it needs this very connection.
    private var drainLimit: Int {
        let limit = worker.configuration.limits.drainOnChallenge
        return exchange.machine.isHandshakeBegun ? max(limit, 1 << 20) : limit
    }

    // MARK: relaying

    func relayInterim() {
        // Who asked otherwise than by HTTP can't read it.
        guard let client, client.asking == .connect else { return }
        worker.responseScratch.removeAll()
        ForwardedResponse.appendInterim(exchange.response, pseudonym: worker.pseudonym, into: &worker.responseScratch)
        worker.flushResponse(to: client)
    }

    /// Writes the head; it leaves with the first of the body, or at the end of what was read.
    func beginRelay(_ form: ResponseForm) {
        if let told = form.told { record.reason = told.reason }
        guard checkAuthenticationInfo() else { return refuse(.serverUnproven(receivedStatus: record.status)) }
        phase = .relaying
        hasBegunResponse = true
        relaysChunks = form.framing == .chunked
        keepsClient = form.keepsAlive
        let isWhole = exchange.appendResponse(form, worker, into: &worker.responseScratch)
        armDeadline()
        guard isWhole else { return flushHeadLater() }
        flush()
        endRelay()
    }

    private func flushHeadLater() {
        // Decided in a later turn than it was read in, nothing else flushes the head.
        if isReceiving { return }
        flush()
        resumeUpstream()
    }

    func flush() {
        guard !worker.responseScratch.isEmpty, let client else { return }
        worker.flushResponse(to: client)
    }

    private func relay(_ bytes: Span<UInt8>, _ offset: inout Int) -> Bool {
        guard !isClientBlocked else {
            upstream?.pauseReading()
            return false
        }
        let (event, isEnded) = exchange.nextContent(bytes, from: offset)
        switch event {
        case .needMore:
            offset = bytes.count
            flush()
            return false
        case .content(let range):
            offset = range.upperBound
            relayContent(bytes.extracting(range))
            if !isEnded, offset == bytes.count { considerSplicing(read: bytes.count) }
            if isEnded {
                if offset < bytes.count { isResponseReusable = false }
                flush()
                endRelay()
            } else if offset == bytes.count {
                flush()
            }
            return offset < bytes.count
        case .end(let consumed):
            offset = consumed
            if offset < bytes.count { isResponseReusable = false }
            endChunks()
            flush()
            endRelay()
            return false
        case .failed(let error):
            record.reason = error.reason
            cutShort()
            return false
        }
    }

    private func relayContent(_ content: Span<UInt8>) {
        guard let client else { return }
        record.bytesOut += UInt64(content.count)
        deadline?.set(to: worker.loop.now.adding(nanoseconds: worker.timeouts.responseBody))
        if relaysChunks {
            ChunkedCoding.appendChunkHeader(size: content.count, into: &worker.responseScratch)
            worker.responseScratch.append(content)
            ChunkedCoding.appendChunkEnd(into: &worker.responseScratch)
        } else if content.count <= 4096 {
            worker.responseScratch.append(content)
        } else {
            worker.flushResponse(to: client, with: content)
        }
    }

    private func endChunks() {
        guard relaysChunks else { return }
        if let trailers = exchange.responseBody.trailers, trailers.count > 0 {
            ChunkedCoding.appendLastChunk(
                trailers: trailers,
                except: ForwardedResponse.droppedTrailers,
                into: &worker.responseScratch
            )
        } else {
            ChunkedCoding.appendLastChunk(into: &worker.responseScratch)
        }
    }

    /// The client read what had waited: more may come.
    func clientDrained() {
        if phase == .tunnel {
            resumeUpstream()
            tunnelDrained(fromClient: false)
        } else if phase == .relaying || phase == .head {
            resumeUpstream()
        }
    }

    /// The upstream ended its direction while its body was passed on.
    func endOfRelayedBody(isReset: Bool) {
        guard !isReset, exchange.responseBody.endOfFile() else {
            record.reason = "response.incomplete"
            return cutShort()
        }
        worker.responseScratch.removeAll()
        endChunks()
        flush()
        endRelay()
    }

    /// The response went to the client in full.
    func endRelay() {
        let reuses = isRequestSent && isResponseReusable && upstream?.isBlocked == false
        let client = client
        let keepsAlive = keepsClient
        if splicesInward { client?.endSplicing() }
        self.client = nil
        finish(reusesUpstream: reuses)
        client?.exchangeEnded(keepsAlive: keepsAlive)
    }

    /// The response can't be brought to its end.
    func cutShort() {
        let client = client
        self.client = nil
        finish(reusesUpstream: false)
        client?.cutShort()
    }

    // MARK: our own

    func respond(_ local: LocalResponse) {
        if let error = exchange.machine.deadWay { noteDeadWay(error) }
        giveUpUpstream()
        end(with: local, challenges: false, reusesUpstream: false)
    }

    /// The refusal of a CONNECT, with the challenges of the response in hand.
    func challengeClient(_ local: LocalResponse, reusesUpstream: Bool) {
        if !reusesUpstream { giveUpUpstream() }
        end(with: local, challenges: true, reusesUpstream: reusesUpstream)
    }

    /// The client gets its response, and the exchange goes on without it.
    func dismiss(_ local: LocalResponse) {
        if carrying != nil { return carryOnUnattended(local) }
        guard let client else { return }
        let keepsAlive = write(local, challenges: false, to: client)
        goOn(without: client)
        end(client, keepsAlive: keepsAlive)
    }

    private func end(with local: LocalResponse, challenges: Bool, reusesUpstream: Bool) {
        phase = .none
        if carrying != nil { return carryingFailed(local) }
        guard let client else { return finish(reusesUpstream: false) }
        let keepsAlive = write(local, challenges: challenges, to: client)
        self.client = nil
        finish(reusesUpstream: reusesUpstream)
        end(client, keepsAlive: keepsAlive)
    }

    /// Who believes that it speaks with the target learns from a reset alone that there is none.
    private func end(_ client: ClientConnection, keepsAlive: Bool) {
        if client.asking == .nothing { client.cutShort() } else { client.exchangeEnded(keepsAlive: keepsAlive) }
    }

    /// Sends it whole; true where the client's connection goes on behind it.
    private func write(_ local: LocalResponse, challenges: Bool, to client: ClientConnection) -> Bool {
        record.status = local.status
        record.reason = local.reason
        guard client.asking == .connect else { return tell(local, client) }
        let keepsAlive = client.keepsAlive && !local.closes && isRequestBodyRead
        worker.responseScratch.removeAll()
        local.append(
            terms: exchange.terms(worker, keepsAlive: keepsAlive),
            isHead: exchange.request.method == .head,
            into: &worker.responseScratch
        ) { buffer in
            if challenges { ForwardedResponse.appendProxyChallenges(of: exchange.response, into: &buffer) }
        }
        flush()
        return keepsAlive
    }

    /// Tells a client that asked for a tunnel otherwise than by HTTP that there is none.
    private func tell(_ local: LocalResponse, _ client: ClientConnection) -> Bool {
        guard client.asking == .socks else { return false }
        worker.responseScratch.removeAll()
        SOCKSReply(local).append(into: &worker.responseScratch)
        flush()
        return false
    }
}
