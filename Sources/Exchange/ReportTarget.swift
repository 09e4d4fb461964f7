internal import Bytes
package import HTTP

/// Where reports are POSTed to, as a `report` URL of the rule file names it.
package struct ReportTarget: Hashable, Sendable {
    /// Who takes them.
    package let origin: Origin
    /// The request-target in origin-form [RFC 9112 s.3.2.1].
    let path: [UInt8]

    /// Reads an http or https URL; nil if it is none, or holds a login.
    package init?(_ url: String) {
        let bytes = Array(url.utf8)
        guard
            let target = RequestTarget.parse(bytes.span, in: bytes.indices, method: .get),
            target.form == .absolute, let scheme = target.scheme, target.userinfo == nil
        else { return nil }
        origin = Origin(scheme: scheme, host: String(copying: bytes.span.extracting(target.host)), port: target.port)
        let written = bytes[target.path]
        path = written.first == UInt8(ascii: "/") ? Array(written) : [UInt8(ascii: "/")] + written
    }

    /// The origin alone, for the log: the path of a collector's URL may hold a token.
    package var text: String { "\(origin.scheme.text)://\(origin.authority)" }
}
