/// The head of a response, read as leniently as H-4 says and no more [RFC 9112 s.4].
///
/// The same value is filled again for each response of a connection and then allocates nothing.
package struct ResponseHead: ~Copyable, Sendable {
    /// The status code, 100 to 999; one over 599 is to be treated like a 5xx [RFC 9110 s.15].
    package private(set) var status: UInt16 = 0
    /// The version; 1.2 to 1.9 count as 1.1.
    package private(set) var version = HTTPVersion.http11
    /// The field lines.
    package var fields = Fields()

    private var reasonBytes: [UInt8] = []
    private var reasonCount = 0
    private var framing = MessageFraming()
    private var progress = HeadProgress()

    /// An empty head to be filled by `parse`.
    package init() {}

    /// The reason phrase as it was written; may be empty and may hold any byte but CR, LF and NUL.
    package var reason: Span<UInt8> {
        @_lifetime(borrow self)
        get { reasonBytes.span.extracting(0..<reasonCount) }
    }

    /// The value of Content-Length, if the response has one and it is to be believed.
    package var contentLength: UInt64? { framing.contentLength }

    /// Whether the status is 1xx.
    package var isInterim: Bool { status < 200 }

    /// How the body of the response to a request with this method ends [RFC 9112 s.6.3].
    package func bodyLength(for method: HTTPMethod) -> BodyLength {
        if method == .head || status < 200 || status == 204 || status == 304 { return .none }
        if method == .connect && status < 300 { return .none }
        if framing.isChunked { return .chunked }
        return framing.contentLength.map { .fixed($0) } ?? .untilClose
    }

    /// Drops what was read and keeps the capacity.
    package mutating func removeAll() {
        status = 0
        version = .http11
        fields.removeAll()
        reasonCount = 0
        framing = MessageFraming()
        progress.reset()
    }

    /// Reads the head at the start of `bytes`, in place of what was held.
    ///
    /// After `.needMore` it is to be called with the same bytes and more behind them. The work over all calls is linear.
    /// The framing fields of a 2xx to CONNECT are not looked at [RFC 9110 s.9.3.6].
    package mutating func parse(_ bytes: Span<UInt8>, limits: Limits, requestMethod: HTTPMethod) -> ParseOutcome {
        guard progress.shouldParse(bytes, limits: limits) else { return .needMore }
        switch attempt(bytes, limits: limits, requestMethod: requestMethod) {
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
        return .failed(ParseError(.response, code, offset: offset))
    }

    private mutating func attempt(
        _ bytes: Span<UInt8>,
        limits: Limits,
        requestMethod: HTTPMethod
    ) -> FieldSectionOutcome {
        framing = MessageFraming()
        let fieldsStart: Int
        switch parseLine(bytes) {
        case .end(let end): fieldsStart = end
        case let other: return other
        }
        let outcome = fields.parse(bytes, from: fieldsStart, syntax: .response, limits: limits)
        guard case .end(let end) = outcome else { return outcome }
        if requestMethod == .connect && 200..<300 ~= status { return outcome }
        if let code = framing.read(fields, version) { return .failed(code, at: end) }
        return outcome
    }

    /// Reads the status line: version, space, three digits, and a space with the reason phrase, which may be missing.
    private mutating func parseLine(_ bytes: Span<UInt8>) -> FieldSectionOutcome {
        var index = 0
        while index < bytes.count && index < 8 && bytes[index] > 0x20 { index &+= 1 }
        guard index < bytes.count else { return .needMore }
        switch VersionReading(bytes.extracting(0..<index)) {
        case .malformed: return .failed(.statusLine, at: index)
        case .unsupported: return .failed(.versionUnsupported, at: 0)
        case .version(let read): version = read
        }
        guard bytes[index] == .space else { return .failed(.statusLine, at: index) }
        index &+= 1
        var value: UInt16 = 0
        let statusEnd = index &+ 3
        while index < statusEnd {
            guard index < bytes.count else { return .needMore }
            guard ByteClass.isDigit(bytes[index]) else { return .failed(.statusLine, at: index) }
            value = value &* 10 &+ UInt16(bytes[index] &- 0x30)
            index &+= 1
        }
        guard value >= 100 else { return .failed(.statusLine, at: index) }
        status = value
        return parseReason(bytes, from: index)
    }

    private mutating func parseReason(_ bytes: Span<UInt8>, from start: Int) -> FieldSectionOutcome {
        guard start < bytes.count else { return .needMore }
        var index = start
        if bytes[start] == .space {
            index &+= 1
        } else if bytes[start] != .carriageReturn && bytes[start] != .lineFeed {
            return .failed(.statusLine, at: start)
        }
        let reasonStart = index
        while index < bytes.count && bytes[index] != .lineFeed && bytes[index] != .carriageReturn {
            guard bytes[index] != .nul else { return .failed(.nul, at: index) }
            index &+= 1
        }
        var end = index &+ 1
        guard end <= bytes.count else { return .needMore }
        if bytes[index] == .carriageReturn {
            guard end < bytes.count else { return .needMore }
            guard bytes[end] == .lineFeed else { return .failed(.bareCarriageReturn, at: index) }
            end &+= 1
        }
        reasonCount = index &- reasonStart
        reasonBytes.fill(at: 0, with: bytes.extracting(reasonStart..<index))
        return .end(end)
    }
}
