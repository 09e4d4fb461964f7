/// The lane for files: does on one thread, in their order, what would hold up a loop on a slow disk.
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

    private let lane = WorkLane("files")

    /// Puts work behind what waits already; it fails at once where there can't be a thread.
    func submit(_ job: Job) {
        if lane.submit({ job.done(Self.perform(job.work, job.file)) }) { return }
        job.file.close()
        job.done(.failed)
    }

    /// Does what waits, and ends the thread.
    func stop() { lane.stop() }

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
