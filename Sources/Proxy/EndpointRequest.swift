internal import Bytes
internal import CEvent
internal import Crypto
internal import Events
internal import Exchange
internal import Glibc
internal import HTTP

/// Sends one request of the proxy's own on a connection of its own, and tells once what came back.
final class EndpointRequest: ReadinessObserver, DeadlineObserver {
    /// What is sent, and how long the response may be on its way.
    struct Message {
        let method: HTTPMethod
        /// Head and body.
        let bytes: Secret
        let timeout: Nanoseconds
        let longestBody: Int
    }

    /// Why there is no response.
    enum Failure: Error {
        case notConnected(DirectConnection.Failure)
        case noResponse(WholeResponse.Failure)
        case late

        var text: String {
            switch self {
            case .notConnected(let failure): failure.text
            case .noResponse(let failure): "\(failure)"
            case .late: "it didn't answer in time"
            }
        }
    }

    /// Lends the response, which is gone afterwards.
    typealias Told = (Failure?, borrowing WholeResponse) -> Void

    private let message: Message
    private let loop: EventLoop
    private var told: Told?
    private var connection: DirectConnection?
    private var socket: StreamSocket?
    private var outbound = ByteBuffer()
    private var response: WholeResponse
    private lazy var deadline = Deadline(loop, observer: self)

    /// `told` is called once; where `cancel` comes first, never.
    init(_ message: Message, to peer: DirectConnection.Peer, by means: DirectConnection.Means, told: @escaping Told) {
        self.message = message
        self.told = told
        loop = means.loop
        response = WholeResponse(to: message.method, longestBody: message.longestBody)
        connection = DirectConnection(to: peer, by: means) { [weak self] in self?.connected($0) }
    }

    func start() { connection?.start() }

    /// Ends it untold.
    func cancel() {
        told = nil
        finish(.late)
    }

    func deadlinePassed() { finish(.late) }

    private func finish(_ failure: Failure?) {
        deadline.clear()
        connection?.cancel()
        connection = nil
        socket?.close()
        socket = nil
        guard let told else { return }
        self.told = nil
        told(failure, response)
        response.wipe()
    }

    private func connected(_ result: Result<StreamSocket, DirectConnection.Failure>) {
        connection = nil
        switch result {
        case .failure(let failure): finish(.notConnected(failure))
        case .success(let socket):
            self.socket = socket
            socket.observer = self
            deadline.set(to: loop.now.adding(nanoseconds: message.timeout))
            message.bytes.append(to: &outbound)
            socket.resumeReading()
            flush(socket)
        }
    }

    private func flush(_ socket: StreamSocket) {
        while !outbound.isEmpty {
            switch socket.write(outbound.readable) {
            case .wrote(let count): outbound.consume(count)
            case .wouldBlock: return socket.notifyWhenWritable()
            // What the server said before is read first.
            case .failed: return outbound.removeAll()
            }
        }
    }

    func readable() {
        guard let socket, told != nil else { return }
        let loop = loop
        switch socket.read() {
        case .bytes: proceed(response.received(loop.received))
        case .wouldBlock: return
        case .endOfFile: proceed(response.ended())
        case .failed: proceed(.failed(.closed))
        }
    }

    func writable() {
        guard let socket, told != nil else { return }
        flush(socket)
    }

    private func proceed(_ step: WholeResponse.Step) {
        switch step {
        case .needMore: return
        case .complete: finish(nil)
        case .failed(let failure): finish(.noResponse(failure))
        }
    }
}
