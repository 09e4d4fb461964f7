internal import Bytes
internal import CEvent
internal import Events
internal import Exchange
internal import Glibc
internal import HTTP
internal import Rules
internal import TLS
internal import Trust

/// Brings one report to its collector on a connection of its own, and tells once what became of it.
final class ReportDelivery: ReadinessObserver, DeadlineObserver {
    /// Why a report didn't arrive.
    struct Failure: Error {
        let text: String

        static let late = Failure(text: "it didn't answer in time")
        static let own = Failure(text: "it is this proxy itself")
    }

    private let report: WaitingReport
    private let sender: ReportSender
    private var told: ((Failure?) -> Void)?
    private var machine = ReportStateMachine()
    private var query: Resolver.Query?
    private var addresses: ArraySlice<IPAddress> = []
    private var socket: StreamSocket?
    private var handshake: SecureHandshake?
    private var outbound = ByteBuffer()
    private var lastError: SystemError?
    private lazy var deadline = Deadline(loop, observer: self)

    /// `told` gets nil where the collector took the report.
    init(_ report: WaitingReport, by sender: ReportSender, told: @escaping (Failure?) -> Void) {
        self.report = report
        self.sender = sender
        self.told = told
    }

    private var loop: EventLoop { sender.loop }

    func start() {
        let origin = report.target.origin
        limit(report.timeouts.connect)
        switch sender.resolver.resolve(origin.host, within: report.timeouts.dns, { [weak self] in self?.take($0) }) {
        case .known(let answer): take(answer)
        case .pending(let query): self.query = query
        }
    }

    /// Ends it untold.
    func cancel() {
        told = nil
        finish(nil)
    }

    func deadlinePassed() { finish(.late) }

    private func limit(_ time: Nanoseconds) { deadline.set(to: loop.now.adding(nanoseconds: time)) }

    private func finish(_ failure: Failure?) {
        deadline.clear()
        query?.cancel()
        query = nil
        handshake?.cancel()
        handshake = nil
        socket?.close()
        socket = nil
        let told = told
        self.told = nil
        told?(failure)
    }
}

// MARK: connecting

extension ReportDelivery {
    private func take(_ answer: ResolverThreads.Answer) {
        query = nil
        switch answer {
        case .success(let found):
            addresses = found[...]
            connectNext()
        case .failure: finish(Failure(text: "its name can't be resolved"))
        }
    }

    private func connectNext() {
        let port = report.target.origin.port
        while let address = addresses.popFirst() {
            if sender.ownAddresses.contains(address, port: port) { return finish(.own) }
            do {
                let socket = try StreamSocket.connect(to: SocketAddress(address, port: port), loop: loop)
                self.socket = socket
                socket.observer = self
                if !socket.isConnecting { connected(socket) }
                return
            } catch {
                lastError = error
            }
        }
        finish(Failure(text: lastError?.reason ?? "it has no address"))
    }

    private func connected(_ socket: StreamSocket) {
        guard let security = report.security else { return post(socket) }
        limit(report.timeouts.handshake)
        do {
            let session = try TLSSession(
                sender.contexts.context(security),
                to: security.identity,
                over: .descriptor(socket.descriptorNumber),
                now: loop.unixSeconds
            )
            let handshake = SecureHandshake(session, on: socket) { [weak self] in self?.secured($0) }
            self.handshake = handshake
            secured(handshake.start())
        } catch {
            finish(Failure(text: "\(error)"))
        }
    }

    private func secured(_ outcome: SecureHandshake.Outcome) {
        switch outcome {
        case .waiting: return
        case .complete(let channel):
            handshake = nil
            guard let socket else { return }
            socket.cipher = channel
            socket.observer = self
            post(socket)
        case .failed(let error, let session):
            // What is held against a collector is told here, and never in a report (T-4).
            finish(Failure(text: session.decision?.failure.map { "\($0.reasonCode): \($0.message)" } ?? "\(error)"))
        }
    }
}

// MARK: the exchange

extension ReportDelivery {
    private func post(_ socket: StreamSocket) {
        limit(report.timeouts.responseHead)
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
        guard socket.isConnecting else { return flush(socket) }
        if let error = socket.connectResult() {
            lastError = error
            socket.close()
            self.socket = nil
            connectNext()
        } else {
            connected(socket)
        }
    }

    private func proceed(_ step: ReportStateMachine.Step) {
        switch step {
        case .needMore: return
        case .delivered: finish(nil)
        case .failed(let failure): finish(Failure(text: "\(failure)"))
        }
    }
}
