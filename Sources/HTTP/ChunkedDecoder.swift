import Bytes

/// What comes next in a chunked body.
package enum ChunkEvent: Equatable, Sendable {
    /// Everything given is consumed, and the body goes on.
    case needMore
    /// A piece of a chunk's data, as a range of the bytes given; the decoder goes on behind it.
    case data(Range<Int>)
    /// The body ended before this index of the bytes given; trailers are in `trailers`.
    case end(consumed: Int)
    /// The body can't be read; its end isn't known.
    case failed(ParseError)
}

/// Reads the chunked transfer coding, in pieces of any size and strictly on either way [RFC 9112 s.7.1].
package struct ChunkedDecoder: Sendable {
    private enum State: UInt8 {
        /// At the first digit of a size, or behind some.
        case size
        /// Behind the size: blanks, and then a `;` or the end of the line.
        case extensions
        /// Behind a `;`, before the extension's name.
        case extensionNameStart
        case extensionName
        /// Blanks behind an extension's name.
        case extensionNameEnd
        /// Behind `=`, before the value.
        case extensionValueStart
        case extensionToken
        case extensionQuoted
        case extensionEscape
        /// Behind an extension with its value.
        case extensionEnd
        /// Behind the CR of a size line.
        case sizeLineFeed
        case data
        /// Behind a chunk's data.
        case dataCarriageReturn
        case dataLineFeed
        case trailers
        case ended
    }

    /// The field lines of the trailer section, once the body has ended.
    package private(set) var trailers = Fields()

    private let message: ParseError.Message
    private let limits: Limits
    private var state = State.size
    private var digits = 0
    private var remaining: UInt64 = 0
    private var lineLength = 0
    /// Bytes of chunk lines beyond what their data excuses; bounded, so that extensions can't outweigh the data for long.
    private var overhead = 0
    private var trailerBytes: [UInt8] = []
    private var trailerScanner = HeadScanner(atFieldSection: true)
    private var position = 0

    private static let mostOverhead = 16 * 1024

    /// A decoder at the start of the body of a message that goes this way.
    package init(_ message: ParseError.Message, limits: Limits = Limits()) {
        self.message = message
        self.limits = limits
    }

    /// Goes on at index `start` of `bytes`; a piece is given only once, so `bytes` may be dropped after each event.
    package mutating func decode(_ bytes: Span<UInt8>, from start: Int) -> ChunkEvent {
        var index = start
        while index < bytes.count {
            switch state {
            case .data:
                return takeData(bytes, from: index, start: start)
            case .trailers:
                return takeTrailers(bytes, from: index, start: start)
            case .ended:
                return .end(consumed: index)
            default:
                if let code = step(bytes[index]) {
                    return .failed(ParseError(message, code, offset: position + index - start))
                }
                index &+= 1
            }
        }
        position += index - start
        return .needMore
    }

    private mutating func takeData(_ bytes: Span<UInt8>, from index: Int, start: Int) -> ChunkEvent {
        let count = Int(min(UInt64(bytes.count &- index), remaining))
        remaining -= UInt64(count)
        if remaining == 0 { state = .dataCarriageReturn }
        position += index &+ count &- start
        return .data(index..<(index &+ count))
    }

    /// Takes in one byte that is no data; answers what is wrong with it.
    private mutating func step(_ byte: UInt8) -> ParseError.Code? {
        switch state {
        case .dataCarriageReturn:
            state = .dataLineFeed
            return byte == .carriageReturn ? nil : .chunkEnd
        case .dataLineFeed:
            state = .size
            digits = 0
            lineLength = 0
            return byte == .lineFeed ? nil : .chunkEnd
        case .sizeLineFeed:
            return byte == .lineFeed ? endSizeLine() : .bareCarriageReturn
        case .size:
            lineLength += 1
            return stepSize(byte)
        default:
            lineLength += 1
            guard lineLength <= limits.chunkLine else { return .chunkExtension }
            return stepExtension(byte)
        }
    }

    private mutating func stepSize(_ byte: UInt8) -> ParseError.Code? {
        if let value = Hex.value(byte) {
            if digits == 0 { remaining = 0 }
            digits += 1
            // Sixteen digits hold any size; more of them, even zeros, are nobody's habit.
            guard digits <= 16, remaining <= MessageFraming.longest >> 4 else { return .chunkSize }
            remaining = remaining << 4 | UInt64(value)
            return nil
        }
        guard digits > 0 else { return byte == .lineFeed ? .bareLineFeed : .chunkSize }
        switch byte {
        case .carriageReturn: state = .sizeLineFeed
        case UInt8(ascii: ";"): state = .extensionNameStart
        case .space, .tab: state = .extensions
        case .lineFeed: return .bareLineFeed
        default: return .chunkSize
        }
        return nil
    }

    /// chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
    private mutating func stepExtension(_ byte: UInt8) -> ParseError.Code? {
        let isBlank = ByteClass.isBlank(byte)
        let isToken = ByteClass.isToken(byte)
        switch state {
        case .extensions where isBlank, .extensionNameStart where isBlank, .extensionNameEnd where isBlank,
            .extensionValueStart where isBlank:
            return nil
        case .extensionNameStart where isToken, .extensionName where isToken:
            state = .extensionName
        case .extensionName where isBlank:
            state = .extensionNameEnd
        case .extensionName where byte == UInt8(ascii: "="), .extensionNameEnd where byte == UInt8(ascii: "="):
            state = .extensionValueStart
        case .extensionValueStart where isToken, .extensionToken where isToken:
            state = .extensionToken
        case .extensionValueStart where byte == UInt8(ascii: "\""):
            state = .extensionQuoted
        case .extensionQuoted, .extensionEscape:
            return stepQuoted(byte)
        case .extensionToken where isBlank, .extensionEnd where isBlank:
            // Blanks are fine before the next extension, but not at the end of the line.
            state = .extensions
        case .extensions, .extensionName, .extensionNameEnd, .extensionToken, .extensionEnd:
            return stepExtensionEnd(byte)
        default:
            return byte == .lineFeed ? .bareLineFeed : .chunkExtension
        }
        return nil
    }

    private mutating func stepQuoted(_ byte: UInt8) -> ParseError.Code? {
        guard byte >= 0x20 && byte != 0x7f || byte == .tab else { return .chunkExtension }
        if state == .extensionEscape {
            state = .extensionQuoted
        } else if byte == UInt8(ascii: "\\") {
            state = .extensionEscape
        } else if byte == UInt8(ascii: "\"") {
            state = .extensionEnd
        }
        return nil
    }

    private mutating func stepExtensionEnd(_ byte: UInt8) -> ParseError.Code? {
        switch byte {
        case UInt8(ascii: ";"):
            state = .extensionNameStart
            return nil
        case .carriageReturn where state != .extensions && state != .extensionNameEnd:
            state = .sizeLineFeed
            return nil
        case .lineFeed: return .bareLineFeed
        default: return .chunkExtension
        }
    }

    private mutating func endSizeLine() -> ParseError.Code? {
        overhead = max(0, overhead + lineLength - 16 - Int(clamping: remaining))
        guard overhead <= Self.mostOverhead else { return .chunkExtension }
        state = remaining == 0 ? .trailers : .data
        return nil
    }
}

