package import HTTP
internal import Rules

/// What went wrong on the way to an upstream, where, and whether another connection may be tried.
package struct ExchangeError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case nameNotResolved
        case connectionRefused
        case connectionTimedOut
        case unreachable
        case connectionLimitReached
        case responseTimedOut
        case requestTimedOut
        /// The connection ended before a byte of the response.
        case closedBeforeResponse
        /// The connection ended inside the response's head.
        case responseIncomplete
        case malformedResponse(ParseError)
        /// Each new connection brought bytes, or an end, before anything was asked on it.
        case unaskedBytes
        /// TLS could not be had: the server is refused by its policy, or the protocol failed.
        case secureChannel(SecureChannelFailure)
        case loop
        /// The address, or the way to it, is one that `access` doesn't let the request have.
        case prohibited
        /// There is no tunnel to the parent through the one before it; why, the response says that a client would get.
        indirect case carrierFailed(LocalResponse)
        /// A SOCKS5 proxy made no connection.
        case socksFailed(SOCKSFailure)
        case outOfDescriptors
        /// What was kept of the body can't be read back.
        case replayFailed
    }

    /// Who ended it.
    package enum Source: Equatable, Sendable {
        case client, upstream, parentProxy, local
    }

    package let kind: Kind
    package let source: Source

    package init(_ kind: Kind, _ source: Source) {
        self.kind = kind
        self.source = source
    }

    /// What the client is told.
    package var response: LocalResponse {
        let peer = source == .parentProxy ? "parent proxy" : "server"
        switch kind {
        case .nameNotResolved:
            return LocalResponse(502, .dnsError, "dns.failed", "The name of the \(peer) could not be resolved.")
        case .connectionRefused:
            return LocalResponse(
                502,
                .connectionRefused,
                "route.unreachable",
                "The \(peer) refused the connection."
            )
        case .connectionTimedOut:
            return LocalResponse(504, .connectionTimeout, "route.timeout", "The \(peer) did not answer in time.")
        case .unreachable:
            return LocalResponse(
                502,
                .destinationIPUnroutable,
                "route.unreachable",
                "There is no way to the \(peer)."
            )
        case .connectionLimitReached:
            return LocalResponse(
                503,
                .connectionLimitReached,
                "limit.upstream-connections",
                "Too many connections to this \(peer) are in use."
            )
        case .responseTimedOut:
            return LocalResponse(
                504,
                .httpResponseTimeout,
                "response.timeout",
                "The \(peer) did not respond in time."
            )
        case .requestTimedOut:
            return LocalResponse(
                408,
                .httpRequestError,
                "request.timeout",
                "The request did not arrive in time.",
                closes: true
            )
        case .closedBeforeResponse:
            return LocalResponse(
                502,
                .connectionTerminated,
                "response.closed",
                "The \(peer) closed the connection without a response."
            )
        case .responseIncomplete:
            return LocalResponse(
                502,
                .httpResponseIncomplete,
                "response.incomplete",
                "The response of the \(peer) ended too early."
            )
        case .malformedResponse(let error):
            return LocalResponse(
                502,
                .httpProtocolError,
                error.reason,
                "The \(peer) sent a response that is not valid HTTP/1.1."
            )
        case .unaskedBytes:
            return LocalResponse(
                502,
                .httpProtocolError,
                "response.unasked",
                "The \(peer) said something before it was asked."
            )
        case .secureChannel(let failure):
            return LocalResponse(502, failure.type, failure.code, failure.message)
        case .carrierFailed(let response):
            return response
        case .socksFailed(let failure):
            return LocalResponse(failure.status, failure.type, failure.code, failure.message)
        case .loop:
            return LocalResponse(
                502,
                .proxyLoopDetected,
                "proxy.loop",
                "The request would come back to this proxy."
            )
        case .prohibited:
            return LocalResponse(.address)
        case .replayFailed:
            return LocalResponse(
                502,
                .proxyInternalError,
                "body.spool",
                "The request's body could not be read back for a second answer."
            )
        case .outOfDescriptors:
            return LocalResponse(
                503,
                .proxyInternalError,
                "limit.descriptors",
                "The proxy has no free file descriptors."
            )
        }
    }
}

/// Why there is no TLS connection: what Proxy-Status, the client and the log are told (T-1).
package struct SecureChannelFailure: Equatable, Sendable {
    package let type: ProxyErrorType
    /// The stable reason code.
    package let code: String
    /// What to do, without any secret.
    package let message: String

    package init(_ type: ProxyErrorType, code: String, message: String) {
        self.type = type
        self.code = code
        self.message = message
    }

    /// Bytes came before the handshake that belong to nothing.
    package static var unexpectedBytes: SecureChannelFailure {
        SecureChannelFailure(
            .tlsProtocolError,
            code: "tls.unexpected",
            message: "The parent proxy said something in the tunnel before it was asked."
        )
    }
}
