import Bytes
import Glibc
import Support
import Synchronization
import Testing

@testable import Proxy

/// The lane for files, by what it tells of its work.
struct FileLaneTests {
    /// What became of the work, in the order in which it was told.
    private final class Told: Sendable {
        private let all = Mutex<[String]>([])

        var texts: [String] { all.withLock { $0 } }

        func job(_ file: SpoolFile, _ work: FileLane.Work) -> FileLane.Job {
            FileLane.Job(file: file, work: work) { [self] outcome in
                let text =
                    switch outcome {
                    case .written(let count): "written \(count)"
                    case .read(let bytes, let offset): "read \(String(decoding: bytes, as: UTF8.self)) at \(offset)"
                    case .closed: "closed"
                    case .failed: "failed"
                    }
                all.withLock { $0.append(text) }
            }
        }
    }

    @Test("B-1 work is done in its order, what waits at the end too")
    func order() throws {
        let folder = try ScratchFolder("lane")
        let lane = FileLane()
        let told = Told()
        let file = SpoolFile(folder: folder.path)
        lane.submit(told.job(file, .write(Array("hello".utf8), at: 0)))
        lane.submit(told.job(file, .write(Array(" world".utf8), at: 5)))
        lane.submit(told.job(file, .read(at: 4, limit: 3)))
        lane.submit(told.job(file, .read(at: 9, limit: 100)))
        lane.submit(told.job(file, .close))
        lane.stop()
        #expect(told.texts == ["written 5", "written 6", "read o w at 4", "read ld at 9", "closed"])
        #expect(names(in: folder.path) == [])
    }

    @Test("B-4 where there is no folder, no file or nothing to read, the work fails")
    func failures() throws {
        let folder = try ScratchFolder("lane")
        let lane = FileLane()
        let told = Told()
        lane.submit(told.job(SpoolFile(folder: folder("none")), .write([1], at: 0)))
        lane.submit(told.job(SpoolFile(folder: folder.path), .read(at: 0, limit: 1)))
        let file = SpoolFile(folder: folder.path)
        lane.submit(told.job(file, .write([1], at: 0)))
        lane.submit(told.job(file, .read(at: 1, limit: 1)))
        lane.stop()
        #expect(told.texts == ["failed", "failed", "written 1", "failed"])
    }

    @Test("B-4 a disk that takes only a part of a piece is full")
    func partOfAPiece() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder("lane")
            // A limit on the size of files stands for the disk; it fails a write in the same way.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 80, rlim_max: 80)
            #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let file = SpoolFile(folder: folder.path)
            #expect(file.write([UInt8](repeating: 1, count: 80), at: 0))
            #expect(!SpoolFile(folder: folder.path).write([UInt8](repeating: 1, count: 81), at: 0))
        }
    }
}

/// A kept body, with the lane's part played by the test.
struct ReplayBufferTests {
    private func buffer(_ total: ReplayTotal = ReplayTotal(), memory: UInt64 = 4) -> ReplayBuffer {
        var buffer = ReplayBuffer(shared: total, lane: FileLane())
        buffer.begin(limits: ReplayLimits(memory: memory, disk: 1 << 20, folder: "/tmp"), totalLimit: 1 << 20)
        return buffer
    }

    private func append(_ text: String, to buffer: inout ReplayBuffer) -> Bool {
        buffer.append(Array(text.utf8).span)
    }

    private func next(_ buffer: inout ReplayBuffer) throws -> (file: SpoolFile, work: FileLane.Work) {
        guard let next = buffer.nextWork() else { throw TestFailure("there is no work") }
        return next
    }

    private func settle(_ buffer: inout ReplayBuffer, _ outcome: FileLane.Outcome, of file: SpoolFile) -> Bool {
        buffer.settle(outcome, of: file) == .done
    }

    private func read(_ buffer: inout ReplayBuffer, at offset: UInt64) -> (ReplayBuffer.Reading, String) {
        var bytes = ByteBuffer()
        let reading = buffer.read(at: offset, limit: 100, into: &bytes)
        return (reading, String(decoding: (0..<bytes.count).map { bytes.readable[$0] }, as: UTF8.self))
    }

    @Test("B-1 what memory can't hold goes to the file, one piece at a time")
    func pieces() throws {
        var buffer = buffer()
        let isKept = [append("mem", to: &buffer), append("file", to: &buffer)]
        #expect(isKept == [true, true])
        let first = try next(&buffer)
        guard case .write(let bytes, 0) = first.work else { throw TestFailure("\(first.work)") }
        #expect(bytes == Array("file".utf8))
        // The lane is busy, so this waits.
        _ = append("more", to: &buffer)
        let isIdle = buffer.nextWork() == nil
        var isUnsettled = [buffer.isUnsettled]
        var isDone = [settle(&buffer, .written(4), of: first.file)]
        let second = try next(&buffer)
        guard case .write(let rest, 4) = second.work else { throw TestFailure("\(second.work)") }
        #expect(rest == Array("more".utf8))
        isUnsettled.append(buffer.isUnsettled)
        isDone.append(settle(&buffer, .written(4), of: second.file))
        isUnsettled.append(buffer.isUnsettled)
        let isAtRest = buffer.nextWork() == nil
        #expect(isIdle && isAtRest)
        #expect(isUnsettled == [true, true, false])
        let fromMemory = read(&buffer, at: 1)
        #expect(fromMemory == (.bytes, "em"))
        let later = read(&buffer, at: 3)
        #expect(later == (.later, ""))
        let third = try next(&buffer)
        guard case .read(0, _) = third.work else { throw TestFailure("\(third.work)") }
        isDone.append(settle(&buffer, .read(Array("filemore".utf8), at: 0), of: third.file))
        #expect(isDone == [true, true, true])
        let part = read(&buffer, at: 7)
        #expect(part == (.bytes, "more"))
    }

    @Test("B-1 a client waits while much is on its way to the file")
    func full() {
        var buffer = buffer()
        var isFull: [Bool] = []
        for _ in 0..<3 {
            _ = append(String(repeating: "x", count: 100_000), to: &buffer)
            // The first piece is taken by the lane at once.
            if isFull.isEmpty { _ = buffer.nextWork() }
            isFull.append(buffer.isFull)
        }
        #expect(isFull == [false, false, true])
    }

    @Test("B-8 what is dropped is counted no longer, and the lane's late word means nothing")
    func dropped() throws {
        let total = ReplayTotal()
        var buffer = buffer(total)
        _ = append("spooled", to: &buffer)
        #expect(total.count == 7)
        let work = try next(&buffer)
        buffer.drop()
        #expect(total.count == 0)
        let settlement = buffer.settle(.failed, of: work.file)
        #expect(settlement == .stale)
        let isKept = append("more", to: &buffer)
        #expect(!isKept)
        let reading = read(&buffer, at: 4)
        #expect(reading == (.failed, ""))
    }
}