extension ChunkedDecoder {
    /// Collects the trailer section until its empty line has come, then reads it.
    private mutating func takeTrailers(_ bytes: Span<UInt8>, from index: Int, start: Int) -> ChunkEvent {
        let rest = bytes.extracting(index..<bytes.count)
        // The usual case: no trailers, and the empty line is here.
        if trailerBytes.isEmpty && rest.count >= 2 && rest[0] == .carriageReturn && rest[1] == .lineFeed {
            state = .ended
            return .end(consumed: index + 2)
        }
        let held = trailerBytes.count
        trailerBytes.append(contentsOf: [UInt8](rest))
        let collected = trailerBytes
        let isComplete = trailerScanner.scan(collected.span)
        guard trailerScanner.scanned <= limits.head else { return fail(.headLength, index, start) }
        guard isComplete else {
            position += bytes.count - start
            return .needMore
        }
        let outcome = trailers.parse(collected.span, from: 0, syntax: .trailers(message), limits: limits)
        trailerBytes.removeAll()
        switch outcome {
        case .end(let end):
            state = .ended
            return .end(consumed: index + end - held)
        case .failed(let code, let offset):
            return fail(code, index + offset - held, start)
        case .needMore:
            // The scanner ends at LF LF too; the parser, which wants CRLF, has then failed already.
            return fail(.bareLineFeed, index, start)
        }
    }

    private func fail(_ code: ParseError.Code, _ index: Int, _ start: Int) -> ChunkEvent {
        .failed(ParseError(message, code, offset: position + index - start))
    }
}
