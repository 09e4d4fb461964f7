internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import HTTP
internal import Rules

extension ExchangeRunner {
    /// Content of the request's body is wanted now; else it waits in the client's connection.
    var wantsBody: Bool {
        if replay.isFull { return false }
        if isCollecting { return true }
        return isBodyOpen && replayOffset == replay.received && !isUpstreamBlocked
    }

    /// The leg takes the body from its beginning: first what is kept, then what comes.
    func openBody() {
        // The body stays where it is for the leg that is to follow.
        guard !isLegUnsent else { return armDeadline() }
        isBodyOpen = true
        armDeadline()
        pumpBody()
    }

    /// Sends what is kept as far as the connection takes it, then lets the client go on.
    func pumpBody() {
        guard isBodyOpen, let upstream, !isRequestSent else { return }
        while replayOffset < replay.received, !upstream.isBlocked {
            var piece = worker.takeBodyScratch()
            let reading = replay.read(at: replayOffset, limit: 64 * 1024, into: &piece)
            replayOffset += UInt64(piece.count)
            if reading == .bytes {
                deadline?.set(to: worker.loop.now.adding(nanoseconds: worker.timeouts.responseHead))
                sendContent(piece.readable, to: upstream)
            }
            worker.giveBodyScratch(piece)
            switch reading {
            case .bytes: break
            case .later: return spool()
            case .failed: return perform(exchange.machine.failed(ExchangeError(.replayFailed, .local)))
            }
        }
        guard !upstream.isBlocked else { return }
        if isRequestBodyRead {
            endLegBody(upstream)
        } else {
            client?.awaitBody()
            client?.resumeInput()
        }
    }

    /// Content of the request's body arrived.
    func bodyReceived(_ content: Span<UInt8>) {
        record.bytesIn += UInt64(content.count)
        client?.awaitBody()
        replay.received += UInt64(content.count)
        if exchange.machine.isBodyKept {
            exchange.machine.isBodyKept = replay.append(content)
            spool()
        }
        if isCollecting {
            guard exchange.machine.isBodyKept else { return stopCollecting() }
            return
        }
        guard let upstream else { return }
        replayOffset = replay.received
        deadline?.set(to: worker.loop.now.adding(nanoseconds: worker.timeouts.responseHead))
        sendContent(content, to: upstream)
    }

    private func sendContent(_ content: Span<UInt8>, to upstream: UpstreamConnection) {
        let isSent: Bool
        if exchange.request.bodyLength == .chunked {
            worker.requestScratch.removeAll()
            ChunkedCoding.appendChunkHeader(size: content.count, into: &worker.requestScratch)
            worker.requestScratch.append(content)
            ChunkedCoding.appendChunkEnd(into: &worker.requestScratch)
            isSent = worker.flushRequest(to: upstream)
        } else {
            isSent = upstream.send(content, Span())
        }
        if !isSent { upstreamWriteFailed(upstream) }
    }

    /// The request's body came to its end.
    func bodyEnded() {
        isRequestBodyRead = true
        if isCollecting {
            if let step = hashBody() { perform(step) }
            return
        }
        guard isBodyOpen, let upstream, replayOffset == replay.received else { return }
        endLegBody(upstream)
    }

    private func endLegBody(_ upstream: UpstreamConnection) {
        guard !isRequestSent else { return }
        isRequestSent = true
        guard exchange.request.bodyLength == .chunked else { return }
        worker.requestScratch.removeAll()
        if let trailers = client?.trailers, trailers.count > 0 {
            ChunkedCoding.appendLastChunk(
                trailers: trailers,
                except: ForwardedResponse.droppedTrailers,
                names: exchange.machine.replacedFields,
                into: &worker.requestScratch
            )
        } else {
            ChunkedCoding.appendLastChunk(into: &worker.requestScratch)
        }
        if !worker.flushRequest(to: upstream) { upstreamWriteFailed(upstream) }
    }

    /// The client did not go on with its head or body.
    func requestTimedOut() {
        if hasBegunResponse {
            record.reason = "request.timeout"
            cutShort()
        } else {
            refuse(ExchangeError(.requestTimedOut, .client).response)
        }
    }

    /// The body turned out to be no body: nothing behind it can be trusted.
    func bodyMalformed(_ local: LocalResponse) {
        guard !hasBegunResponse else { return cutShort() }
        perform(exchange.machine.refuse(local))
    }

    /// The client's expectation is met: the body is wanted (B-5).
    func sendContinue() {
        guard let client, !record.toldContinue else { return }
        record.toldContinue = true
        worker.responseScratch.removeAll()
        worker.responseScratch.append("HTTP/1.1 100 Continue\r\n\r\n")
        worker.flushResponse(to: client)
    }
}
