internal import Bytes
internal import Events
internal import Rules
internal import Telemetry

/// Where operators look at the process (O-2): a listener on a thread of its own, so that neither a look costs the proxy's
/// loops more than an answer, nor a loop that is held up keeps the health check waiting.
package final class AdminEndpoint: Sendable {
    private enum Message: Sendable {
        case adopt([HostPattern])
        case end
    }

    /// Where it listens.
    package let description: String
    private let mailbox: Mailbox<Message>
    private let thread: SystemThread

    /// Opens to requests at once; `end` stops it.
    init(_ binding: ListenerBinding, _ configuration: AdminConfiguration, _ source: StatusSource) throws(SystemError) {
        let mailbox = try Mailbox<Message>()
        self.mailbox = mailbox
        description = binding.description
        thread = try SystemThread("admin") {
            LaneSignal.blockSignals()
            guard let loop = try? EventLoop() else { return }
            let visitors = AdminVisitors(loop, AdminResources(source: source, hosts: configuration.hosts))
            while let descriptor = binding.take() { visitors.listen(descriptor) }
            let receiver = loop.receive(from: mailbox) { message in
                switch message {
                case .adopt(let hosts): visitors.resources = AdminResources(source: source, hosts: hosts)
                case .end:
                    visitors.close()
                    loop.stop()
                }
            }
            let ticker = Timer(loop, after: .seconds(UInt64(MetricsHistory.interval)), repeats: true) {
                source.addPoint()
            }
            loop.run()
            withExtendedLifetime((receiver, ticker)) {}
            binding.remove()
        }
    }

    /// These names are good from now on.
    func adopt(_ configuration: AdminConfiguration?) {
        mailbox.send(.adopt(configuration?.hosts ?? []))
    }

    /// Closes everything, and waits for it.
    func end() {
        mailbox.send(.end)
        thread.join()
    }
}

/// The admin listener's connections, on its loop.
private final class AdminVisitors: ListenerObserver {
    /// Of more who are connected, the one that came first is left.
    private static let bound = 64

    private let loop: EventLoop
    private var listeners: [Listener] = []
    private var open: [AdminConnection] = []
    var resources: AdminResources

    init(_ loop: EventLoop, _ resources: AdminResources) {
        self.loop = loop
        self.resources = resources
    }

    func listen(_ descriptor: consuming Descriptor) {
        listeners.append(Listener(loop, descriptor, observer: self))
    }

    func accepted(_ descriptor: consuming Descriptor, from peer: SocketAddress?, by listener: Listener) {
        if open.count >= Self.bound { open.first?.close() }
        let connection = AdminConnection(StreamSocket(loop, descriptor)) { [unowned self] head in
            resources.respond(to: head)
        } ended: { [unowned self] connection in
            open.removeAll { $0 === connection }
        }
        open.append(connection)
        connection.start()
    }

    func acceptFailed(_ error: SystemError, by listener: Listener) {}

    func close() {
        for listener in listeners { listener.close() }
        listeners.removeAll()
        for connection in open { connection.close() }
    }
}

extension AdminConfiguration {
    /// The listener as any other is opened.
    var listener: ListenerConfiguration {
        ListenerConfiguration(address: address, name: "admin", clients: nil)
    }
}
