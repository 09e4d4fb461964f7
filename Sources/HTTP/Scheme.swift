/// The scheme of a target that the proxy can serve [RFC 9110 s.4.2].
package enum Scheme: UInt8, Hashable, Sendable {
    case http, https

    /// The port where the target names none.
    package var defaultPort: UInt16 {
        switch self {
        case .http: 80
        case .https: 443
        }
    }

    /// The scheme as it is written.
    package var text: String {
        switch self {
        case .http: "http"
        case .https: "https"
        }
    }

    /// The scheme that `bytes` names in any case; nil for another one.
    package init?(_ bytes: Span<UInt8>) {
        let http = "http".utf8
        let https = "https".utf8
        if ByteClass.equalsIgnoringCase(bytes, http.span) {
            self = .http
        } else if ByteClass.equalsIgnoringCase(bytes, https.span) {
            self = .https
        } else {
            return nil
        }
    }
}
