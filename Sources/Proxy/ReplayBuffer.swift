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
struct ReplayBuffer: ~Copyable {
    private var memory = ByteBuffer()
    private var file: SpoolFile?
    private var limits = ReplayLimits.none
    private var totalLimit: UInt64 = 0
    private let total: ReplayTotal
    private var taken: UInt64 = 0
    private var isKeeping = false
    /// Bytes kept.
    private(set) var count: UInt64 = 0
    /// Bytes of the body that came, kept or not: where they are kept, a further leg begins with them.
    var received: UInt64 = 0

    init(shared total: ReplayTotal) { self.total = total }

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
        return file?.append(content) ?? false
    }

    /// Appends what is kept from `offset` on, at most `limit` bytes; false where it can't be read.
    mutating func read(at offset: UInt64, limit: Int, into buffer: inout ByteBuffer) -> Bool {
        if offset < UInt64(memory.count) {
            let start = Int(offset)
            let end = min(memory.count, start + limit)
            buffer.append(memory.readable.extracting(start..<end))
            return true
        }
        return file?.read(at: offset - UInt64(memory.count), limit: limit, into: &buffer) ?? false
    }

    /// Nothing will be sent again: memory and disk are free for others.
    mutating func drop() {
        isKeeping = false
        memory.removeAll()
        if memory.capacity > 0 { memory.shrink() }
        file = nil
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
