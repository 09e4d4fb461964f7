internal import Events

/// The listeners of both servers and the connections to them, on one loop.
final class DemonstrationConnections: ListenerObserver {
    private let loop: EventLoop
    private let site: DemonstrationSite
    private var listeners: [(listener: Listener, role: DemonstrationSite.Role)] = []
    private var open: [ObjectIdentifier: DemonstrationConnection] = [:]

    init(_ loop: EventLoop, site: DemonstrationSite) {
        self.loop = loop
        self.site = site
    }

    func listen(_ descriptor: consuming Descriptor, as role: DemonstrationSite.Role) {
        listeners.append((Listener(loop, descriptor, observer: self), role))
    }

    func accepted(_ descriptor: consuming Descriptor, from peer: SocketAddress?, by listener: Listener) {
        let role = listeners.first { $0.listener === listener }?.role ?? .origin
        let connection = DemonstrationConnection(StreamSocket(loop, descriptor), site: site, role: role) {
            [weak self] in
            self?.open[ObjectIdentifier($0)] = nil
        }
        open[ObjectIdentifier(connection)] = connection
        connection.start()
    }

    func acceptFailed(_ error: SystemError, by listener: Listener) {}

    /// Closes everything.
    func close() {
        for entry in listeners { entry.listener.close() }
        listeners.removeAll()
        for connection in Array(open.values) { connection.close() }
    }
}
