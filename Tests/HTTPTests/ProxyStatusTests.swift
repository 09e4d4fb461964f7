import Bytes
import Testing

@testable import HTTP

@Suite struct ProxyStatusTests {
    static func text(_ proxy: String, _ error: ProxyErrorType?, _ status: UInt16?, _ details: String) -> String {
        var buffer = ByteBuffer()
        ProxyStatus.append(proxy: proxy, error: error, receivedStatus: status, details: details, into: &buffer)
        return String(buffer.readable)
    }

    @Test("H-9 a member has the parts that are known")
    func members() {
        #expect(
            Self.text("countersign-1a2b", .connectionRefused, nil, "route.unreachable: no one listens")
                == "countersign-1a2b; error=connection_refused; details=\"route.unreachable: no one listens\""
        )
        #expect(Self.text("p", nil, 407, "") == "p; received-status=407")
        #expect(Self.text("p", .httpProtocolError, 502, "") == "p; error=http_protocol_error; received-status=502")
    }

    @Test("H-9 details can't end their string or the field")
    func details() {
        #expect(Self.text("p", nil, nil, "a\"b\\c\r\nX: y\u{7f}ä") == "p; details=\"a\\\"b\\\\c??X: y???\"")
    }

    @Test(
        "H-9 a pseudonym that is no token is quoted",
        arguments: [("my proxy", "\"my proxy\""), ("1a", "\"1a\""), ("*a:b/c", "*a:b/c")]
    )
    func pseudonym(_ proxy: String, _ written: String) {
        #expect(Self.text(proxy, nil, nil, "") == written)
    }

    /// The list of RFC 9209 s.2.3.
    @Test("H-9 error types are registered")
    func registered() {
        let names: Set = [
            "dns_timeout", "dns_error", "destination_not_found", "destination_unavailable", "destination_ip_prohibited",
            "destination_ip_unroutable", "connection_refused", "connection_terminated", "connection_timeout",
            "connection_read_timeout", "connection_write_timeout", "connection_limit_reached", "tls_protocol_error",
            "tls_certificate_error", "tls_alert_received", "http_request_error", "http_request_denied",
            "http_response_incomplete", "http_response_header_section_size", "http_response_header_size",
            "http_response_body_size", "http_response_trailer_section_size", "http_response_trailer_size",
            "http_response_transfer_coding", "http_response_content_coding", "http_response_timeout",
            "http_upgrade_failed", "http_protocol_error", "proxy_internal_response", "proxy_internal_error",
            "proxy_configuration_error", "proxy_loop_detected",
        ]
        #expect(ProxyErrorType.allCases.allSatisfy { names.contains($0.rawValue) })
    }
}
