import Bytes

/// How strictly field lines are read.
struct FieldSyntax {
    /// Which way the message goes: requests are read strictly, responses as RFC 9112 s.5 lets a proxy mend them.
    let message: ParseError.Message
    /// Whether a line feed alone ends a line.
    let allowsBareLineFeed: Bool

    static let request = FieldSyntax(message: .request, allowsBareLineFeed: false)
    static let response = FieldSyntax(message: .response, allowsBareLineFeed: true)

    /// Trailer sections stand behind chunks, whose lines end in CRLF on either way.
    static func trailers(_ message: ParseError.Message) -> FieldSyntax {
        FieldSyntax(message: message, allowsBareLineFeed: false)
    }
}

/// What came of an attempt to read a field section.
enum FieldSectionOutcome {
    case needMore
    /// The section and its empty line end before this index.
    case end(Int)
    case failed(ParseError.Code, at: Int)
}

/// Where a line of a field section ends, and where the next one begins.
private enum LineEnd {
    case at(end: Int, next: Int)
    case needMore
    case failed(ParseError.Code, at: Int)
}

extension Fields {
    /// Reads field lines from `start` up to and with the empty line, in place of what was held.
    mutating func parse(
        _ bytes: Span<UInt8>,
        from start: Int,
        syntax: FieldSyntax,
        limits: Limits
    ) -> FieldSectionOutcome {
        removeAll()
        let table = FieldNameTable.shared
        var index = start
        var isFolded = false
        while index < bytes.count {
            let first = bytes[index]
            if first == .carriageReturn || first == .lineFeed {
                return finish(bytes, from: start, line: index, syntax: syntax, isFolded: isFolded)
            }
            if ByteClass.isBlank(first) { return .failed(.foldedField, at: index) }
            if entries.count >= limits.fields { return .failed(.fieldCount, at: index) }
            let nameStart = index
            let scanned = ScannedFieldName(bytes, from: index, table: table)
            index = scanned.end
            if let failure = Self.skipColon(bytes, &index, nameStart: nameStart, syntax: syntax) { return failure }
            if index >= bytes.count { return .needMore }
            switch Self.value(bytes, from: index, syntax: syntax, isFolded: &isFolded) {
            case .needMore: return .needMore
            case .failed(let code, let offset): return .failed(code, at: offset)
            case .at(let end, let next):
                names.insert(scanned.name)
                append(scanned, bytes, line: nameStart, text: index..<end, next: next, base: start)
                index = next
            }
        }
        return .needMore
    }

    /// Takes down a line whose name and text (all between colon and line end) lie in `bytes`.
    @inline(__always)
    private mutating func append(
        _ scanned: ScannedFieldName,
        _ bytes: Span<UInt8>,
        line: Int,
        text: Range<Int>,
        next: Int,
        base: Int
    ) {
        let colon = scanned.end
        var first = text.lowerBound
        var last = text.upperBound
        // A fold at either end of a value is white space around it.
        while first < last && Self.isBlankOrFold(bytes[first]) { first &+= 1 }
        while first < last && Self.isBlankOrFold(bytes[last &- 1]) { last &-= 1 }
        let isWrittenOut =
            first == colon &+ 2 && bytes[colon] == .colon && bytes[colon &+ 1] == .space && next == last &+ 2
            && bytes[last] == .carriageReturn
        entries.append(
            Entry(
                name: scanned.name,
                line: line &- base,
                colon: colon &- base,
                value: (first &- base)..<(last &- base),
                isWrittenOut: isWrittenOut
            )
        )
    }

    @inline(__always)
    private static func isBlankOrFold(_ byte: UInt8) -> Bool {
        ByteClass.isBlank(byte) || byte == .carriageReturn || byte == .lineFeed
    }

