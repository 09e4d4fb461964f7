internal import Bytes
internal import Events
internal import Exchange
internal import Rules

/// Large flows go from socket to socket inside the kernel; a small one would not earn its pipe.
extension ExchangeRunner {
    private static var large: UInt64 { 512 * 1024 }

    /// The kernel moves what it has, which under TLS is not what the other side is to get.
    private static func areClear(_ client: ClientConnection, _ upstream: UpstreamConnection) -> Bool {
        client.stream.cipher == nil && upstream.stream.cipher == nil
    }

    /// A response's content came that filled a read: what is left of it may be worth a pipe.
    func considerSplicing(read count: Int) {
        guard !splicesInward, !relaysChunks, count >= 16 * 1024, let client, let upstream else { return }
        guard Self.areClear(client, upstream) else { return }
        guard exchange.responseBody.isFixed, exchange.responseBody.remaining >= Self.large else { return }
        flush()
        splicesInward = !client.isBlocked && !upstream.hasUnread && client.beginSplicing()
    }

    func considerSplicingInward(_ client: ClientConnection, _ upstream: UpstreamConnection) {
        guard !splicesInward, record.bytesOut >= Self.large, !upstream.hasUnread, Self.areClear(client, upstream) else {
            return
        }
        splicesInward = client.beginSplicing()
    }

    func considerSplicingOutward(_ client: ClientConnection, _ upstream: UpstreamConnection) {
        guard !splicesOutward, record.bytesIn >= Self.large, !client.hasUnread, Self.areClear(client, upstream) else {
            return
        }
        splicesOutward = upstream.beginSplicing()
    }

    /// Bytes of the upstream's can be moved on to the client.
    func spliceInward(_ upstream: UpstreamConnection) {
        guard let client else { return }
        guard !client.isBlocked else { return upstream.pauseReading() }
        let isFixed = phase == .relaying
        let move = client.splice(from: upstream.stream, limit: isFixed ? exchange.responseBody.remaining : .max)
        if move.taken > 0 {
            record.bytesOut += UInt64(move.taken)
            if isFixed { exchange.responseBody.skipped(move.taken) }
            putOff(isFixed ? worker.timeouts.responseBody : tunnelLimit)
        }
        switch move.end {
        case .dry, .more: break
        case .full: upstream.pauseReading()
        case .whole: endRelay()
        case .endOfFile: upstream.endOfFile()
        case .sourceBroken: upstreamEnded(upstream, isReset: true)
        case .sinkBroken: client.endLater()
        }
    }

    /// Bytes of the client's can be moved on through the tunnel.
    func spliceOutward(_ client: ClientConnection) {
        guard let upstream else { return }
        guard !upstream.isBlocked else { return client.stream.pauseReading() }
        let move = upstream.splice(from: client.stream, limit: .max)
        if move.taken > 0 {
            record.bytesIn += UInt64(move.taken)
            putOff(tunnelLimit)
        }
        switch move.end {
        case .dry, .more, .whole: break
        case .full: client.stream.pauseReading()
        case .endOfFile: client.endOfFile()
        case .sourceBroken: client.endLater()
        case .sinkBroken: endTunnelLater()
        }
    }

    private func putOff(_ length: Nanoseconds) {
        deadline?.set(to: worker.loop.now.adding(nanoseconds: length))
    }
}
