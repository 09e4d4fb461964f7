internal import Bytes
internal import Events
internal import HTTP

/// A connection to the demo's origin or parent: one request at a time, kept alive as HTTP/1.1 has it.
final class DemonstrationConnection: ReadinessObserver {
    private let socket: StreamSocket
    private let site: DemonstrationSite
    private let role: DemonstrationSite.Role
    private let ended: (DemonstrationConnection) -> Void
    private var received = ByteBuffer()
    private var unsent = ByteBuffer()
    private var head = RequestHead()
    private var closesAfterSending = false

    init(
        _ socket: StreamSocket,
        site: DemonstrationSite,
        role: DemonstrationSite.Role,
        ended: @escaping (DemonstrationConnection) -> Void
    ) {
        self.socket = socket
        self.site = site
        self.role = role
        self.ended = ended
    }

    func start() {
        socket.observer = self
        socket.resumeReading()
    }

    func readable() {
        switch socket.read() {
        case .bytes:
            let loop = socket.loop
            received.append(loop.received)
            answer()
            send()
        case .wouldBlock: break
        case .endOfFile, .failed: close()
        }
    }

    func writable() { send() }

    func close() {
        guard !socket.isClosed else { return }
        socket.close()
        ended(self)
    }

    /// Answers the requests that are whole.
    private func answer() {
        while !closesAfterSending, !received.isEmpty {
            switch head.parse(received.readable, limits: Limits()) {
            case .needMore: return
            case .failed(let error):
                DemonstrationResponse(status: error.status, text: "This is no request.\n").append(
                    into: &unsent,
                    closes: true
                )
                closesAfterSending = true
            case .head(let count):
                received.consume(count)
                // A body would have to be read before the next request; the demo's pages take none.
                closesAfterSending = head.bodyLength != .none || !head.fields.keepsConnection(head.version)
                let response = site.respond(to: head, as: role)
                response.append(into: &unsent, closes: closesAfterSending, isHeadOnly: head.method == .head)
            }
        }
    }

    private func send() {
        while !unsent.isEmpty {
            switch socket.write(unsent.readable) {
            case .wrote(let count): unsent.consume(count)
            case .wouldBlock:
                socket.notifyWhenWritable()
                return
            case .failed:
                close()
                return
            }
        }
        if closesAfterSending { close() }
    }
}
