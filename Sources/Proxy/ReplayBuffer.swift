internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Synchronization

/// How much of a request's body is kept for a further leg (B-1).
struct ReplayLimits: Equatable {
    let memory: UInt64
    let disk: UInt64
    let folder: String

    static let none = ReplayLimits(memory: 0, disk: 0, folder: "")
}

/// What all exchanges of the process keep on disk together (B-8).
final class ReplayTotal: Sendable {
    private let bytes = Atomic<UInt64>(0)

    var count: UInt64 { bytes.load(ordering: .relaxed) }

    /// Takes `count` bytes of the total; false where they would go over `limit`.
    func take(_ count: UInt64, limit: UInt64) -> Bool {
        let (_, total) = bytes.wrappingAdd(count, ordering: .relaxed)
        if total <= limit { return true }
        give(count)
        return false
    }

    func give(_ count: UInt64) {
        bytes.wrappingSubtract(count, ordering: .relaxed)
    }
}

/// The part of a request's body that was sent, in memory and beyond that in an unlinked file.
///
/// The lane for files has at most one piece of work of it at a time. What came meanwhile waits in memory, and where that
/// is much, `isFull` holds up the client.
struct ReplayBuffer: ~Copyable {
    enum Reading { case bytes, later, failed }
    enum Settlement { case stale, done, failed }

    /// What is read from the file at a time, and about what waits to be written to it at the most.
    private static let pieceSize = 128 << 10

    private var memory = ByteBuffer()
    private var file: SpoolFile?
    private var limits = ReplayLimits.none
    private var totalLimit: UInt64 = 0
    private let total: ReplayTotal
    private let lane: FileLane
    private var taken: UInt64 = 0
    private var isKeeping = false
    /// What goes to the file next.
    private var tail: [UInt8] = []
    /// Bytes of the body that are in the file.
    private var written: UInt64 = 0
    /// A part of the file that was read, and where in the body it begins.
    private var piece: [UInt8] = []
    private var pieceStart: UInt64 = 0
    /// Where in the body a reader waits for the file.
    private var wanted: UInt64?
    private var isLaneBusy = false
    /// Bytes kept.
    private(set) var count: UInt64 = 0
    /// Bytes of the body that came, kept or not: where they are kept, a further leg begins with them.
    var received: UInt64 = 0

    init(shared total: ReplayTotal, lane: FileLane) {
        self.total = total
        self.lane = lane
    }

    /// Begins to keep a body within these limits.
    mutating func begin(limits: ReplayLimits, totalLimit: UInt64) {
        self.limits = limits
        self.totalLimit = totalLimit
        isKeeping = limits.memory > 0 || limits.disk > 0
    }

    /// Whether a body of that length may be kept; of an unknown one only trying tells.
    func mayHold(_ length: BodyLength) -> Bool {
        guard case .fixed(let count) = length else { return true }
        return count <= max(limits.memory, limits.disk)
    }

    /// Something is on its way to the file that may still fail.
    var isUnsettled: Bool { file != nil && count > UInt64(memory.count) + written }

    /// So much is on its way to the file that the client has to wait.
    var isFull: Bool { tail.count >= Self.pieceSize }

    /// Keeps `content`; false once the body is too large to be kept, when all of it is dropped.
    mutating func append(_ content: Span<UInt8>) -> Bool {
        guard isKeeping else { return false }
        if file == nil && UInt64(memory.count + content.count) <= limits.memory {
            memory.append(content)
            count += UInt64(content.count)
            return true
        }
        guard spool(content) else {
            drop()
            return false
        }
        count += UInt64(content.count)
        return true
    }

    private mutating func spool(_ content: Span<UInt8>) -> Bool {
        let size = UInt64(content.count)
        guard count - UInt64(memory.count) + size <= limits.disk, total.take(size, limit: totalLimit) else {
            return false
        }
        taken += size
        if file == nil { file = SpoolFile(folder: limits.folder) }
        unsafe content.withUnsafeBufferPointer { unsafe tail.append(contentsOf: $0) }
        return true
    }

    /// Appends what is kept from `offset` on, at most `limit` bytes.
    ///
    /// What the file has comes later: once `nextWork` was done.
    mutating func read(at offset: UInt64, limit: Int, into buffer: inout ByteBuffer) -> Reading {
        if offset < UInt64(memory.count) {
            let start = Int(offset)
            let end = min(memory.count, start + limit)
            buffer.append(memory.readable.extracting(start..<end))
            return .bytes
        }
        if offset >= pieceStart, offset - pieceStart < UInt64(piece.count) {
            let start = Int(offset - pieceStart)
            let end = min(piece.count, start + limit)
            buffer.append(piece.span.extracting(start..<end))
            if end == piece.count { piece = [] }
            return .bytes
        }
        guard file != nil else { return .failed }
        wanted = offset
        return .later
    }

    // MARK: the lane's part

    /// What the lane is to do next; nil while it is at something, or has nothing to do.
    mutating func nextWork() -> (file: SpoolFile, work: FileLane.Work)? {
        guard !isLaneBusy, let file else { return nil }
        if !tail.isEmpty {
            isLaneBusy = true
            var bytes: [UInt8] = []
            swap(&bytes, &tail)
            return (file, .write(bytes, at: written))
        }
        guard let wanted else { return nil }
        isLaneBusy = true
        return (file, .read(at: wanted - UInt64(memory.count), limit: Self.pieceSize))
    }

    /// The lane has done its work with `file`, which may have been dropped since.
    mutating func settle(_ outcome: FileLane.Outcome, of file: SpoolFile) -> Settlement {
        guard self.file === file else { return .stale }
        isLaneBusy = false
        switch outcome {
        case .written(let count):
            written += UInt64(count)
        case .read(let bytes, let offset):
            piece = bytes
            pieceStart = offset + UInt64(memory.count)
            if wanted == pieceStart { wanted = nil }
        case .closed:
            break
        case .failed:
            return .failed
        }
        return .done
    }

    // MARK: end

    /// Nothing will be sent again: memory and disk are free for others.
    mutating func drop() {
        isKeeping = false
        memory.removeAll()
        if memory.capacity > 0 { memory.shrink() }
        if let file { lane.submit(FileLane.Job(file: file, work: .close)) }
        file = nil
        tail = []
        written = 0
        piece = []
        wanted = nil
        isLaneBusy = false
        if taken > 0 { total.give(taken) }
        taken = 0
    }

    mutating func reset() {
        if count > 0 || file != nil { drop() }
        isKeeping = false
        count = 0
        received = 0
    }
}
