import Bytes

/// The field lines of a head or trailer section, in their order [RFC 9110 s.5].
///
/// All names and values lie in one array of bytes and are known by ranges, so that reading a head and filling the same
/// value again allocates nothing. Copies share their bytes until one of them is changed.
package struct Fields: Sendable {
    /// Where a field line's name and value lie in `store`.
    struct Entry: Sendable {
        var nameStart: UInt32
        var nameEnd: UInt32
        var valueStart: UInt32
        var valueEnd: UInt32
        var name: FieldName
        /// Whether the store holds the line as it would be written: name, colon, space, value, CRLF.
        var isWrittenOut: Bool
    }

    /// Filled up to its capacity; what is behind `used` means nothing.
    var store: [UInt8] = []
    var used = 0
    var entries: [Entry] = []
    /// The known names that occur.
    package internal(set) var names = FieldNameSet()

    /// No field lines.
    package init() {}

    /// The number of field lines.
    package var count: Int { entries.count }

    /// Whether there is no field line.
    package var isEmpty: Bool { entries.isEmpty }

    /// The name of the field line at `index`.
    package func name(_ index: Int) -> FieldName { entries[index].name }

    /// The name of the field line at `index` as it was written.
    @_lifetime(borrow self)
    package func nameBytes(_ index: Int) -> Span<UInt8> {
        let entry = entries[index]
        return store.span.extracting(Int(entry.nameStart)..<Int(entry.nameEnd))
    }

    /// The value of the field line at `index` without blanks around it.
    @_lifetime(borrow self)
    package func value(_ index: Int) -> Span<UInt8> {
        let entry = entries[index]
        return store.span.extracting(Int(entry.valueStart)..<Int(entry.valueEnd))
    }

    /// Whether there is a field line with this name.
    package func contains(_ name: FieldName) -> Bool { names.contains(name) }

    /// The index of the first field line with this name.
    package func first(_ name: FieldName) -> Int? {
        names.contains(name) ? next(name, from: 0) : nil
    }

    /// The index of the next field line with this name behind `index`.
    package func next(_ name: FieldName, after index: Int) -> Int? {
        next(name, from: index + 1)
    }

    /// The index of the first field line whose name is `name` in any case; for names that `FieldName` doesn't list.
    package func first(named name: String, from index: Int = 0) -> Int? {
        let utf8 = name.utf8
        var index = index
        while index < entries.count {
            if ByteClass.equalsIgnoringCase(nameBytes(index), utf8.span) { return index }
            index += 1
        }
        return nil
    }

    /// The value of the first field line with this name as text; for tests and logs.
    package func text(_ name: FieldName) -> String? {
        guard let index = first(name) else { return nil }
        return String(value(index))
    }

    /// Adds a field line; neither part may hold CR, LF or NUL.
    package mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        let start = used
        let colon = start + name.count
        let end = colon + 2 + value.count
        store.fill(at: start, with: name)
        store.fill(at: colon + 2, with: value)
        store.makeRoom(end + 2)
        store[colon] = .colon
        store[colon + 1] = .space
        store[end] = .carriageReturn
        store[end + 1] = .lineFeed
        used = end + 2
        let known = FieldName.of(name)
        names.insert(known)
        entries.append(Entry(name: known, line: start, colon: colon, value: (colon + 2)..<end, isWrittenOut: true))
    }

    /// Adds a field line; neither part may hold CR, LF or NUL.
    package mutating func append(_ name: String, _ value: String) {
        let nameBytes = name.utf8
        let valueBytes = value.utf8
        append(name: nameBytes.span, value: valueBytes.span)
    }

    /// Adds a field line with a known name; the value may not hold CR, LF or NUL.
    package mutating func append(_ name: FieldName, _ value: Span<UInt8>) {
        let text = name.text
        let utf8 = text.utf8
        append(name: utf8.span, value: value)
    }

    /// Drops all field lines and keeps the capacity.
    package mutating func removeAll() {
        used = 0
        entries.removeAll(keepingCapacity: true)
        names = FieldNameSet()
    }

    private func next(_ name: FieldName, from index: Int) -> Int? {
        var index = index
        while index < entries.count {
            if entries[index].name == name { return index }
            index &+= 1
        }
        return nil
    }
}

extension Fields.Entry {
    init(name: FieldName, line: Int, colon: Int, value: Range<Int>, isWrittenOut: Bool) {
        self.name = name
        nameStart = UInt32(truncatingIfNeeded: line)
        nameEnd = UInt32(truncatingIfNeeded: colon)
        valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
        valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
        self.isWrittenOut = isWrittenOut
    }
}

extension [UInt8] {
    /// Makes the array at least `count` bytes long.
    mutating func makeRoom(_ count: Int) {
        guard count > self.count else { return }
        append(contentsOf: repeatElement(0, count: Swift.max(count - self.count, self.count, 256)))
    }

    /// Overwrites the bytes from `start` on, growing where needed.
    mutating func fill(at start: Int, with bytes: Span<UInt8>) {
        makeRoom(start + bytes.count)
        var all = mutableSpan
        // A window of the very size lets the compiler drop the bounds checks and vectorise.
        var window = all._mutatingExtracting(start..<(start &+ bytes.count))
        for index in window.indices { window[index] = bytes[index] }
    }
}