    /// Moves `index` from the end of a name behind the colon, or says what is wrong; at the end of `bytes` it may stay.
    @inline(__always)
    private static func skipColon(
        _ bytes: Span<UInt8>,
        _ index: inout Int,
        nameStart: Int,
        syntax: FieldSyntax
    ) -> FieldSectionOutcome? {
        guard index < bytes.count else { return nil }
        if bytes[index] == .colon && index > nameStart {
            index &+= 1
            return nil
        }
        return skipUnusualColon(bytes, &index, nameStart: nameStart, syntax: syntax)
    }

    @inline(never)
    private static func skipUnusualColon(
        _ bytes: Span<UInt8>,
        _ index: inout Int,
        nameStart: Int,
        syntax: FieldSyntax
    ) -> FieldSectionOutcome? {
        if syntax.message == .request && ByteClass.isBlank(bytes[index]) {
            return .failed(.blankBeforeColon, at: index)
        }
        while index < bytes.count && ByteClass.isBlank(bytes[index]) { index &+= 1 }
        guard index < bytes.count else { return nil }
        switch bytes[index] {
        case .colon where index > nameStart:
            index &+= 1
            return nil
        case .nul: return .failed(.nul, at: index)
        case .lineFeed where syntax.message == .request: return .failed(.bareLineFeed, at: index)
        case .carriageReturn:
            guard index + 1 < bytes.count else {
                index += 1
                return nil
            }
            return .failed(bytes[index + 1] == .lineFeed ? .fieldName : .bareCarriageReturn, at: index)
        default: return .failed(.fieldName, at: index)
        }
    }

    /// Finds the end of a value that begins at `start`, over folded lines where they are allowed.
    @inline(__always)
    private static func value(
        _ bytes: Span<UInt8>,
        from start: Int,
        syntax: FieldSyntax,
        isFolded: inout Bool
    ) -> LineEnd {
        var index = start
        while true {
            index = WordScan.firstControl(bytes, from: index)
            guard index < bytes.count else { return .needMore }
            let byte = bytes[index]
            if byte == .tab {
                index &+= 1
                continue
            }
            var next = index &+ 1
            if byte == .carriageReturn {
                guard next < bytes.count else { return .needMore }
                guard bytes[next] == .lineFeed else { return .failed(.bareCarriageReturn, at: index) }
                next &+= 1
            } else if byte != .lineFeed {
                guard byte != .nul else { return .failed(.nul, at: index) }
                guard syntax.message == .response else { return .failed(.fieldValue, at: index) }
                index &+= 1
                continue
            } else if !syntax.allowsBareLineFeed {
                return .failed(.bareLineFeed, at: index)
            }
            // Only the byte behind the line end tells whether the value goes on.
            guard next < bytes.count else { return .needMore }
            guard ByteClass.isBlank(bytes[next]) else { return .at(end: index, next: next) }
            guard syntax.message == .response else { return .failed(.foldedField, at: next) }
            isFolded = true
            index = next
        }
    }

    /// Ends the section at its empty line, which begins at `line`, and copies it into the store.
    private mutating func finish(
        _ bytes: Span<UInt8>,
        from start: Int,
        line: Int,
        syntax: FieldSyntax,
        isFolded: Bool
    ) -> FieldSectionOutcome {
        var end = line &+ 1
        if bytes[line] == .carriageReturn {
            guard end < bytes.count else { return .needMore }
            guard bytes[end] == .lineFeed else { return .failed(.bareCarriageReturn, at: line) }
            end &+= 1
        } else if !syntax.allowsBareLineFeed {
            return .failed(.bareLineFeed, at: line)
        }
        store.fill(at: 0, with: bytes.extracting(start..<line))
        used = line &- start
        if isFolded { unfold() }
        return .end(end)
    }

    /// Replaces the line ends inside values by spaces [RFC 9112 s.5.2].
    private mutating func unfold() {
        for entry in entries {
            for index in Int(entry.valueStart)..<Int(entry.valueEnd)
            where store[index] == .carriageReturn || store[index] == .lineFeed {
                store[index] = .space
            }
        }
    }
}
