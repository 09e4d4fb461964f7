/// What the proxy and the process that runs a PAC file say to each other: a length, a kind, and text.
///
/// The other side has run foreign code, so nothing that it says is taken on trust.
package enum PACFrame: Equatable, Sendable {
    /// To the evaluator: run this script, and answer questions by it from now on.
    case script([UInt8])
    /// To the evaluator: which way does this URL go, whose host is named apart?
    case question(url: [UInt8], host: [UInt8])
    /// From the evaluator: the script ran.
    case loaded
    /// From the evaluator: what `FindProxyForURL` returned.
    case result([UInt8])
    /// From the evaluator: the script, or the call, failed, with the interpreter's words.
    case failed([UInt8])

    /// What the text of a frame may have, in bytes, to the evaluator and from it.
    package static let longestToEvaluator = 8 << 20
    package static let longestFromEvaluator = 64 << 10

    fileprivate static let headLength = 5

    private var kind: UInt8 {
        switch self {
        case .script: 1
        case .question: 2
        case .loaded: 3
        case .result: 4
        case .failed: 5
        }
    }

    private var text: [UInt8] {
        switch self {
        case .script(let text), .result(let text), .failed(let text): text
        case .question(let url, let host): url + [0] + host
        case .loaded: []
        }
    }

    /// Its bytes; a text from the evaluator is cut to what may be sent.
    package var bytes: [UInt8] {
        let text =
            switch self {
            case .script, .question: self.text
            case .loaded, .result, .failed: Array(self.text.prefix(Self.longestFromEvaluator))
            }
        let count = UInt32(clamping: text.count)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + [kind] + text
    }

    fileprivate init?(kind: UInt8, text: ArraySlice<UInt8>) {
        switch kind {
        case 1: self = .script(Array(text))
        case 2:
            guard let end = text.firstIndex(of: 0) else { return nil }
            self = .question(url: Array(text[..<end]), host: Array(text[(end + 1)...]))
        case 3 where text.isEmpty: self = .loaded
        case 4: self = .result(Array(text))
        case 5: self = .failed(Array(text))
        default: return nil
        }
    }
}

/// Takes frames from a stream of bytes.
package struct PACFrameReader: Sendable {
    /// What comes next.
    package enum Step: Equatable, Sendable {
        case needMore
        case frame(PACFrame)
        /// It is no frame, or too long; nothing behind it can be read.
        case malformed
    }

    private let longest: Int
    private var bytes: [UInt8] = []

    /// A reader of frames whose texts have at most `longest` bytes.
    package init(longest: Int) { self.longest = longest }

    /// Takes what came.
    package mutating func append(_ more: Span<UInt8>) {
        bytes.reserveCapacity(bytes.count + more.count)
        for index in more.indices { bytes.append(more[index]) }
    }

    /// The next frame of what came.
    package mutating func next() -> Step {
        guard bytes.count >= PACFrame.headLength else { return .needMore }
        let count = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard count <= longest else { return .malformed }
        let end = PACFrame.headLength + count
        guard bytes.count >= end else { return .needMore }
        guard let frame = PACFrame(kind: bytes[4], text: bytes[PACFrame.headLength..<end]) else { return .malformed }
        bytes.removeFirst(end)
        return .frame(frame)
    }
}
