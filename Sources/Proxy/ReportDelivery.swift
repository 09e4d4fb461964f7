internal import Bytes
internal import CEvent
internal import Events
internal import Exchange
internal import Glibc
internal import HTTP
internal import Rules
internal import Trust

/// Brings one report to its collector on a connection of its own, and tells once what became of it.
final class ReportDelivery: ReadinessObserver, DeadlineObserver {
    /// Why a report didn't arrive.
    struct Failure: Error {
        let text: String

        static let late = Failure(text: "it didn't answer in time")
    }

    private let report: WaitingReport
    private let means: DirectConnection.Means
    private var told: ((Failure?) -> Void)?
    private var machine = ReportStateMachine()
    private var connection: DirectConnection?
    private var socket: StreamSocket?
    private var outbound = ByteBuffer()
    private lazy var deadline = Deadline(loop, observer: self)

    /// `told` gets nil where the collector took the report.
    init(_ report: WaitingReport, by means: DirectConnection.Means, told: @escaping (Failure?) -> Void) {
        self.report = report
        self.told = told
        self.means = means
        let peer = DirectConnection.Peer(
            origin: report.target.origin,
            security: report.security,
            timeouts: report.timeouts
        )
        // What is held against a collector is told here, and never in a report (T-4).
        connection = DirectConnection(to: peer, by: means) { [weak self] in self?.connected($0) }
    }

    private var loop: EventLoop { means.loop }

    func start() { connection?.start() }

    /// Ends it untold.
    func cancel() {
        told = nil
        finish(nil)
    }

    func deadlinePassed() { finish(.late) }

    private func finish(_ failure: Failure?) {
        deadline.clear()
        connection?.cancel()
        connection = nil
        socket?.close()
        socket = nil
        let told = told
        self.told = nil
        told?(failure)
    }

    private func connected(_ result: Result<StreamSocket, DirectConnection.Failure>) {
        connection = nil
        switch result {
        case .failure(let failure): finish(Failure(text: failure.text))
        case .success(let socket):
            self.socket = socket
            socket.observer = self
            post(socket)
        }
    }

    private func post(_ socket: StreamSocket) {
        deadline.set(to: loop.now.adding(nanoseconds: report.timeouts.responseHead))
        var body = ByteBuffer(capacity: 16 * 1024)
        report.report.append(into: &body, now: report.date)
        ReportStateMachine.append(body.readable, to: report.target, into: &outbound)
        socket.resumeReading()
        flush(socket)
    }

    private func flush(_ socket: StreamSocket) {
        while !outbound.isEmpty {
            switch socket.write(outbound.readable) {
            case .wrote(let count): outbound.consume(count)
            case .wouldBlock: return socket.notifyWhenWritable()
            // What the collector said before is read first.
            case .failed: return outbound.removeAll()
            }
        }
    }

    func readable() {
        guard let socket, told != nil else { return }
        switch socket.read() {
        case .bytes: proceed(machine.received(loop.received))
        case .wouldBlock: return
        case .endOfFile, .failed: proceed(machine.ended())
        }
    }

    func writable() {
        guard let socket, told != nil else { return }
        flush(socket)
    }

    private func proceed(_ step: ReportStateMachine.Step) {
        switch step {
        case .needMore: return
        case .delivered: finish(nil)
        case .failed(let failure): finish(Failure(text: "\(failure)"))
        }
    }
}
