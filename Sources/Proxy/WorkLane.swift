internal import Events

/// Does on one thread, in its order, what would hold up a loop; the thread begins with the first work.
final class WorkLane: Sendable {
    typealias Job = @Sendable () -> Void

    private struct Thread {
        let signal: LaneSignal
        let thread: SystemThread
    }

    private let name: String
    private let jobs = Locked<[Job]>([])
    private let running = Locked<Thread?>(nil)

    /// A lane whose thread shows in ps and top by `name`.
    init(_ name: String) { self.name = name }

    /// Puts work behind what waits already; false where there can't be a thread.
    func submit(_ job: @escaping Job) -> Bool {
        guard let signal = try? started() else { return false }
        jobs.withLock { $0.append(job) }
        signal.raise()
        return true
    }

    /// Does what waits, and ends the thread.
    func stop() {
        guard let ending = running.withLock({ $0.take() }) else { return }
        ending.signal.stop()
        ending.thread.join()
    }

    private func started() throws(SystemError) -> LaneSignal {
        try running.withLock { running throws(SystemError) in
            if let running { return running.signal }
            let signal = try LaneSignal()
            let thread = try SystemThread(name) { [self] in
                LaneSignal.blockSignals()
                run(signal)
            }
            running = Thread(signal: signal, thread: thread)
            return signal
        }
    }

    private func run(_ signal: LaneSignal) {
        while !signal.isStopping {
            signal.wait(milliseconds: -1)
            work()
        }
        // What came after the last look.
        work()
    }

    private func work() {
        for job in jobs.withLock({ $0.drained() }) { job() }
    }
}

extension [WorkLane.Job] {
    fileprivate mutating func drained() -> Self {
        let all = self
        removeAll()
        return all
    }
}
