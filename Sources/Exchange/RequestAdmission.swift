internal import Bytes
package import HTTP
package import Rules

/// Whether a parsed request may be forwarded at all (H-1, H-2, H-12, H-13).
package struct RequestAdmission: Sendable {
    package let http: HTTPConfiguration
    /// Our pseudonym in Via.
    package let pseudonym: String

    package init(http: HTTPConfiguration, pseudonym: String) {
        self.http = http
        self.pseudonym = pseudonym
    }

    /// The response of our own to a request that is not forwarded; nil for one that is.
    ///
    /// `tunnel` is the one in which it came, if any.
    package func refusal(
        _ head: borrowing RequestHead,
        isClientAllowed: Bool,
        in tunnel: OpenedTunnel? = nil
    ) -> LocalResponse? {
        guard isClientAllowed else { return .clientRefused }
        let ofTarget = tunnel.map { $0.refusal(head, takesUserinfo: http.userinfo) } ?? refusalOfTarget(head)
        return ofTarget ?? refusalOfMethod(head) ?? refusalOfExpectation(head) ?? refusalOfLoop(head)
    }

    /// The client's Upgrade is passed on: a GET without body, to a protocol that is allowed (H-5b).
    package func upgrades(_ head: borrowing RequestHead) -> Bool {
        guard head.fields.contains(.upgrade), head.method == .get, head.bodyLength == .none else { return false }
        guard head.version == .http11, ConnectionOptions(head.fields).nominated.contains(.upgrade) else { return false }
        return http.upgrades.contains("websocket") && head.fields.hasToken(.upgrade, "websocket")
    }

    private func refusalOfTarget(_ head: borrowing RequestHead) -> LocalResponse? {
        let target = head.target
        switch target.form {
        case .origin, .asterisk:
            return LocalResponse(
                400,
                .httpRequestError,
                "target.origin-form",
                "This is a proxy: it takes requests with an absolute target, as http://host/path.",
                closes: true
            )
        case .authority:
            return nil
        case .absolute:
            break
        }
        if target.userinfo != nil && !http.userinfo { return .userinfoRefused }
        switch target.scheme {
        case .http, .https:
            return nil
        case nil:
            return LocalResponse(
                501,
                .httpRequestDenied,
                "target.scheme",
                "Only http and https targets are served.",
                closes: true
            )
        }
    }

    private func refusalOfMethod(_ head: borrowing RequestHead) -> LocalResponse? {
        if head.method == .trace && !http.trace {
            return LocalResponse(
                405,
                .httpRequestDenied,
                "method.trace",
                "TRACE is switched off.",
                field: .init(name: "Allow", value: "GET, HEAD, POST, PUT, DELETE, CONNECT, OPTIONS, PATCH"),
                closes: head.bodyLength != .none
            )
        }
        guard head.method == .options || head.method == .trace else { return nil }
        switch MaxForwards(head) {
        case .absent, .left: return nil
        case .malformed:
            return LocalResponse(
                400,
                .httpRequestError,
                "request.max-forwards",
                "Max-Forwards has to be a number.",
                closes: head.bodyLength != .none
            )
        case .none: break
        }
        return LocalResponse(
            200,
            nil,
            "request.max-forwards-reached",
            "The request ended at this proxy, as its Max-Forwards asked.",
            closes: head.bodyLength != .none
        )
    }

    /// Expectations other than 100-continue can't be met (RFC 9110 s.10.1.1).
    private func refusalOfExpectation(_ head: borrowing RequestHead) -> LocalResponse? {
        guard let index = head.fields.first(.expect) else { return nil }
        if ASCII.equalsIgnoringCase(head.fields.value(index), "100-continue") { return nil }
        return LocalResponse(
            417,
            .httpRequestError,
            "request.expect",
            "The expectation can't be met.",
            closes: true
        )
    }

    private func refusalOfLoop(_ head: borrowing RequestHead) -> LocalResponse? {
        var next = head.fields.first(.via)
        while let index = next {
            if names(head.fields.value(index)) { return ExchangeError(.loop, .local).response }
            next = head.fields.next(.via, after: index)
        }
        return nil
    }

    /// Whether a Via value names us as received-by (RFC 9110 s.7.6.3).
    private func names(_ value: Span<UInt8>) -> Bool {
        let length = pseudonym.utf8.count
        guard value.count >= length else { return false }
        for start in 0...(value.count - length) {
            let end = start + length
            guard start == 0 || ASCII.isBlank(value[start - 1]) else { continue }
            guard end == value.count || !ASCII.isToken(value[end]) else { continue }
            if ASCII.equals(value.extracting(start..<end), pseudonym) { return true }
        }
        return false
    }
}

extension LocalResponse {
    /// Who asks may not.
    package static var clientRefused: LocalResponse {
        LocalResponse(
            403,
            .httpRequestDenied,
            "access.client",
            "This client may not use the proxy.",
            closes: true
        )
    }
}
