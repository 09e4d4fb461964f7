package import Bytes

/// The access log of one loop: a line for each exchange (O-3), built in a buffer that is used again.
///
/// `begin`, the fields that are known in any order, `end`. No key may be added twice. Of a target, userinfo is never
/// written; Authorization and cookies have no key, and of a credential there is only its name.
package final class AccessLog {
    /// A text in the line; the names are stable.
    package enum TextKey: Sendable {
        /// The request method as it came.
        case method
        /// The protection space of the last challenge, as `origin http://h:80 realm`, the realm where a rule names it.
        case space
        /// The name of the credential that answered.
        case credential
        /// `direct` or the name of the parent.
        case route
        /// The trust policy that the upstream was held to, as `trust[0]`; none in the clear.
        case trust
        /// The rule that decided, as `rules[3]`.
        case rule
        /// The reason code (O-9).
        case reason

        var name: String {
            switch self {
            case .method: "method"
            case .space: "space"
            case .credential: "credential"
            case .route: "route"
            case .trust: "trust"
            case .rule: "rule"
            case .reason: "reason"
            }
        }
    }

    /// A number in the line.
    package enum NumberKey: Sendable {
        /// The status that the client got.
        case status
        /// Bytes of body or tunnel that came from the client.
        case bytesIn
        /// Bytes of body or tunnel that went to the client.
        case bytesOut
        /// Requests that went upstream.
        case attempts

        var name: String {
            switch self {
            case .status: "status"
            case .bytesIn: "bytes_in"
            case .bytesOut: "bytes_out"
            case .attempts: "attempts"
            }
        }
    }

    /// A length of time in the line, in milliseconds.
    package enum DurationKey: Sendable {
        /// From the first byte of the request to the last of the response.
        case total
        /// Until the upstream was connected.
        case connect
        /// Until the first byte of the response.
        case firstByte

        var name: String {
            switch self {
            case .total: "duration_ms"
            case .connect: "connect_ms"
            case .firstByte: "first_byte_ms"
            }
        }
    }

    private let writer: LogWriter
    private let tellsQuery: Bool
    private var line: LogLine

    /// Logs to `writer`; `tellsQuery` keeps the query of targets, which may hold secrets.
    package init(_ writer: LogWriter, format: LogFormat, tellsQuery: Bool) {
        self.writer = writer
        self.tellsQuery = tellsQuery
        line = LogLine(format)
    }

    /// Begins a line.
    package func begin(unixMilliseconds: Int64) {
        line.begin(Timestamp(unixMilliseconds: unixMilliseconds), kind: "access")
    }

    /// Adds the exchange's id.
    package func add(_ id: RequestID) {
        line.field("id", hex: id.value)
    }

    /// Adds the client's address; nil for a unix socket.
    package func add(client: IPAddress?) {
        if let client { line.field("client", client) } else { line.field("client", "unix".utf8.span) }
    }

    /// Adds the target as the client sent it, less userinfo and, unless asked for, query.
    package func add(target: Span<UInt8>) {
        let (first, second) = Redaction.target(target, keepsQuery: tellsQuery)
        line.field("target", target.extracting(first), target.extracting(second))
    }

    /// Adds the target of a request that names its path alone, behind the origin, as `https://host`, that it is for.
    package func add(target: Span<UInt8>, of origin: Span<UInt8>) {
        let (path, _) = Redaction.target(target, keepsQuery: tellsQuery)
        line.field("target", origin, target.extracting(path))
    }

    /// Adds text.
    package func add(_ key: TextKey, _ text: Span<UInt8>) {
        line.field(key.name, text)
    }

    /// Adds text.
    package func add(_ key: TextKey, _ text: String) {
        let utf8 = text.utf8
        line.field(key.name, utf8.span)
    }

    /// Adds a number.
    package func add(_ key: NumberKey, _ number: UInt64) {
        line.field(key.name, number)
    }

    /// Adds a length of time.
    package func add(_ key: DurationKey, _ duration: Nanoseconds) {
        line.field(key.name, milliseconds: duration)
    }

    /// Ends the line and hands it to the writer.
    package func end() {
        line.end(writer)
    }
}

@available(*, unavailable)
extension AccessLog: Sendable {}
