internal import Bytes
internal import Events
internal import Exchange
internal import Rules

// What a client connection is once a CONNECT on it was answered.
extension ClientConnection {
    func tunnelBegan() {
        machine.tunnelBegan()
        deadline?.clear()
    }

    /// The tunnel is over: what is still to be written goes out, then the connection ends.
    func tunnelClosed() {
        runner = nil
        machine.tunnelClosed()
        if !isBlocked { close() } else { setDeadline(.seconds(10)) }
    }

    /// A tunnel is promised; what comes first in it is looked at.
    func lookBegan() {
        machine.lookBegan()
        deadline?.clear()
    }

    /// Something else reads and writes the socket until `serve`.
    func handshakeBegan() {
        machine.handshakeBegan()
        stream.pauseReading()
    }

    /// Requests follow in the tunnel, through `channel` where TLS was opened.
    func serve(_ tunnel: OpenedTunnel, through channel: TLSChannel?) {
        opened = tunnel
        // What follows is HTTP, however the tunnel was asked for.
        addressing = .byTarget
        asking = .connect
        runner = nil
        machine.opened()
        setDeadline(worker.timeouts.requestHead)
        guard let channel else { return }
        stream.observer = self
        stream.cipher = channel
        stream.resumeReading()
    }
}
