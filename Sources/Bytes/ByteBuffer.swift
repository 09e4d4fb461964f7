/// Bytes appended at one end and consumed at the other.
///
/// The store is one array that is always filled up to its capacity, so that a reader may write into `writable` without
/// a second copy. Once its capacity has been reached, appending and consuming allocate nothing.
package struct ByteBuffer: ~Copyable, Sendable {
    private var storage: [UInt8]
    private var start = 0
    private var end = 0

    /// Makes an empty buffer that holds `capacity` bytes before it has to grow.
    package init(capacity: Int = 0) {
        storage = capacity > 0 ? [UInt8](repeating: 0, count: capacity) : []
    }

    /// The number of bytes that can be read.
    package var count: Int { end &- start }

    /// Whether nothing can be read.
    package var isEmpty: Bool { end == start }

    /// The number of bytes that the store holds, read or not.
    package var capacity: Int { storage.count }

    /// The bytes appended and not yet consumed.
    package var readable: Span<UInt8> {
        @_lifetime(borrow self)
        get { storage.span.extracting(start..<end) }
    }

    /// Drops the first `count` readable bytes; more than `self.count` is a precondition failure.
    package mutating func consume(_ count: Int) {
        precondition(count >= 0 && count <= end - start, "more consumed than was readable")
        start += count
        if start == end {
            start = 0
            end = 0
        }
    }

    /// Drops the last `count` readable bytes; more than `self.count` is a precondition failure.
    package mutating func dropLast(_ count: Int) {
        precondition(count >= 0 && count <= end - start, "more dropped than was readable")
        end -= count
    }

    /// Drops everything and keeps the capacity.
    package mutating func removeAll() {
        start = 0
        end = 0
    }

    /// Makes room for `count` bytes behind what is readable.
    package mutating func reserveCapacity(_ count: Int) {
        guard count > storage.count - end else { return }
        makeRoom(for: count)
    }

    /// Gives back what the store holds beyond `capacity` or, if that is more, beyond what is readable.
    package mutating func shrink(to capacity: Int = 0) {
        let wanted = max(capacity, count)
        guard wanted < storage.count else { return }
        move(toCapacity: wanted)
    }

    /// At least `minimum` bytes behind what is readable, to be filled from the front and then told to `commit`.
    @_lifetime(&self)
    package mutating func writable(minimum: Int) -> MutableSpan<UInt8> {
        reserveCapacity(minimum)
        let first = end
        let all = storage.mutableSpan
        return all._consumingExtracting(droppingFirst: first)
    }

    /// Makes the first `count` bytes of what `writable` gave readable.
    package mutating func commit(_ count: Int) {
        precondition(count >= 0 && count <= storage.count - end, "more committed than was writable")
        end += count
    }

    /// Appends one byte.
    package mutating func append(_ byte: UInt8) {
        if end == storage.count { makeRoom(for: 1) }
        storage[end] = byte
        end &+= 1
    }

    /// Appends a copy of `bytes`.
    package mutating func append(_ bytes: Span<UInt8>) {
        let count = bytes.count
        if count > storage.count &- end { makeRoom(for: count) }
        let first = end
        end = first &+ count
        var all = storage.mutableSpan
        // A window of the very size lets the compiler drop the bounds checks and vectorise.
        var window = all._mutatingExtracting(first..<(first &+ count))
        for index in window.indices { window[index] = bytes[index] }
    }

    /// Appends a copy of `bytes`.
    package mutating func append(_ bytes: [UInt8]) {
        append(bytes.span)
    }

    /// Appends the UTF-8 of `text`; a literal is copied without an allocation.
    package mutating func append(_ text: String) {
        let utf8 = text.utf8
        append(utf8.span)
    }

    private mutating func makeRoom(for count: Int) {
        let held = end - start
        // Moving down pays only where at least as much was consumed as is moved; else a slow consumer makes it quadratic.
        if start >= held && storage.count - held >= count {
            let first = start
            start = 0
            end = held
            var all = storage.mutableSpan
            for index in 0..<held { all[index] = all[first &+ index] }
        } else {
            move(toCapacity: max(held + count, 2 * storage.count, 64))
        }
    }

    private mutating func move(toCapacity capacity: Int) {
        storage = copied(capacity: capacity)
        end &-= start
        start = 0
    }

    private func copied(capacity: Int) -> [UInt8] {
        let held = readable
        var copy = [UInt8](repeating: 0, count: capacity)
        var window = copy.mutableSpan
        for index in held.indices { window[index] = held[index] }
        return copy
    }
}
