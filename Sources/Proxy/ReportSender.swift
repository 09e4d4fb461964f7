internal import Events
internal import Exchange
internal import HTTP

/// What is on the loop of the lane for reports: one delivery at a time for each collector.
final class ReportSender {
    private let means: DirectConnection.Means
    private let lane: ReportLane
    private let log: ProxyLog
    private var underWay: [ResourceURL: ReportDelivery] = [:]
    /// Collectors whose last report failed: it is told once, until one arrives.
    private var failing: Set<ResourceURL> = []
    private var lastCall: Timer?
    private var isSending = false

    init(lane: ReportLane, means: DirectConnection.Means, log: ProxyLog) {
        self.lane = lane
        self.means = means
        self.log = log
    }

    private var loop: EventLoop { means.loop }

    func received(_ message: ReportLane.Message) {
        if case .end = message {
            lastCall = Timer(loop, after: ReportLane.lastCall) { [unowned self] in giveUp() }
        }
        sendNext()
    }

    private func sendNext() {
        // Reports that fail at once must not pile up calls.
        guard !isSending else { return }
        isSending = true
        defer { isSending = false }
        while true {
            let (report, dropped) = lane.next(except: Set(underWay.keys))
            if dropped > 0 { log.warn("reports dropped, since too many were waiting: \(dropped)") }
            guard let report else { break }
            let target = report.target
            let delivery = ReportDelivery(report, by: means) { [unowned self] in ended(target, $0) }
            underWay[target] = delivery
            delivery.start()
        }
        if lastCall != nil, underWay.isEmpty { loop.stop() }
    }

    private func ended(_ target: ResourceURL, _ failure: ReportDelivery.Failure?) {
        underWay[target] = nil
        if let failure {
            if failing.insert(target).inserted {
                log.warn("a report didn't reach \(target.text): \(failure.text)")
            }
        } else {
            failing.remove(target)
        }
        sendNext()
    }

    private func giveUp() {
        if !underWay.isEmpty { log.warn("reports broken off: \(underWay.count)") }
        for delivery in underWay.values { delivery.cancel() }
        underWay.removeAll()
        loop.stop()
    }
}
