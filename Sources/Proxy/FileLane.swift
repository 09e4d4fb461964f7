internal import Events

/// The lane for files: does on one thread, in their order, what would hold up a loop on a slow disk.
///
/// The thread begins with the first work.
final class FileLane: Sendable {
    enum Work: Sendable {
        case write([UInt8], at: UInt64)
        case read(at: UInt64, limit: Int)
        case close
    }

    enum Outcome: Sendable {
        case written(Int)
        case read([UInt8], at: UInt64)
        case closed
        case failed
    }

    /// What is to be done with a file, and who is told of it on the lane's thread.
    struct Job: Sendable {
        let file: SpoolFile
        let work: Work
        var done: @Sendable (Outcome) -> Void = { _ in }
    }

    private struct Thread {
        let signal: LaneSignal
        let thread: SystemThread
    }

    private let jobs = Locked<[Job]>([])
    private let running = Locked<Thread?>(nil)

    /// Puts work behind what waits already; it fails at once where there can't be a thread.
    func submit(_ job: Job) {
        guard let signal = try? started() else {
            job.file.close()
            return job.done(.failed)
        }
        jobs.withLock { $0.append(job) }
        signal.raise()
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
            let thread = try SystemThread("files") { [self] in
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
        for job in jobs.withLock({ $0.drained() }) { job.done(Self.perform(job.work, job.file)) }
    }

    private static func perform(_ work: Work, _ file: SpoolFile) -> Outcome {
        switch work {
        case .write(let bytes, let offset):
            return file.write(bytes, at: offset) ? .written(bytes.count) : .failed
        case .read(let offset, let limit):
            let bytes = file.read(at: offset, limit: limit)
            return bytes.isEmpty ? .failed : .read(bytes, at: offset)
        case .close:
            file.close()
            return .closed
        }
    }
}

extension [FileLane.Job] {
    fileprivate mutating func drained() -> Self {
        let all = self
        removeAll()
        return all
    }
}
