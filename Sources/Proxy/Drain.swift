internal import Bytes
internal import Events

/// The end of a running proxy: whoever came in time is served (O-1, R-8).
struct Drain {
    private static let step: Nanoseconds = .milliseconds(20)

    let peers: WorkerMailboxes

    /// Returns when every loop may end.
    ///
    /// Listening goes on until nothing is under way or `limit` has passed. Who stands in the queues by then is let in
    /// and served; what is still there after `hardLimit` more is not waited for.
    func run(within limit: Nanoseconds, then hardLimit: Nanoseconds) {
        peers.forEach { $0.drain() }
        waitForQuiet(limit)
        peers.forEach { $0.stopListening() }
        waitForQuiet(hardLimit)
    }

    private func waitForQuiet(_ limit: Nanoseconds) {
        let end = ContinuousClock.now + .nanoseconds(Int64(clamping: limit))
        while ContinuousClock.now < end {
            let answers = Locked(0)
            peers.forEach { worker in
                if worker.isQuiet { answers.withLock { $0 += 1 } }
            }
            SystemThread.sleep(Self.step)
            if answers.withLock({ $0 }) == peers.count { return }
        }
    }
}
