/// How the end of a message's body is found [RFC 9112 s.6.3].
package enum BodyLength: Equatable, Sendable {
    /// There is no body.
    case none
    /// So many bytes; may be 0.
    case fixed(UInt64)
    /// Chunks up to the last chunk and its trailer section.
    case chunked
    /// Everything up to the end of the connection (responses only).
    case untilClose
}
