package import Bytes
package import HTTP

/// A response that the proxy makes itself, told by Proxy-Status (RFC 9209) and a short text.
package struct LocalResponse: Equatable, Sendable {
    package var status: UInt16
    /// The registered Proxy-Status error type (RFC 9209 s.2.3); nil where none fits.
    package var error: ProxyErrorType?
    /// The stable reason code that opens `details`.
    package var reason: String
    /// What happened and what to do, one sentence, without secrets or internal paths.
    package var explanation: String
    /// The status that an upstream had sent, where one had.
    package var receivedStatus: UInt16?
    /// A further field of this response, e.g. Allow.
    package var field: Field?
    /// The connection can't be used after this response.
    package var closes: Bool

    /// One field of a response of our own.
    package struct Field: Equatable, Sendable {
        package let name: String
        package let value: String
    }

    package init(
        _ status: UInt16,
        _ error: ProxyErrorType?,
        _ reason: String,
        _ explanation: String,
        receivedStatus: UInt16? = nil,
        field: Field? = nil,
        closes: Bool = false
    ) {
        self.status = status
        self.error = error
        self.reason = reason
        self.explanation = explanation
        self.receivedStatus = receivedStatus
        self.field = field
        self.closes = closes
    }

    /// The response to a request that could not be parsed (RFC 9112).
    package init(malformed error: ParseError) {
        self.init(
            error.status,
            error.proxyErrorType,
            error.reason,
            "The request is not valid HTTP/1.1.",
            closes: true
        )
    }
}

/// How the proxy names itself and what the client can read.
package struct ResponseTerms {
    /// The pseudonym in Via and Proxy-Status.
    package let pseudonym: String
    package let version: HTTPVersion
    /// Whether the client connection stays open behind the response.
    package let keepsAlive: Bool
    /// Wall clock for Date, in seconds since 1970.
    package let unixSeconds: Int64

    package init(pseudonym: String, version: HTTPVersion, keepsAlive: Bool, unixSeconds: Int64) {
        self.pseudonym = pseudonym
        self.version = version
        self.keepsAlive = keepsAlive
        self.unixSeconds = unixSeconds
    }
}

extension LocalResponse {
    /// Appends the whole response, head and text; only the head where the request was a HEAD.
    ///
    /// `fields` appends further fields.
    package func append(
        terms: ResponseTerms,
        isHead: Bool,
        into buffer: inout ByteBuffer,
        fields: (inout ByteBuffer) -> Void = { _ in }
    ) {
        HeadSerializer.appendStatusLine(status, into: &buffer)
        MessageParts.appendDate(terms.unixSeconds, into: &buffer)
        buffer.append("Proxy-Status: ")
        ProxyStatus.append(
            proxy: terms.pseudonym,
            error: error,
            receivedStatus: receivedStatus,
            details: details,
            into: &buffer
        )
        buffer.append("\r\n")
        if let field {
            buffer.append(field.name)
            buffer.append(": ")
            buffer.append(field.value)
            buffer.append("\r\n")
        }
        fields(&buffer)
        buffer.append("Content-Type: text/plain; charset=utf-8\r\nContent-Length: ")
        let text = "\(explanation) (\(reason))\n"
        buffer.append(decimal: UInt64(text.utf8.count))
        buffer.append("\r\n")
        MessageParts.appendConnection(keepsAlive: terms.keepsAlive && !closes, version: terms.version, into: &buffer)
        buffer.append("\r\n")
        if !isHead { buffer.append(text) }
    }

    /// The `details` of Proxy-Status: the reason code, then the sentence.
    package var details: String { "\(reason): \(explanation)" }
}
