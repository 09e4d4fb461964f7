internal import Bytes
package import HTTP

/// Reads one message body by its length (RFC 9112 s.6.3).
package struct BodyReader: Sendable {
    package enum Event: Equatable, Sendable {
        /// All bytes were taken, the body goes on.
        case needMore
        /// These bytes of what was given are content; reading goes on behind them.
        case content(Range<Int>)
        /// The body ended behind this many bytes of what was given.
        case end(consumed: Int)
        case failed(ParseError)
    }

    private enum Mode { case none, fixed, chunked, untilClose }

    private var mode = Mode.none
    /// Bytes still to come of a body whose length was given.
    package private(set) var remaining: UInt64 = 0
    private var decoder: ChunkedDecoder?
    package private(set) var isEnded = true

    package init() {}

    /// Begins a body; one without content is ended at once.
    package mutating func begin(_ length: BodyLength, _ message: ParseError.Message, limits: Limits) {
        decoder = nil
        remaining = 0
        isEnded = false
        switch length {
        case .none:
            mode = .none
            isEnded = true
        case .fixed(let count):
            mode = .fixed
            remaining = count
            isEnded = count == 0
        case .chunked:
            mode = .chunked
            decoder = ChunkedDecoder(message, limits: limits)
        case .untilClose:
            mode = .untilClose
        }
    }

    /// Forgets a body that won't be read to its end.
    package mutating func reset() {
        mode = .none
        decoder = nil
        isEnded = true
    }

    /// The trailers that ended a chunked body.
    package var trailers: Fields? { decoder?.trailers }

    package var isUntilClose: Bool { mode == .untilClose }
    package var isFixed: Bool { mode == .fixed }

    /// Bytes that went past this reader, straight from socket to socket.
    package mutating func skipped(_ count: Int) {
        guard mode == .fixed else { return }
        remaining -= min(remaining, UInt64(count))
        isEnded = remaining == 0
    }

    /// The peer ended the connection: true where that ends the body, false where it cuts it short.
    package mutating func endOfFile() -> Bool {
        guard mode == .untilClose else { return isEnded }
        isEnded = true
        return true
    }

    /// What comes next in `bytes` from `start` on.
    package mutating func next(_ bytes: Span<UInt8>, from start: Int) -> Event {
        if isEnded { return .end(consumed: start) }
        switch mode {
        case .none:
            return .end(consumed: start)
        case .untilClose:
            return start < bytes.count ? .content(start..<bytes.count) : .needMore
        case .fixed:
            return nextFixed(bytes.count, from: start)
        case .chunked:
            return nextChunked(bytes, from: start)
        }
    }

    private mutating func nextFixed(_ count: Int, from start: Int) -> Event {
        let available = count - start
        guard available > 0 else { return .needMore }
        let taken = remaining < UInt64(available) ? Int(remaining) : available
        remaining -= UInt64(taken)
        isEnded = remaining == 0
        return .content(start..<start + taken)
    }

    private mutating func nextChunked(_ bytes: Span<UInt8>, from start: Int) -> Event {
        guard let event = decoder?.decode(bytes, from: start) else { return .end(consumed: start) }
        switch event {
        case .needMore: return .needMore
        case .data(let range): return .content(range)
        case .end(let consumed):
            isEnded = true
            return .end(consumed: consumed)
        case .failed(let error): return .failed(error)
        }
    }
}
