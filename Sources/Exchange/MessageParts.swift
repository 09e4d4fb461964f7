package import Bytes
package import HTTP

/// Field lines that only a forwarding proxy writes.
package enum MessageParts {
    /// Appends Via for a message received in `version` (RFC 9110 s.7.6.3).
    package static func appendVia(_ version: HTTPVersion, pseudonym: String, into buffer: inout ByteBuffer) {
        buffer.append(version == .http11 ? "Via: 1.1 " : "Via: 1.0 ")
        buffer.append(pseudonym)
        buffer.append("\r\n")
    }

    /// Appends Connection where the client's version doesn't imply it (RFC 9112 s.9.3).
    package static func appendConnection(
        keepsAlive: Bool,
        version: HTTPVersion,
        into buffer: inout ByteBuffer
    ) {
        if !keepsAlive {
            buffer.append("Connection: close\r\n")
        } else if version == .http10 {
            buffer.append("Connection: keep-alive\r\n")
        }
    }

    /// Appends Date for a message that lacks it (RFC 9110 s.6.6.1).
    package static func appendDate(_ unixSeconds: Int64, into buffer: inout ByteBuffer) {
        buffer.append("Date: ")
        HTTPDate.append(unixSeconds: unixSeconds, into: &buffer)
        buffer.append("\r\n")
    }
}
