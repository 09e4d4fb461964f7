package import Bytes
internal import CEvent
internal import Glibc

/// Whom a dialer asks and tells.
package protocol DialerObserver: AnyObject {
    /// Whether this address may be connected to, asked right before it is: what is judged is what is dialled.
    func permits(_ address: IPAddress) -> Bool
    /// The end of it, once, unless that was told at once or it was cancelled.
    func dialled(_ outcome: Dialer.Outcome)
}

/// Makes one connection to a name or an address: asks for the addresses, and races them [RFC 8305].
///
/// It has no time limit but the resolver's: its owner cancels it.
package final class Dialer {
    /// What came of it.
    package enum Outcome {
        /// The socket is the receiver's, which has to give it an observer.
        case connected(StreamSocket, at: IPAddress)
        /// There is none.
        case failed(DialFailure)
    }

    private let loop: EventLoop
    private let port: UInt16
    /// Let go of at the end.
    private var observer: (any DialerObserver)?
    private var race = ConnectionRace()
    private var query: Resolver.Query?
    private var attempts: [PendingConnect] = []
    private var timer: EventRegistration?

    /// A dialer for one connection to `port`; it holds the observer until it ends.
    package init(_ loop: EventLoop, port: UInt16, observer: any DialerObserver) {
        self.loop = loop
        self.port = port
        self.observer = observer
    }

    /// Dials this address; nil where the outcome is told later.
    package func dial(_ address: IPAddress) -> Outcome? {
        race = ConnectionRace(address)
        return proceed()
    }

    /// Dials a name, which has to be resolved within `limit`, or a literal address; nil where the outcome is told later.
    package func dial(_ host: String, by resolver: Resolver, within limit: Nanoseconds) -> Outcome? {
        if let address = IPAddress(host) { return dial(address) }
        switch resolver.resolve(host, within: limit, { [weak self] in self?.resolved($0) }) {
        case .known(let answer): race.offer(answer, at: loop.now)
        case .pending(let query):
            self.query = query
            race.offer(query.answer, at: loop.now)
        }
        return proceed()
    }

    /// Ends it untold; what is under way is closed.
    package func cancel() {
        observer = nil
        query?.cancel()
        query = nil
        timer = nil
        let attempts = attempts
        self.attempts = []
        for attempt in attempts { attempt.socket.close() }
    }

    private func resolved(_ answer: NameAnswer) {
        if answer.isWhole { query = nil }
        race.offer(answer, at: loop.now)
        advance()
    }

    private func proceed() -> Outcome? {
        while let observer {
            switch race.next(at: loop.now) {
            case .connect(let address, let number):
                guard observer.permits(address) else {
                    race.refused(number)
                    continue
                }
                do {
                    let socket = try StreamSocket.connect(to: SocketAddress(address, port: port), loop: loop)
                    guard socket.isConnecting else { return end(.connected(socket, at: address)) }
                    attempts.append(PendingConnect(socket, to: address, number, of: self))
                } catch {
                    race.failed(number, error)
                }
            case .wait(let moment):
                wake(at: moment)
                return nil
            case .fail(let failure):
                return end(.failed(failure))
            }
        }
        return nil
    }

    /// Everything that is still under way has lost.
    private func end(_ outcome: Outcome) -> Outcome {
        cancel()
        return outcome
    }

    private func advance() {
        guard let observer, let outcome = proceed() else { return }
        observer.dialled(outcome)
    }

    fileprivate func connectEnded(_ attempt: PendingConnect) {
        guard let observer else { return }
        attempts.removeAll { $0 === attempt }
        if let error = attempt.socket.connectResult() {
            attempt.socket.close()
            race.failed(attempt.number, error)
            return advance()
        }
        attempt.socket.observer = nil
        observer.dialled(end(.connected(attempt.socket, at: attempt.address)))
    }

    private func wake(at moment: Instant) {
        guard moment != .distantFuture else {
            timer = nil
            return
        }
        if timer == nil {
            timer = unsafe EventRegistration(
                loop,
                descriptor: -1,
                events: 0,
                context: Unmanaged.passUnretained(self).toOpaque(),
                callback: dialerWoken
            )
        }
        // The kernel's coarse clock may be behind: rather once too late than twice.
        timer?.add(after: moment.since(loop.now).advanced(by: 1_000_000))
    }

    fileprivate func woken() { advance() }
}

/// One connect under way.
private final class PendingConnect: ReadinessObserver {
    let socket: StreamSocket
    let address: IPAddress
    let number: Int
    private unowned let dialer: Dialer

    init(_ socket: StreamSocket, to address: IPAddress, _ number: Int, of dialer: Dialer) {
        self.socket = socket
        self.address = address
        self.number = number
        self.dialer = dialer
        socket.observer = self
    }

    func readable() {}

    func writable() { dialer.connectEnded(self) }
}

private func dialerWoken(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<Dialer>.fromOpaque(context).takeUnretainedValue().woken()
}
