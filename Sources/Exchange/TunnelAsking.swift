package import Bytes
internal import HTTP

/// How a client has asked for a tunnel, and so is told what came of it.
package enum TunnelAsking: Sendable {
    /// By CONNECT, whose response it gets (RFC 9110 s.9.3.6).
    case connect
    /// By SOCKS5, whose reply it gets (RFC 1928 s.6).
    case socks
    /// Not at all: it believes that it speaks with the target.
    case nothing

    /// Appends what tells it that the tunnel is there.
    package func appendSuccess(pseudonym: String, into buffer: inout ByteBuffer) {
        switch self {
        case .connect:
            buffer.append("HTTP/1.1 200 Connection Established\r\n")
            MessageParts.appendVia(.http11, pseudonym: pseudonym, into: &buffer)
            buffer.append("\r\n")
        case .socks:
            SOCKSReply.succeeded.append(into: &buffer)
        case .nothing:
            break
        }
    }
}

/// What a SOCKS5 client is told of its request (RFC 1928 s.6).
package enum SOCKSReply: UInt8, Sendable {
    case succeeded = 0
    case failed = 1
    case notAllowed = 2
    case networkUnreachable = 3
    case hostUnreachable = 4
    case connectionRefused = 5
    case timedOut = 6
    case commandNotSupported = 7
    case addressTypeNotSupported = 8

    /// What a client is told in the place of a response of our own.
    package init(_ response: LocalResponse) {
        switch response.error {
        case .httpRequestDenied, .destinationIPProhibited, .proxyLoopDetected: self = .notAllowed
        case .destinationIPUnroutable: self = .networkUnreachable
        case .dnsError, .dnsTimeout, .destinationNotFound: self = .hostUnreachable
        case .connectionRefused: self = .connectionRefused
        case .connectionTimeout, .httpResponseTimeout: self = .timedOut
        default: self = response.status == 403 || response.status == 407 ? .notAllowed : .failed
        }
    }

    /// Appends the reply, with no address of ours, which nobody needs for CONNECT.
    package func append(into buffer: inout ByteBuffer) {
        let reply: [10 of UInt8] = [5, rawValue, 0, 1, 0, 0, 0, 0, 0, 0]
        buffer.append(reply.span)
    }
}
