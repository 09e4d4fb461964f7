internal import Bytes
package import HTTP

/// A tunnel of a client's that is opened: all requests in it are for the host and port of its CONNECT (I-2, I-3, A-22).
package final class OpenedTunnel: Sendable {
    /// What every request in it is for: https where TLS was opened, http where the client spoke in the clear.
    package let origin: Origin
    /// What its first request is answered with, since the origin can't be reached or isn't whom the client means.
    package let failure: LocalResponse?

    /// Where the connection was going that the kernel redirected; nil where the client named what it wants.
    package let redirection: Redirection?

    package init(origin: Origin, failure: LocalResponse?, redirection: Redirection? = nil) {
        self.origin = origin
        self.failure = failure
        self.redirection = redirection
        text = Array("\(origin.scheme.text)://\(origin.authority)".utf8)
    }

    /// The origin as it begins a URL.
    package let text: [UInt8]

    /// The response of our own to a request that isn't for this tunnel's origin; nil for one that is.
    func refusal(_ head: borrowing RequestHead, takesUserinfo: Bool) -> LocalResponse? {
        if let failure { return failure }
        switch head.target.form {
        case .authority:
            return LocalResponse(
                400,
                .httpRequestError,
                "target.connect",
                "There is no tunnel inside a tunnel that is opened.",
                closes: true
            )
        case .absolute:
            if head.target.userinfo != nil && !takesUserinfo { return .userinfoRefused }
            return isMeant(by: head) ? nil : .misdirected
        case .origin, .asterisk:
            guard let index = head.fields.first(.host) else { return nil }
            return isNamed(by: head.fields.value(index)) ? nil : .misdirected
        }
    }

    private func isMeant(by head: borrowing RequestHead) -> Bool {
        let target = head.target
        guard let scheme = target.scheme else { return false }
        if origin.matches(scheme: scheme, host: head.bytes(target.host), port: target.port) { return true }
        return Origin(scheme: scheme, host: String(copying: head.bytes(target.host)), port: target.port) == origin
    }

    /// Whether a Host names the origin; a port that it leaves out is the scheme's (RFC 9110 s.7.2).
    private func isNamed(by value: Span<UInt8>) -> Bool {
        guard let authority = Authority.parse(value) else { return false }
        let host = value.extracting(authority.host)
        if origin.matches(scheme: origin.scheme, host: host, port: authority.port) { return true }
        return Origin(scheme: origin.scheme, authority: authority, bytes: value) == origin
    }
}

extension LocalResponse {
    /// A request came in a tunnel to another host (A-22; RFC 9110 s.7.4).
    package static var misdirected: LocalResponse {
        LocalResponse(
            421,
            .httpRequestError,
            "target.misdirected",
            "The request is for another host than its connection.",
            closes: true
        )
    }

    static var userinfoRefused: LocalResponse {
        LocalResponse(
            400,
            .httpRequestError,
            "target.userinfo",
            "A login in the target is not allowed here.",
            closes: true
        )
    }
}
