internal import Bytes

/// An http or https URL that the rule file names, for a request of the proxy's own.
package struct ResourceURL: Hashable, Sendable {
    /// Who is asked.
    package let origin: Origin
    /// The request-target in origin-form [RFC 9112 s.3.2.1].
    package let target: [UInt8]

    /// Reads an http or https URL; nil if it is none, or holds a login.
    package init?(_ url: String) {
        let bytes = Array(url.utf8)
        guard
            let target = RequestTarget.parse(bytes.span, in: bytes.indices, method: .get),
            target.form == .absolute, let scheme = target.scheme, target.userinfo == nil
        else { return nil }
        origin = Origin(scheme: scheme, host: String(bytes.span.extracting(target.host)), port: target.port)
        let written = bytes[target.path]
        self.target = written.first == .slash ? Array(written) : [.slash] + written
    }

    /// The origin alone, for the log: what stands behind it may hold a token.
    package var text: String { "\(origin.scheme.text)://\(origin.authority)" }
}
