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
        let outcome = response.parse(
            bytes.extracting(offset..<bytes.count),
            limits: worker.limits,
            requestMethod: request.method
        )
        switch outcome {
        case .needMore:
            return false
        case .failed(let error):
            perform(machine.responseMalformed(error))
            return false
        case .head(let consumed):
            offset += consumed
            headReceived()
            return true
        }
    }

    private func headReceived() {
        guard let client else { return }
        let isInterim = response.status < 200 && response.status != 101
        let length = response.bodyLength(for: request.method)
        if !isInterim {
            record.status = response.status
            responseBody.begin(length, .response, limits: worker.limits)
            phase = .held
        }
        let reading = ResponseReading(
            client: ClientTerms(version: request.version, keepsAlive: client.keepsAlive && isRequestBodyRead),
            isRequestSent: isRequestSent && upstream?.isBlocked == false,
            keepsAlive: response.fields.keepsConnection(response.version),
            bodyLength: length
        )
        perform(machine.responseHeadReceived(response, request, reading))
        if isInterim && phase == .head { response.removeAll() }
    }

    /// Reads a refused response to its end, up to the limit that keeps its connection worth it (B-6).
    private func readRefused(_ bytes: Span<UInt8>, _ offset: inout Int) -> Bool {
        switch responseBody.next(bytes, from: offset) {
        case .needMore:
            offset = bytes.count
            return false
        case .content(let range):
            offset = range.upperBound
            drained += range.count
            let isWithin = drained <= worker.configuration.limits.drainOnChallenge
            if responseBody.isEnded || !isWithin { perform(machine.drained(isReusable: isWithin)) }
            return true
        case .end(let consumed):
            offset = consumed
            perform(machine.drained(isReusable: true))
            return true
        case .failed:
            perform(machine.drained(isReusable: false))
            return false
        }
    }

    // MARK: relaying

    func relayInterim() {
        guard let client else { return }
        worker.responseScratch.removeAll()
        ForwardedResponse.appendInterim(response, pseudonym: worker.pseudonym, into: &worker.responseScratch)
        worker.flushResponse(to: client)
    }

    /// Writes the head; it leaves with the first of the body, or at the end of what was read.
    func beginRelay(_ form: ResponseForm) {
        self.form = form
        if let told = form.told { record.reason = told.reason }
        guard checkAuthenticationInfo() else { return perform(machine.refuse(.serverUnproven)) }
        phase = .relaying
        hasBegunResponse = true
        worker.responseScratch.removeAll()
        ForwardedResponse.append(
            response,
            form: form,
            terms: terms(keepsAlive: form.keepsAlive),
            into: &worker.responseScratch
        )
        armDeadline()
        guard responseBody.isEnded else { return flushHeadLater() }
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
        switch responseBody.next(bytes, from: offset) {
        case .needMore:
            offset = bytes.count
            flush()
            return false
        case .content(let range):
            offset = range.upperBound
            relayContent(bytes.extracting(range))
            if responseBody.isEnded {
                flush()
                endRelay()
            } else if offset == bytes.count {
                flush()
            }
            return offset < bytes.count
        case .end(let consumed):
            offset = consumed
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
        if form.framing == .chunked {
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
        guard form.framing == .chunked else { return }
        if let trailers = responseBody.trailers, trailers.count > 0 {
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
        } else if phase == .relaying {
            resumeUpstream()
        }
    }

    /// The upstream ended its direction while its body was passed on.
    func endOfRelayedBody(isReset: Bool) {
        guard !isReset, responseBody.endOfFile() else {
            record.reason = "response.incomplete"
            return cutShort()
        }
        worker.responseScratch.removeAll()
        endChunks()
        flush()
        endRelay()
    }

    /// The response went to the client in full.
    private func endRelay() {
        let reuses =
            isRequestSent && !responseBody.isUntilClose && response.fields.keepsConnection(response.version)
            && upstream?.isBlocked == false
        let client = client
        let keepsAlive = form.keepsAlive
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
        giveUpUpstream()
        end(with: local, challenges: false, reusesUpstream: false)
    }

    /// The refusal of a CONNECT, with the challenges of the response in hand.
    func challengeClient(_ local: LocalResponse, reusesUpstream: Bool) {
        if !reusesUpstream { giveUpUpstream() }
        end(with: local, challenges: true, reusesUpstream: reusesUpstream)
    }

    private func end(with local: LocalResponse, challenges: Bool, reusesUpstream: Bool) {
        phase = .none
        guard let client else { return finish(reusesUpstream: false) }
        record.status = local.status
        record.reason = local.reason
        let keepsAlive = client.keepsAlive && !local.closes && isRequestBodyRead
        worker.responseScratch.removeAll()
        local.append(
            terms: terms(keepsAlive: keepsAlive),
            isHead: request.method == .head,
            into: &worker.responseScratch
        ) { buffer in
            if challenges { ForwardedResponse.appendProxyChallenges(of: response, into: &buffer) }
        }
        flush()
        self.client = nil
        finish(reusesUpstream: reusesUpstream)
        client.exchangeEnded(keepsAlive: keepsAlive)
    }

    private func terms(keepsAlive: Bool) -> ResponseTerms {
        ResponseTerms(
            pseudonym: worker.pseudonym,
            version: request.version,
            keepsAlive: keepsAlive,
            unixSeconds: worker.loop.unixSeconds
        )
    }
}
