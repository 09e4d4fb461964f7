internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules
internal import Trust

/// A report on its way, with all that its delivery needs.
struct WaitingReport: Sendable {
    let report: PinReport
    let target: ResourceURL
    /// TLS to the collector; nil where its URL is http.
    let security: HopSecurity?
    let timeouts: TimeoutsConfiguration
    /// When the validation failed, in seconds of Unix time.
    let date: Int64
}

/// The lane for reports (T-4): a bounded queue, and a thread with a loop of its own that empties it.
///
/// The thread begins with the first report.
final class ReportLane: Sendable {
    /// Reports that may wait; those beyond are dropped and counted.
    static let capacity = 64
    /// What reports under way get at the proxy's end.
    static let lastCall: Nanoseconds = .seconds(2)

    enum Message: Sendable { case look, end }

    private struct State {
        var limit = PinReportLimit()
        var waiting: [WaitingReport] = []
        var dropped = 0
        var running: LaneLoop<Message>?
        var hasEnded = false
    }

    private let state = Locked(State())
    private let connecting: ConnectingMeans
    private let log: ProxyLog

    init(connecting: ConnectingMeans, log: ProxyLog) {
        self.connecting = connecting
        self.log = log
    }

    /// Whether this report, or one that only differs in its time, was not made before; it isn't sent anywhere.
    func isNew(_ report: PinReport, now: Int64) -> Bool {
        state.withLock { $0.limit.admits(report, now: now) }
    }

    /// Puts a report into the queue unless the same was made before, and says whether it was not.
    ///
    /// What is dropped for want of room isn't remembered, so that it has another chance.
    func take(_ report: WaitingReport) -> Bool {
        let (isTaken, mailbox) = state.withLock { state -> (Bool, Mailbox<Message>?) in
            guard !state.hasEnded, state.waiting.count < Self.capacity else {
                state.dropped += 1
                return (false, nil)
            }
            guard state.limit.admits(report.report, now: report.date) else { return (false, nil) }
            state.waiting.append(report)
            return (true, started(&state))
        }
        mailbox?.send(.look)
        return isTaken
    }

    private func started(_ state: inout State) -> Mailbox<Message>? {
        // Where it can't be started, the next report tries again.
        if state.running == nil {
            state.running = try? LaneLoop("reports", connectingBy: connecting) { [self] error in
                log.warn("reports can't be sent: \(error.description)")
                self.state.withLock { $0.running = nil }
            } serve: { [self] means, _ in
                let sender = ReportSender(lane: self, means: means, log: log)
                return { sender.received($0) }
            }
        }
        return state.running?.mailbox
    }

    /// The first report whose collector isn't in `busy`, and how many were dropped since the last call.
    func next(except busy: Set<ResourceURL>) -> (report: WaitingReport?, dropped: Int) {
        state.withLock { state in
            let dropped = state.dropped
            state.dropped = 0
            guard let place = state.waiting.firstIndex(where: { !busy.contains($0.target) }) else {
                return (nil, dropped)
            }
            return (state.waiting.remove(at: place), dropped)
        }
    }

    /// Ends the thread, after `lastCall` at the latest; what is left by then is dropped and told.
    func stop() {
        let running = state.withLock { state in
            state.hasEnded = true
            return state.running.take()
        }
        running?.end(by: .end)
        let left = state.withLock { $0.waiting.count + $0.dropped }
        if left > 0 { log.warn("reports not sent: \(left)") }
    }
}
