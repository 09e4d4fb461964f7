internal import COpenSSL

/// Why a TLS connection, certificate or key is of no use.
package struct TLSError: Error, Sendable {
    /// What went wrong.
    package enum Kind: Hashable, Sendable {
        /// The server was refused by its policy; the session's `decision` says why.
        case untrusted
        /// The peer sent this fatal alert [RFC 8446 s.6.2].
        case alert(UInt8)
        /// The peer speaks no version of TLS that the policy allows.
        case version
        /// What came is no TLS.
        case notTLS
        /// The peer broke the protocol, or asks for less than the policy demands.
        case protocolViolation
        /// The peer asked for a renegotiation, and no client certificate is meant for it (T-9).
        case renegotiationRefused
        /// The peer ended the connection where it mustn't.
        case closed
        /// A system call failed with this errno.
        case system(Int32)
        /// A certificate, a key, a list of ciphers or the like can't be read or used.
        case material
        /// A passphrase is missing or wrong.
        case passphrase
        /// The library itself failed, of memory for instance.
        case library
    }

    /// Whose doing it is.
    package enum Source: Hashable, Sendable {
        case peer
        case local
        case transport
    }

    /// One entry of OpenSSL's error queue.
    package struct Entry: Hashable, Sendable {
        /// The number of the library's part that says so (ERR_LIB_…).
        package let library: Int32
        /// The reason's number within it.
        package let reason: Int32
        /// The reason in OpenSSL's words, with its data behind it where it has some.
        package let text: String
    }

    /// What went wrong.
    package let kind: Kind
    /// Whose doing it is.
    package let source: Source
    /// What the room says of it; empty where the entries say all.
    package let message: String
    /// What the error queue held, oldest first.
    package let entries: [Entry]

    /// An error of the room's own, with what the error queue holds by now.
    init(_ kind: Kind, _ source: Source = .local, _ message: String = "") {
        self.kind = kind
        self.source = source
        self.message = message
        entries = Self.drainQueue()
    }

    /// The peer sends records, and never a byte for us.
    static var flood: TLSError { TLSError(.protocolViolation, .peer, "the peer goes on without saying anything") }

    /// The same, where it was our refusal of the server that ended the handshake.
    var asRefusal: TLSError { TLSError(.untrusted, .local, entries: entries) }

    private init(_ kind: Kind, _ source: Source, entries: [Entry]) {
        self.kind = kind
        self.source = source
        message = ""
        self.entries = entries
    }

    /// Empties the error queue, lest what it holds is taken for the next call's; to see that it's empty costs far less.
    static func clearQueue() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// What the error queue says of a call on a session that failed for good.
    static func fromQueue() -> TLSError {
        let entries = drainQueue()
        for entry in entries where entry.library == ERR_LIB_SSL {
            if let (kind, source) = meaning(of: entry.reason) { return TLSError(kind, source, entries: entries) }
        }
        let isSSL = entries.contains { $0.library == ERR_LIB_SSL }
        return TLSError(isSSL ? .protocolViolation : .library, isSSL ? .peer : .local, entries: entries)
    }

    private static func meaning(of reason: Int32) -> (Kind, Source)? {
        switch reason {
        case SSL_R_CERTIFICATE_VERIFY_FAILED, SSL_R_INVALID_STATUS_RESPONSE: (.untrusted, .local)
        case SSL_R_UNSUPPORTED_PROTOCOL: (.version, .peer)
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST: (.notTLS, .peer)
        case SSL_R_UNEXPECTED_EOF_WHILE_READING: (.closed, .peer)
        case SSL_AD_REASON_OFFSET..<(SSL_AD_REASON_OFFSET + 256):
            alertMeaning(UInt8(truncatingIfNeeded: reason - SSL_AD_REASON_OFFSET))
        default: nil
        }
    }

    private static func alertMeaning(_ alert: UInt8) -> (Kind, Source) {
        Int32(alert) == SSL_AD_PROTOCOL_VERSION ? (.version, .peer) : (.alert(alert), .peer)
    }

    /// Empties this thread's error queue.
    private static func drainQueue() -> [Entry] {
        var entries: [Entry] = []
        var data: UnsafePointer<CChar>?
        var flags: Int32 = 0
        while case let code = unsafe ERR_get_error_all(nil, nil, nil, &data, &flags), code != 0 {
            var text = "error \(code)"
            if let reason = unsafe ERR_reason_error_string(code) { text = unsafe String(cString: reason) }
            if flags & ERR_TXT_STRING != 0, let data = unsafe data, unsafe data[0] != 0 {
                text += unsafe ": " + String(cString: data)
            }
            entries.append(Entry(library: ERR_GET_LIB(code), reason: ERR_GET_REASON(code), text: text))
        }
        return entries
    }
}

extension TLSError {
    /// The stable reason code of log, Proxy-Status and metrics; `untrusted` has the decision's own instead.
    package var reasonCode: String {
        switch kind {
        case .untrusted: "tls.untrusted"
        case .alert(let alert) where Self.certificateAlerts.contains(Int32(alert)):
            Int32(alert) == SSL_AD_CERTIFICATE_REQUIRED ? "tls.certificate-required" : "tls.certificate-refused"
        case .alert(let alert) where Int32(alert) == SSL_AD_UNRECOGNIZED_NAME: "tls.name-refused"
        case .alert(let alert) where Int32(alert) == SSL_AD_NO_APPLICATION_PROTOCOL: "tls.protocol-refused"
        case .alert(let alert) where Int32(alert) == SSL_AD_HANDSHAKE_FAILURE: "tls.handshake-failure"
        case .alert: "tls.alert"
        case .version: "tls.version"
        case .notTLS: "tls.not-tls"
        case .protocolViolation: "tls.protocol"
        case .renegotiationRefused: "tls.renegotiation-refused"
        case .closed: "tls.closed"
        case .system: "tls.connection"
        case .material: "tls.material"
        case .passphrase: "tls.passphrase"
        case .library: "tls.library"
        }
    }

    /// Whether the peer says that our certificate won't do, or is missing: an authentication failure of that space
    /// (T-6).
    package var isCertificateRefusal: Bool {
        guard case .alert(let alert) = kind else { return false }
        return Self.certificateAlerts.contains(Int32(alert))
    }

    private static let certificateAlerts: Set<Int32> = [
        SSL_AD_BAD_CERTIFICATE, SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_REVOKED, SSL_AD_CERTIFICATE_EXPIRED,
        SSL_AD_CERTIFICATE_UNKNOWN, SSL_AD_UNKNOWN_CA, SSL_AD_ACCESS_DENIED, SSL_AD_CERTIFICATE_REQUIRED,
    ]
}

extension TLSError: CustomStringConvertible {
    /// The room's words, then OpenSSL's.
    package var description: String {
        let parts = (message.isEmpty ? [] : [message]) + entries.map(\.text)
        return parts.isEmpty ? reasonCode : parts.joined(separator: "; ")
    }
}
