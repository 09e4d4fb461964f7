/// A port that takes no connection and refuses none, as behind a firewall that drops: its queue is full.
package final class BlackHole: Sendable {
    package let port: UInt16
    private let listener: Socket
    private let waiting: [Socket]

    package init() throws {
        port = try FreePort.reserve()
        listener = try Socket.listening(port: port, backlog: 0)
        // The kernel takes one more than the backlog says, and drops what comes then.
        waiting = try (0..<4).map { [port] _ in try Socket.connecting(port: port) }
    }
}
