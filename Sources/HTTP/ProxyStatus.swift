package import Bytes

/// The registered error types of RFC 9209 s.2.3 that the proxy can meet.
package enum ProxyErrorType: String, Sendable, CaseIterable {
    case dnsTimeout = "dns_timeout"
    case dnsError = "dns_error"
    case destinationNotFound = "destination_not_found"
    case destinationUnavailable = "destination_unavailable"
    case destinationIPProhibited = "destination_ip_prohibited"
    case destinationIPUnroutable = "destination_ip_unroutable"
    case connectionRefused = "connection_refused"
    case connectionTerminated = "connection_terminated"
    case connectionTimeout = "connection_timeout"
    case connectionReadTimeout = "connection_read_timeout"
    case connectionWriteTimeout = "connection_write_timeout"
    case connectionLimitReached = "connection_limit_reached"
    case tlsProtocolError = "tls_protocol_error"
    case tlsCertificateError = "tls_certificate_error"
    case tlsAlertReceived = "tls_alert_received"
    case httpRequestError = "http_request_error"
    case httpRequestDenied = "http_request_denied"
    case httpResponseIncomplete = "http_response_incomplete"
    case httpResponseHeaderSectionSize = "http_response_header_section_size"
    case httpResponseHeaderSize = "http_response_header_size"
    case httpResponseBodySize = "http_response_body_size"
    case httpResponseTrailerSectionSize = "http_response_trailer_section_size"
    case httpResponseTrailerSize = "http_response_trailer_size"
    case httpResponseTransferCoding = "http_response_transfer_coding"
    case httpResponseContentCoding = "http_response_content_coding"
    case httpResponseTimeout = "http_response_timeout"
    case httpUpgradeFailed = "http_upgrade_failed"
    case httpProtocolError = "http_protocol_error"
    case proxyInternalResponse = "proxy_internal_response"
    case proxyInternalError = "proxy_internal_error"
    case proxyConfigurationError = "proxy_configuration_error"
    case proxyLoopDetected = "proxy_loop_detected"
}

/// Members of the Proxy-Status field [RFC 9209 s.2].
package enum ProxyStatus {
    /// Appends a member: the proxy's name and what it says of this response; the caller writes name and CRLF of the field.
    ///
    /// `details` may hold any text; what a quoted string can't hold becomes `?`.
    package static func append(
        proxy: String,
        error: ProxyErrorType?,
        receivedStatus: UInt16?,
        details: String,
        into buffer: inout ByteBuffer
    ) {
        if isToken(proxy) {
            buffer.append(proxy)
        } else {
            appendQuoted(proxy, into: &buffer)
        }
        if let error {
            buffer.append("; error=")
            buffer.append(error.rawValue)
        }
        if let receivedStatus {
            buffer.append("; received-status=")
            buffer.append(decimal: UInt64(receivedStatus))
        }
        if !details.isEmpty {
            buffer.append("; details=")
            appendQuoted(details, into: &buffer)
        }
    }

    /// Whether `text` can stand as an sf-token [RFC 8941 s.3.3.4].
    private static func isToken(_ text: String) -> Bool {
        guard let first = text.utf8.first, ByteClass.isLetter(first) || first == UInt8(ascii: "*") else { return false }
        return text.utf8.allSatisfy { ByteClass.isToken($0) || $0 == .colon || $0 == .slash }
    }

    private static func appendQuoted(_ text: String, into buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { buffer.append(UInt8(ascii: "\\")) }
            buffer.append(byte >= 0x20 && byte < 0x7f ? byte : UInt8(ascii: "?"))
        }
        buffer.append(UInt8(ascii: "\""))
    }
}
