/// The head of a request, read strictly: what H-4 refuses never becomes one [RFC 9112 s.3].
///
/// The same value is filled again for each request of a connection and then allocates nothing.
package struct RequestHead: ~Copyable, Sendable {
    /// The method.
    package private(set) var method = HTTPMethod.other
    /// The version; 1.2 to 1.9 count as 1.1.
    package private(set) var version = HTTPVersion.http11
    /// The target; its ranges are for `bytes(_:)`.
    package private(set) var target = RequestTarget()
    /// The field lines.
    package var fields = Fields()
    /// How the body ends: `none`, `fixed` or `chunked`.
    package private(set) var bodyLength = BodyLength.none
    /// Whether an empty line stood before the request line.
    package private(set) var isEmptyLineSkipped = false

    /// Method, space and target.
    private(set) var line: [UInt8] = []
    private(set) var methodCount = 0
    private var progress = HeadProgress()

    /// An empty head to be filled by `parse`.
    package init() {}

    /// The method as it was written.
    package var methodBytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { line.span.extracting(0..<methodCount) }
    }

    /// The target as it was written.
    package var targetBytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { line.span.extracting(target.whole) }
    }

    /// The bytes that a range of `target` stands for.
    @_lifetime(borrow self)
    package func bytes(_ range: Range<Int>) -> Span<UInt8> { line.span.extracting(range) }

    /// The value of Content-Length, if the request has one.
    package var contentLength: UInt64? {
        if case .fixed(let length) = bodyLength { return length }
        return nil
    }

    /// Takes another target; `read` is that of `written`, the same method, a space and it.
    mutating func replaceLine(_ written: [UInt8], _ read: RequestTarget) {
        line.fill(at: 0, with: written.span)
        target = read
    }

    /// Drops what was read and keeps the capacity.
    package mutating func removeAll() {
        method = .other
        version = .http11
        target = RequestTarget()
        fields.removeAll()
        bodyLength = .none
        isEmptyLineSkipped = false
        methodCount = 0
        progress.reset()
    }

    /// Reads the head at the start of `bytes`, in place of what was held.
    ///
    /// After `.needMore` it is to be called with the same bytes and more behind them. The work over all calls is linear.
    package mutating func parse(_ bytes: Span<UInt8>, limits: Limits) -> ParseOutcome {
        guard progress.shouldParse(bytes, limits: limits) else { return .needMore }
        switch attempt(bytes, limits: limits) {
        case .needMore:
            guard bytes.count <= limits.head else { return fail(.headLength, at: limits.head) }
            progress.noteIncomplete(bytes.count)
            return .needMore
        case .end(let end):
            guard end <= limits.head else { return fail(.headLength, at: limits.head) }
            progress.reset()
            return .head(consumed: end)
        case .failed(let code, let offset):
            return fail(code, at: offset)
        }
    }

    private mutating func fail(_ code: ParseError.Code, at offset: Int) -> ParseOutcome {
        progress.reset()
        return .failed(ParseError(.request, code, offset: offset))
    }

    private mutating func attempt(_ bytes: Span<UInt8>, limits: Limits) -> FieldSectionOutcome {
        var start = 0
        isEmptyLineSkipped = false
        if !bytes.isEmpty && bytes[0] == .carriageReturn {
            guard bytes.count > 1 else { return .needMore }
            guard bytes[1] == .lineFeed else { return .failed(.bareCarriageReturn, at: 0) }
            isEmptyLineSkipped = true
            start = 2
        }
        let fieldsStart: Int
        switch parseLine(bytes, from: start, limits: limits) {
        case .end(let end): fieldsStart = end
        case let other: return other
        }
        let outcome = fields.parse(bytes, from: fieldsStart, syntax: .request, limits: limits)
        guard case .end(let end) = outcome else { return outcome }
        if let code = checkHost() ?? readFraming() { return .failed(code, at: end) }
        return outcome
    }

    private mutating func readFraming() -> ParseError.Code? {
        var framing = MessageFraming()
        if let code = framing.read(fields, version) { return code }
        if method == .connect {
            // A CONNECT has no content; a body that its sender believes in would be the tunnel's [RFC 9110 s.9.3.6].
            bodyLength = .none
            return framing.isChunked || (framing.contentLength ?? 0) > 0 ? .contentInConnect : nil
        }
        if framing.isChunked {
            bodyLength = .chunked
        } else {
            bodyLength = framing.contentLength.map { .fixed($0) } ?? .none
        }
        return nil
    }

    /// One Host that is an authority, or is empty where the target has none [RFC 9112 s.3.2].
    private func checkHost() -> ParseError.Code? {
        guard let index = fields.first(.host) else { return version == .http11 ? .hostMissing : nil }
        if fields.next(.host, after: index) != nil { return .hostRepeated }
        let value = fields.value(index)
        if value.isEmpty { return target.form == .origin || target.form == .asterisk ? nil : .hostMalformed }
        // Mostly it is what the target said, and that has been read.
        if !target.authority.isEmpty && WordScan.equals(value, bytes(target.authority)) { return nil }
        return Authority.parse(value) == nil ? .hostMalformed : nil
    }
}

