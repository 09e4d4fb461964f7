internal import HTTP

/// Why a SOCKS5 proxy made no connection (RFC 1928 s.6, RFC 1929).
package enum SOCKSFailure: Equatable, Sendable {
    /// What it said is not SOCKS5.
    case malformed
    /// It takes neither no login nor the one that we have.
    case noAcceptableMethod
    /// It refused the login.
    case loginRefused
    /// The login, or the name to connect to, has no place in SOCKS5's messages.
    case unusable
    /// It can't or won't connect: the code of its reply.
    case refused(UInt8)

    var status: UInt16 {
        switch self {
        case .refused(6): 504
        case .malformed, .noAcceptableMethod, .loginRefused, .unusable, .refused: 502
        }
    }

    var type: ProxyErrorType {
        switch self {
        case .malformed: .httpProtocolError
        case .noAcceptableMethod, .loginRefused, .unusable: .httpRequestDenied
        case .refused(2): .httpRequestDenied
        case .refused(3), .refused(4): .destinationIPUnroutable
        case .refused(5): .connectionRefused
        case .refused(6): .connectionTimeout
        case .refused: .destinationUnavailable
        }
    }

    /// The stable reason code.
    package var code: String {
        switch self {
        case .malformed: "socks.malformed"
        case .noAcceptableMethod: "socks.login-required"
        case .loginRefused: "socks.login-refused"
        case .unusable: "socks.unusable"
        case .refused(let code): "socks.reply-\(code)"
        }
    }

    /// What went wrong, as a sentence.
    package var message: String {
        switch self {
        case .malformed: "The SOCKS proxy said something that is not SOCKS5."
        case .noAcceptableMethod: "The SOCKS proxy wants a login that no rule gives it."
        case .loginRefused: "The SOCKS proxy refused the login."
        case .unusable: "The login or the server's name is too long, or empty, for a SOCKS proxy."
        case .refused(1): "The SOCKS proxy could not connect."
        case .refused(2): "The SOCKS proxy does not allow this connection."
        case .refused(3): "The SOCKS proxy has no way to the server's network."
        case .refused(4): "The SOCKS proxy has no way to the server."
        case .refused(5): "The server refused the SOCKS proxy's connection."
        case .refused(6): "The server did not answer the SOCKS proxy in time."
        case .refused: "The SOCKS proxy made no connection."
        }
    }
}
