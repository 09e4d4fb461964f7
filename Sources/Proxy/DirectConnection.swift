internal import Bytes
internal import CEvent
internal import Events
internal import Exchange
internal import Glibc
internal import HTTP
internal import Rules
internal import TLS
internal import Trust

/// Makes a connection for a request of the proxy's own, with TLS under the host's policy (T-7).
final class DirectConnection: DialerObserver, DeadlineObserver {
    /// Why there is no connection.
    struct Failure: Error {
        enum Kind {
            case late, unreachable
            /// It is this proxy itself.
            case own
            /// The host's trust policy refused it.
            case untrusted
            /// What the rule file says of TLS to it can't be put into practice.
            case unusable
        }

        let kind: Kind
        let text: String
    }

    /// Whom to connect to.
    struct Peer: Sendable {
        let origin: Origin
        /// TLS to it; nil where its URL is http.
        let security: HopSecurity?
        let timeouts: TimeoutsConfiguration
    }

    /// What connecting needs of the loop and the process.
    struct Means {
        let loop: EventLoop
        let resolver: Resolver
        let contexts: TLSContexts
        let ownAddresses: OwnAddresses
    }

    private let peer: Peer
    private let means: Means
    private var told: ((Result<StreamSocket, Failure>) -> Void)?
    private var dialer: Dialer?
    private var socket: StreamSocket?
    private var handshake: SecureHandshake?
    private lazy var deadline = Deadline(means.loop, observer: self)

    /// `told` is called once, and owns the socket from then on; where `cancel` comes first, never.
    init(to peer: Peer, by means: Means, told: @escaping (Result<StreamSocket, Failure>) -> Void) {
        self.peer = peer
        self.means = means
        self.told = told
    }

    func start() {
        limit(peer.timeouts.connect)
        let dialer = Dialer(means.loop, port: peer.origin.port, observer: self)
        self.dialer = dialer
        let outcome = dialer.dial(peer.origin.host, by: means.resolver, within: peer.timeouts.dns)
        if let outcome { dialled(outcome) }
    }

    /// Ends it untold.
    func cancel() {
        told = nil
        fail(.late, "")
    }

    func deadlinePassed() { fail(.late, "it didn't answer in time") }

    private func limit(_ time: Nanoseconds) { deadline.set(to: means.loop.now.adding(nanoseconds: time)) }

    private func fail(_ kind: Failure.Kind, _ text: String) {
        let unused = socket
        end(.failure(Failure(kind: kind, text: text)))
        unused?.close()
    }

    private func end(_ result: Result<StreamSocket, Failure>) {
        deadline.clear()
        dialer?.cancel()
        dialer = nil
        handshake?.cancel()
        handshake = nil
        socket = nil
        let told = told
        self.told = nil
        told?(result)
    }

    func permits(_ address: IPAddress) -> Bool {
        !means.ownAddresses.contains(address, port: peer.origin.port)
    }

    func dialled(_ outcome: Dialer.Outcome) {
        dialer = nil
        switch outcome {
        case .connected(let socket, _):
            self.socket = socket
            connected(socket)
        case .failed(.notResolved): fail(.unreachable, "its name can't be resolved")
        case .failed(.refused): fail(.own, "it is this proxy itself")
        case .failed(.failed(let error, _)): fail(.unreachable, error.reason)
        }
    }

    private func connected(_ socket: StreamSocket) {
        guard let security = peer.security else { return end(.success(socket)) }
        limit(peer.timeouts.handshake)
        do {
            let session = try TLSSession(
                means.contexts.context(security),
                to: security.identity,
                over: .descriptor(socket.descriptorNumber),
                now: means.loop.unixSeconds
            )
            let handshake = SecureHandshake(session, on: socket) { [weak self] in self?.secured($0) }
            self.handshake = handshake
            secured(handshake.start())
        } catch {
            fail(.unusable, "\(error)")
        }
    }

    private func secured(_ outcome: SecureHandshake.Outcome) {
        switch outcome {
        case .waiting: return
        case .complete(let channel):
            handshake = nil
            guard let socket else { return }
            socket.cipher = channel
            end(.success(socket))
        case .failed(let error, let session):
            guard let refusal = session.decision?.failure else { return fail(.unreachable, "\(error)") }
            fail(.untrusted, "\(refusal.reasonCode): \(refusal.message)")
        }
    }
}
