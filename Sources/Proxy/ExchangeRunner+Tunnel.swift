internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules

extension ExchangeRunner {
    /// Joins both directions: behind the upstream's 101, or a 200 of our own to CONNECT.
    func beginTunnel(_ form: ResponseForm?) {
        guard checkAuthenticationInfo() else { return refuse(.serverUnproven(receivedStatus: record.status)) }
        if carrying != nil { return tunnelCarried() }
        guard let client, let upstream else { return }
        wayIsAlive()
        tunnel = TunnelStateMachine()
        phase = .tunnel
        if let form {
            worker.responseScratch.removeAll()
            _ = exchange.appendResponse(form, worker, into: &worker.responseScratch)
            flush()
        } else if !hasBegunResponse {
            sendEstablished()
        }
        hasBegunResponse = true
        client.stream.keepAlive()
        upstream.stream.keepAlive()
        client.tunnelBegan()
        upstream.stream.resumeReading()
        armDeadline()
        worker.later { [self] in joinInputs(client, upstream) }
    }

    /// Tells the client that its tunnel is there.
    func sendEstablished() {
        guard let client else { return }
        record.status = 200
        hasBegunResponse = true
        worker.responseScratch.removeAll()
        client.asking.appendSuccess(pseudonym: worker.pseudonym, into: &worker.responseScratch)
        flush()
    }

    /// What came behind the CONNECT, or behind the 101, goes first.
    private func joinInputs(_ client: ClientConnection, _ upstream: UpstreamConnection) {
        guard self.client === client, self.upstream === upstream, phase == .tunnel else { return }
        client.resumeInput()
        if self.upstream === upstream { upstream.resumeReading() }
        if client.isEndOfFileSeen { tunnelEnded(fromClient: true) }
    }

    /// The reader of the client's bytes has room.
    var takesTunnelBytes: Bool { !isUpstreamBlocked }

    /// Passes bytes on as they came.
    func tunnelReceived(_ bytes: Span<UInt8>, fromClient: Bool) {
        guard let client, let upstream else { return }
        deadline?.set(to: worker.loop.now.adding(nanoseconds: tunnelLimit))
        let none = Span<UInt8>()
        if fromClient {
            record.bytesIn += UInt64(bytes.count)
            if !upstream.send(bytes, none) { return endTunnelLater() }
            if upstream.isBlocked { client.stream.pauseReading() } else { considerSplicingOutward(client, upstream) }
        } else {
            record.bytesOut += UInt64(bytes.count)
            client.send(bytes, none)
            if client.isBlocked { upstream.pauseReading() } else { considerSplicingInward(client, upstream) }
        }
    }

    var tunnelLimit: Nanoseconds {
        tunnel.isHalf ? worker.timeouts.tunnelHalf : worker.timeouts.tunnelIdle
    }

    /// One side ended its direction (H-15).
    func tunnelEnded(fromClient: Bool) {
        let isBlocked =
            fromClient ? isUpstreamBlocked || client?.hasUnread == true : isClientBlocked || upstream?.hasUnread == true
        carryOut(tunnel.ended(fromClient: fromClient, isBlocked: isBlocked), fromClient: fromClient)
    }

    func tunnelDrained(fromClient: Bool) {
        let isMore = fromClient ? isUpstreamBlocked : isClientBlocked
        if isMore { return }
        carryOut(tunnel.drained(fromClient: fromClient), fromClient: fromClient)
    }

    private func carryOut(_ action: TunnelStateMachine.Action, fromClient: Bool) {
        switch action {
        case .none:
            break
        case .shutDown:
            if fromClient { upstream?.shutdownWrite() } else { client?.stream.shutdownWrite() }
            armDeadline()
        case .close:
            endTunnel()
        }
    }

    func endTunnelLater() {
        worker.later { [self] in
            if phase == .tunnel { endTunnel() }
        }
    }

    /// The upstream broke the tunnel off: the client must not take what it got for whole.
    func tunnelReset() {
        record.reason = "tunnel.reset"
        cutShort()
    }

    /// Both directions are over, or one of them broke.
    func endTunnel() {
        let client = client
        self.client = nil
        finish(reusesUpstream: false)
        client?.tunnelClosed()
    }
}
