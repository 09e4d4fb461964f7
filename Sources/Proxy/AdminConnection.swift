internal import Bytes
internal import Events
internal import HTTP

/// A connection to the admin listener: one request after another, each within a time limit.
final class AdminConnection: ReadinessObserver, DeadlineObserver {
    private static let limits = Limits(head: 16 * 1024, fields: 100, target: 2 * 1024)
    /// For a head to come, or a response to go.
    private static let patience: Nanoseconds = .seconds(10)

    private let socket: StreamSocket
    private let respond: (borrowing RequestHead) -> AdminResponse
    private let ended: (AdminConnection) -> Void
    private var received = ByteBuffer()
    private var unsent = ByteBuffer()
    private var head = RequestHead()
    private var closesAfterSending = false
    private var deadline: Deadline?

    init(
        _ socket: StreamSocket,
        respond: @escaping (borrowing RequestHead) -> AdminResponse,
        ended: @escaping (AdminConnection) -> Void
    ) {
        self.socket = socket
        self.respond = respond
        self.ended = ended
    }

    func start() {
        socket.observer = self
        deadline = Deadline(socket.loop, observer: self)
        renewDeadline()
        socket.resumeReading()
    }

    func deadlinePassed() { close() }

    func readable() {
        switch socket.read() {
        case .bytes:
            let loop = socket.loop
            received.append(loop.received)
            goOn()
        case .wouldBlock: break
        case .endOfFile, .failed: close()
        }
    }

    func writable() { goOn() }

    func close() {
        guard !socket.isClosed else { return }
        deadline?.clear()
        deadline = nil
        socket.close()
        ended(self)
    }

    private func renewDeadline() {
        deadline?.set(to: socket.loop.now.adding(nanoseconds: Self.patience))
    }

    /// Answers one request after another; what goes out waits for no more than one response.
    private func goOn() {
        while !socket.isClosed {
            guard send() else { return }
            if closesAfterSending { return close() }
            guard answer() else { return socket.resumeReading() }
        }
    }

    /// Answers the next request; false where it isn't whole yet.
    private func answer() -> Bool {
        switch head.parse(received.readable, limits: Self.limits) {
        case .needMore: return false
        case .failed(let error):
            closesAfterSending = true
            AdminResponse(error.status, "This is no request.\n").append(into: &unsent, closes: true, isHeadOnly: false)
        case .head(let count):
            received.consume(count)
            // A body would have to be read before the next request; nothing here takes one.
            closesAfterSending = head.bodyLength != .none || !head.fields.keepsConnection(head.version)
            respond(head).append(into: &unsent, closes: closesAfterSending, isHeadOnly: head.method == .head)
            head.removeAll()
        }
        renewDeadline()
        return true
    }

    /// Sends what is there; false where the rest has to wait.
    private func send() -> Bool {
        while !unsent.isEmpty {
            switch socket.write(unsent.readable) {
            case .wrote(let count): unsent.consume(count)
            case .wouldBlock:
                socket.pauseReading()
                socket.notifyWhenWritable()
                return false
            case .failed:
                close()
                return false
            }
        }
        return true
    }
}
