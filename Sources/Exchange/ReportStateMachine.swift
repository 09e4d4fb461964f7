package import Bytes
package import HTTP

/// POSTs one report on a connection of its own, and reads as much of the response as says whether it was taken (T-4).
package struct ReportStateMachine: ~Copyable {
    /// What follows from what came.
    package enum Step: Equatable, Sendable {
        /// The response's head is not whole yet.
        case needMore
        /// The collector took the report.
        case delivered
        case failed(Failure)
    }

    /// Why the report can't be said to have been taken.
    package enum Failure: Equatable, Sendable {
        case status(UInt16)
        /// No response [RFC 9112], or one whose head is over the limits.
        case malformed
        /// The connection ended before the response's head was whole.
        case closed
    }

    /// Interim responses that are passed over.
    package static let mostInterim = 8

    private static let limits = Limits(head: 16 * 1024)
    private var head = ResponseHead()
    private var inbound = ByteBuffer()
    private var interimCount = 0

    /// A report that hasn't been sent yet.
    package init() {}

    /// Appends the request, which has neither credentials nor anything else that tells of the client.
    package static func append(_ body: Span<UInt8>, to resource: ResourceURL, into buffer: inout ByteBuffer) {
        HeadSerializer.appendMethod("POST".utf8.span, into: &buffer)
        buffer.append(resource.target)
        HeadSerializer.appendRequestLineEnd(into: &buffer)
        HeadSerializer.appendField("Host", resource.origin.authority, into: &buffer)
        HeadSerializer.appendField("User-Agent", "countersign", into: &buffer)
        HeadSerializer.appendField("Content-Type", "application/json", into: &buffer)
        HeadSerializer.appendContentLength(UInt64(body.count), into: &buffer)
        HeadSerializer.appendField("Connection", "close", into: &buffer)
        HeadSerializer.appendLineEnd(into: &buffer)
        buffer.append(body)
    }

    /// Takes what came; what stands behind the response's head is nobody's business.
    package mutating func received(_ bytes: Span<UInt8>) -> Step {
        inbound.append(bytes)
        while true {
            switch Self.parse(inbound, into: &head) {
            case .needMore: return .needMore
            case .failed: return .failed(.malformed)
            case .head(let consumed):
                let status = head.status
                guard head.isInterim, status != 101 else {
                    return 200..<300 ~= status ? .delivered : .failed(.status(status))
                }
                interimCount += 1
                guard interimCount <= Self.mostInterim else { return .failed(.malformed) }
                inbound.consume(consumed)
            }
        }
    }

    private static func parse(_ bytes: borrowing ByteBuffer, into head: inout ResponseHead) -> ParseOutcome {
        head.parse(bytes.readable, limits: limits, requestMethod: .post)
    }

    /// The connection has ended.
    package func ended() -> Step { .failed(.closed) }
}

extension ReportStateMachine.Failure: CustomStringConvertible {
    /// What the log is told.
    package var description: String {
        switch self {
        case .status(let status): "it answered \(status)"
        case .malformed: "it sent no valid response"
        case .closed: "it closed the connection without a response"
        }
    }
}
