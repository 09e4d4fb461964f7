internal import Bytes
internal import Crypto
package import HTTP

/// Takes one response as a whole, for a request of the proxy's own.
package struct WholeResponse: ~Copyable {
    /// What follows from what came.
    package enum Step: Equatable, Sendable {
        case needMore
        case complete
        case failed(Failure)
    }

    /// Why there is no response.
    package enum Failure: Equatable, Sendable {
        /// It is no response [RFC 9112], or its head is over the limits.
        case malformed
        /// Its body is over the limit.
        case tooLong
        /// The connection ended before it was whole.
        case closed
    }

    /// Interim responses that are passed over.
    package static let mostInterim = 8

    private static let limits = Limits(head: 32 * 1024)
    private let method: HTTPMethod
    private let longestBody: Int
    /// Status and fields, once it is complete.
    package private(set) var head = ResponseHead()
    /// Its content, once it is complete.
    package private(set) var body: [UInt8] = []
    private var inbound = ByteBuffer()
    private var reader = BodyReader()
    private var isInBody = false
    private var interimCount = 0

    /// The response to a request with this method, whose body may have `longestBody` bytes.
    package init(to method: HTTPMethod, longestBody: Int) {
        self.method = method
        self.longestBody = longestBody
    }

    /// Takes what came.
    package mutating func received(_ bytes: Span<UInt8>) -> Step {
        if isInBody { return takeBody(bytes) }
        inbound.append(bytes)
        while true {
            switch Self.parse(inbound, into: &head, method) {
            case .needMore: return .needMore
            case .failed: return .failed(.malformed)
            case .head(let consumed):
                inbound.consume(consumed)
                guard head.isInterim else { return beginBody() }
                interimCount += 1
                guard head.status != 101, interimCount <= Self.mostInterim else { return .failed(.malformed) }
            }
        }
    }

    /// The connection has ended.
    package mutating func ended() -> Step {
        isInBody && reader.endOfFile() ? .complete : .failed(.closed)
    }

    /// Overwrites the content, which may have been a secret.
    package mutating func wipe() { Wiping.wipe(&body) }

    private mutating func beginBody() -> Step {
        isInBody = true
        reader.begin(head.bodyLength(for: method), .response, limits: Self.limits)
        var rest = ByteBuffer()
        swap(&rest, &inbound)
        return takeBody(rest.readable)
    }

    private mutating func takeBody(_ bytes: Span<UInt8>) -> Step {
        var position = 0
        while true {
            switch reader.next(bytes, from: position) {
            case .needMore: return .needMore
            case .failed: return .failed(.malformed)
            case .end: return .complete
            case .content(let range):
                guard range.count <= longestBody - body.count else { return .failed(.tooLong) }
                for index in range { body.append(bytes[index]) }
                position = range.upperBound
            }
        }
    }

    private static func parse(
        _ bytes: borrowing ByteBuffer,
        into head: inout ResponseHead,
        _ method: HTTPMethod
    ) -> ParseOutcome {
        head.parse(bytes.readable, limits: limits, requestMethod: method)
    }
}

extension WholeResponse.Failure: CustomStringConvertible {
    /// What the log is told.
    package var description: String {
        switch self {
        case .malformed: "it sent no valid response"
        case .tooLong: "its response is too long"
        case .closed: "it closed the connection before its response was whole"
        }
    }
}
