internal import Bytes
internal import Events
internal import Exchange
internal import TLS

/// Does one TLS handshake on a socket, which it watches meanwhile in its connection's place.
final class SecureHandshake: ReadinessObserver {
    enum Outcome {
        case waiting
        case complete(TLSChannel)
        case failed(TLSError, TLSSession)
    }

    private let session: TLSSession
    private let socket: StreamSocket
    /// What carries the session's records inside another one.
    private let transport: NestedTransport?
    private var told: ((Outcome) -> Void)?

    /// `told` is called once, unless `start` gives the outcome at once or `cancel` comes first.
    init(
        _ session: TLSSession,
        on socket: StreamSocket,
        over transport: NestedTransport? = nil,
        told: @escaping (Outcome) -> Void
    ) {
        self.transport = transport
        self.session = session
        self.socket = socket
        self.told = told
    }

    func start() -> Outcome {
        socket.observer = self
        return proceed()
    }

    /// Nobody waits for it any more.
    func cancel() { told = nil }

    func readable() { goOn() }
    func writable() { goOn() }

    private func goOn() {
        let outcome = proceed()
        if case .waiting = outcome { return }
        let told = told
        self.told = nil
        told?(outcome)
    }

    private func proceed() -> Outcome {
        // Inside another session, what comes could follow each other for ever.
        for _ in 0..<Self.mostSteps {
            let result = session.handshake()
            if let transport, !transport.carryOut() { transport.breakOff() }
            switch result {
            case .complete:
                return .complete(TLSChannel(session))
            case .failed(let error):
                return .failed(error, session)
            case .wantsRead:
                guard let transport, transport.carryIn() != .nothing else { return wait() }
            case .wantsWrite:
                socket.notifyWhenWritable()
                return .waiting
            }
        }
        return wait()
    }

    private static let mostSteps = 16

    private func wait() -> Outcome {
        socket.resumeReading()
        if transport?.hasUnsent == true { socket.notifyWhenWritable() }
        return .waiting
    }
}
