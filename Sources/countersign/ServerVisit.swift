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
final class ServerVisit: ReadinessObserver {
    /// Why there is nothing to see.
    struct Failure: Error {
        let message: String
    }

    private static let resolving = Nanoseconds.seconds(5)
    private static let connecting = Nanoseconds.seconds(5)
    private static let shaking = Nanoseconds.seconds(10)
    /// Of a name with more addresses the others would hardly answer either.
    private static let mostAddresses = 4

    private let loop: EventLoop
    private let origin: Origin
    private let context: TLSContext
    private var addresses: ArraySlice<IPAddress> = []
    private var socket: StreamSocket?
    private var session: TLSSession?
    /// All that ran, since none may be freed while it fires.
    private var timers: [Timer] = []
    private var outcome: Result<ServerSight, Failure>?
    private var lastProblem = "the name has no address"

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
        let resolver = try Resolver(loop, threads: ResolverThreads(atMost: 1))
        switch resolver.resolve(origin.host, within: Self.resolving, { [unowned self] in take($0) }) {
        case .known(let answer): take(answer)
        case .pending: break
        }
        if outcome == nil { loop.run() }
        withExtendedLifetime(resolver) {}
        for timer in timers { timer.cancel() }
        socket?.close()
        return outcome ?? .failure(Failure(message: lastProblem))
    }

    private func take(_ answer: ResolverThreads.Answer) {
        switch answer {
        case .success(let found):
            addresses = found.prefix(Self.mostAddresses)
            connectNext()
        case .failure(let error):
            let words =
                switch error {
                case .notFound: "the name has no address"
                case .failed, .busy: "the name can't be resolved"
                case .timedOut: "the name wasn't resolved within 5 s"
                }
            finish(.failure(Failure(message: words)))
        }
    }

    private func connectNext() {
        socket?.close()
        socket = nil
        while let address = addresses.popFirst() {
            let place = SocketAddress(address, port: origin.port)
            do throws(SystemError) {
                let socket = try StreamSocket.connect(to: place, loop: loop)
                socket.observer = self
                self.socket = socket
                guard socket.isConnecting else { return shake() }
                return limit(Self.connecting, of: socket) { [unowned self] in
                    lastProblem = "\(place) didn't answer within 5 s"
                    connectNext()
                }
            } catch {
                lastProblem = "\(place): \(error.reason)"
            }
        }
        finish(.failure(Failure(message: lastProblem)))
    }

    private func limit(_ time: Nanoseconds, of socket: StreamSocket, _ body: @escaping () -> Void) {
        let wasShaking = session != nil
        timers.append(
            Timer(loop, after: time) { [unowned self, unowned socket] in
                if self.socket === socket, (session != nil) == wasShaking { body() }
            }
        )
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
        limit(Self.shaking, of: socket) { [unowned self] in
            finish(.failure(Failure(message: "there was no handshake within 10 s")))
        }
        proceed()
    }

    func readable() { proceed() }

    func writable() {
        guard let socket else { return }
        guard session == nil else { return proceed() }
        guard let error = socket.connectResult() else { return shake() }
        lastProblem = "\(error.reason)"
        connectNext()
    }

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
