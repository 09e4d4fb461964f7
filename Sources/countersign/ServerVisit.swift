internal import Bytes
internal import Events
internal import HTTP
internal import TLS
internal import Trust

/// What a handshake showed of a server.
struct ServerSight {
    /// What default validation says of it; nil where the handshake ended before.
    let decision: TrustDecision?
    /// The path from the server's own certificate on.
    let path: [CertificateFacts]
    /// Why the handshake went no further, unless that was our refusal.
    let error: TLSError?
}

/// One handshake with a server, directly, and nothing behind it.
final class ServerVisit: ReadinessObserver, DialerObserver {
    /// Why there is nothing to see.
    struct Failure: Error {
        let message: String
    }

    private static let resolving = Nanoseconds.seconds(5)
    private static let connecting = Nanoseconds.seconds(10)
    private static let shaking = Nanoseconds.seconds(10)

    private let loop: EventLoop
    private let origin: Origin
    private let context: TLSContext
    private var socket: StreamSocket?
    private var session: TLSSession?
    /// All that ran, since none may be freed while it fires.
    private var timers: [Timer] = []
    private var outcome: Result<ServerSight, Failure>?

    private init(_ origin: Origin) throws {
        self.origin = origin
        loop = try EventLoop()
        context = try TLSContext(policy: .standard, systemAnchors: SystemAnchors())
    }

    /// Connects to the server and has a handshake, which refuses it unless default validation accepts it.
    static func visit(_ origin: Origin) throws(Failure) -> ServerSight {
        let outcome: Result<ServerSight, Failure>
        do {
            let visit = try ServerVisit(origin)
            outcome = try visit.run()
        } catch {
            throw Failure(message: "\(error)")
        }
        return try outcome.get()
    }

    private func run() throws -> Result<ServerSight, Failure> {
        let resolver = try Resolver(loop, NameService(.nameServers([])))
        let dialer = Dialer(loop, port: origin.port, observer: self)
        limit(Self.connecting) { [unowned self] in
            if socket == nil {
                finish(.failure(Failure(message: "\(origin.authorityWithPort) didn't answer within 10 s")))
            }
        }
        if let found = dialer.dial(origin.host, by: resolver, within: Self.resolving) { dialled(found) }
        if outcome == nil { loop.run() }
        withExtendedLifetime(resolver) {}
        dialer.cancel()
        for timer in timers { timer.cancel() }
        socket?.close()
        return outcome ?? .failure(Failure(message: "the name has no address"))
    }

    func permits(_ address: IPAddress) -> Bool { true }

    func dialled(_ outcome: Dialer.Outcome) {
        switch outcome {
        case .connected(let socket, _):
            self.socket = socket
            socket.observer = self
            shake()
        case .failed(.notResolved(let error)):
            let words =
                switch error {
                case .notFound: "the name has no address"
                case .failed, .busy: "the name can't be resolved"
                case .timedOut: "the name wasn't resolved within 5 s"
                }
            finish(.failure(Failure(message: words)))
        case .failed(.failed(let error, let address)):
            let place = SocketAddress(address, port: origin.port)
            finish(.failure(Failure(message: "\(place): \(error.reason)")))
        case .failed(.refused):
            finish(.failure(Failure(message: "it may not be reached")))
        }
    }

    private func limit(_ time: Nanoseconds, _ body: @escaping () -> Void) {
        timers.append(Timer(loop, after: time, body))
    }

    private func shake() {
        guard let socket else { return }
        do throws(TLSError) {
            session = try TLSSession(
                context,
                to: ReferenceIdentity(host: origin.host),
                over: .descriptor(socket.descriptorNumber),
                now: loop.unixSeconds
            )
        } catch {
            return finish(.failure(Failure(message: "\(error)")))
        }
        limit(Self.shaking) { [unowned self] in
            finish(.failure(Failure(message: "there was no handshake within 10 s")))
        }
        proceed()
    }

    func readable() { proceed() }

    func writable() { proceed() }

    private func proceed() {
        guard let session, let socket, outcome == nil else { return }
        switch session.handshake() {
        case .wantsRead: socket.resumeReading()
        case .wantsWrite: socket.notifyWhenWritable()
        case .complete: finish(.success(ServerSight(decision: session.decision, path: session.peerPath, error: nil)))
        case .failed(let error):
            guard !session.peerPath.isEmpty else {
                return finish(.failure(Failure(message: "\(error.reasonCode): \(error)")))
            }
            let isRefusal = error.kind == .untrusted
            finish(
                .success(
                    ServerSight(decision: session.decision, path: session.peerPath, error: isRefusal ? nil : error)
                )
            )
        }
    }

    private func finish(_ result: Result<ServerSight, Failure>) {
        outcome = outcome ?? result
        loop.stop()
    }
}