extension RequestHead {
    /// Reads the request line at `start` and keeps its method and target.
    private mutating func parseLine(_ bytes: Span<UInt8>, from start: Int, limits: Limits) -> FieldSectionOutcome {
        var methodEnd = start
        while methodEnd < bytes.count, ByteClass.isToken(bytes[methodEnd]) { methodEnd &+= 1 }
        if methodEnd - start > limits.method { return .failed(.methodLength, at: start) }
        guard methodEnd < bytes.count else { return .needMore }
        guard bytes[methodEnd] == .space, methodEnd > start else { return unexpected(bytes, methodEnd, .method) }
        let targetStart = methodEnd &+ 1
        let targetEnd = WordScan.firstInvisible(bytes, from: targetStart)
        if targetEnd - targetStart > limits.target { return .failed(.targetLength, at: targetStart) }
        guard targetEnd < bytes.count else { return .needMore }
        guard targetEnd > targetStart else { return unexpected(bytes, targetEnd, .target) }
        guard bytes[targetEnd] == .space else {
            // A line that ends here is HTTP/0.9; any other byte can't stand in a target.
            return unexpected(bytes, targetEnd, bytes[targetEnd] == .carriageReturn ? .version : .target)
        }
        let outcome = parseVersion(bytes, from: targetEnd &+ 1)
        guard case .end = outcome else { return outcome }
        method = HTTPMethod(bytes.extracting(start..<methodEnd))
        methodCount = methodEnd - start
        let kept = bytes.extracting(start..<targetEnd)
        line.fill(at: 0, with: kept)
        let range = (methodCount &+ 1)..<kept.count
        return target.read(kept, in: range, method: method) ? outcome : .failed(.target, at: targetStart)
    }

    private mutating func parseVersion(_ bytes: Span<UInt8>, from start: Int) -> FieldSectionOutcome {
        var end = start
        // One byte more than a version has is enough to see that it is none.
        while end < bytes.count && end - start < 9 && bytes[end] > 0x20 { end &+= 1 }
        guard end < bytes.count else { return end - start > 8 ? .failed(.version, at: start) : .needMore }
        switch VersionReading(bytes.extracting(start..<end)) {
        case .malformed: return .failed(.version, at: start)
        case .unsupported: return .failed(.versionUnsupported, at: start)
        case .version(let read): version = read
        }
        guard bytes[end] == .carriageReturn else { return unexpected(bytes, end, .version) }
        guard end &+ 1 < bytes.count else { return .needMore }
        guard bytes[end &+ 1] == .lineFeed else { return .failed(.bareCarriageReturn, at: end) }
        return .end(end &+ 2)
    }

    /// What to call a byte at `index` that can't stand there, `code` if it is nothing special.
    private func unexpected(_ bytes: Span<UInt8>, _ index: Int, _ code: ParseError.Code) -> FieldSectionOutcome {
        switch bytes[index] {
        case .nul: return .failed(.nul, at: index)
        case .lineFeed: return .failed(.bareLineFeed, at: index)
        case .carriageReturn:
            guard index + 1 < bytes.count else { return .needMore }
            if bytes[index + 1] != .lineFeed { return .failed(.bareCarriageReturn, at: index) }
            return .failed(index == 0 || isEmptyLineSkipped && index == 2 ? .emptyLine : code, at: index)
        default: return .failed(code, at: index)
        }
    }
}
