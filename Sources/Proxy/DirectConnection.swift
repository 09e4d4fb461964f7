internal import Bytes
internal import CEvent
internal import Events
internal import Exchange
internal import Glibc
internal import HTTP
internal import Rules
internal import TLS
internal import Trust

/// Makes a connection for a request of the proxy's own: address by address, and with TLS under the host's policy (T-7).
final class DirectConnection: ReadinessObserver, DeadlineObserver {
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
    private var query: Resolver.Query?
    private var addresses: ArraySlice<IPAddress> = []
    private var socket: StreamSocket?
    private var handshake: SecureHandshake?
    private var lastError: SystemError?
    private lazy var deadline = Deadline(means.loop, observer: self)

    /// `told` is called once, and owns the socket from then on; where `cancel` comes first, never.
    init(to peer: Peer, by means: Means, told: @escaping (Result<StreamSocket, Failure>) -> Void) {
        self.peer = peer
        self.means = means
        self.told = told
    }

    func start() {
        limit(peer.timeouts.connect)
        let host = peer.origin.host
        switch means.resolver.resolve(host, within: peer.timeouts.dns, { [weak self] in self?.take($0) }) {
        case .known(let answer): take(answer)
        case .pending(let query): self.query = query
        }
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
        query?.cancel()
        query = nil
        handshake?.cancel()
        handshake = nil
        socket = nil
        let told = told
        self.told = nil
        told?(result)
    }

    private func take(_ answer: ResolverThreads.Answer) {
        query = nil
        switch answer {
        case .success(let found):
            addresses = found[...]
            connectNext()
        case .failure: fail(.unreachable, "its name can't be resolved")
        }
    }

    private func connectNext() {
        let port = peer.origin.port
        while let address = addresses.popFirst() {
            if means.ownAddresses.contains(address, port: port) { return fail(.own, "it is this proxy itself") }
            do {
                let socket = try StreamSocket.connect(to: SocketAddress(address, port: port), loop: means.loop)
                self.socket = socket
                socket.observer = self
                if !socket.isConnecting { connected(socket) }
                return
            } catch {
                lastError = error
            }
        }
        fail(.unreachable, lastError?.reason ?? "it has no address")
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

    func readable() {}

    func writable() {
        guard let socket, told != nil, socket.isConnecting else { return }
        if let error = socket.connectResult() {
            lastError = error
            socket.close()
            self.socket = nil
            connectNext()
        } else {
            connected(socket)
        }
    }
}
