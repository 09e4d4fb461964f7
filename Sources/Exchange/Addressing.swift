internal import Bytes
package import HTTP
internal import Rules

/// How the requests of a client's connection say whom they are for (A-22, H-2).
package enum Addressing: Sendable {
    /// By their targets, as those of a proxy's client do.
    case byTarget
    /// They don't: all are for the one origin of the listener.
    case fixed(FixedService)
    /// By Host, at the address to which the connection was going.
    case redirected(Redirection)
}

/// A request of a client that doesn't know of a proxy, brought to the form in which a proxy gets it.
package struct AddressedRequest: Sendable {
    /// What the client calls the origin; nil where it didn't say.
    let called: Origin?
    /// It is for the origin of a `fixed` listener, which has another name.
    let isFixed: Bool
    /// What stands before the client's paths.
    let prefix: String

    /// The host that the client's pages are on, as far as it said.
    package var calledHost: String? { called?.host }

    /// What the client and `upstream` call the same; nil where there is nothing to be mapped.
    func mapping(to upstream: Origin) -> OriginMapping? {
        isFixed ? OriginMapping(client: called, upstream: upstream, prefix: prefix) : nil
    }
}

extension Addressing {
    /// What came of addressing a request.
    package enum Outcome {
        case addressed(AddressedRequest)
        /// It isn't for whom its connection is.
        case refused(LocalResponse)
    }

    /// Gives a request's target the origin that it is for; nil where that says it itself.
    package func address(_ head: inout RequestHead) -> Outcome? {
        if case .byTarget = self { return nil }
        if head.target.form == .authority { return .refused(.connectRefused) }
        if head.target.userinfo != nil { return .refused(.userinfoRefused) }
        switch self {
        case .byTarget: return nil
        case .fixed(let service): return Self.address(&head, to: service)
        case .redirected(let redirection): return Self.address(&head, by: redirection)
        }
    }

    private static func address(_ head: inout RequestHead, to service: FixedService) -> Outcome {
        var called: Origin?
        if namesHost(head) {
            if let host = host(of: head) { called = service.called(host) }
            guard called != nil else { return .refused(.misdirected) }
        }
        if !service.prefix.isEmpty, RequestPath.hasDotSegment(head.rulePath) || leadsOut(head) {
            return .refused(.outsidePrefix)
        }
        let (base, prefix) = (service.base, service.prefix)
        guard head.readdress(to: base.span, prefix: prefix.span) else { return .refused(.misdirected) }
        return .addressed(AddressedRequest(called: called, isFixed: true, prefix: service.fixed.prefix))
    }

    /// Whether the Destination of a COPY or MOVE has dot segments (RFC 4918 s.10.3).
    private static func leadsOut(_ head: borrowing RequestHead) -> Bool {
        guard let index = head.fields.first(.destination) else { return false }
        let value = head.fields.value(index)
        let start = OriginReference.read(value, base: .http)?.pathStart ?? 0
        return RequestPath.hasDotSegment(value.extracting(start..<value.count))
    }

    private static func address(_ head: inout RequestHead, by redirection: Redirection) -> Outcome {
        var named: Origin?
        if !namesHost(head) {
            named = redirection.unnamedOrigin
        } else if let host = host(of: head) {
            named = redirection.origin(named: host)
        }
        guard let origin = named else { return .refused(.misdirected) }
        let base = Array("\(origin.scheme.text)://\(origin.authority)".utf8)
        guard head.readdress(to: base.span, prefix: Span()) else { return .refused(.misdirected) }
        return .addressed(AddressedRequest(called: origin, isFixed: false, prefix: ""))
    }

    /// Whether the request says at all whom it is for.
    private static func namesHost(_ head: borrowing RequestHead) -> Bool {
        head.target.form == .absolute || head.fields.contains(.host)
    }

    /// What a request calls its origin: an absolute target, of http, in the place of Host [RFC 9112 s.3.2.2].
    @_lifetime(borrow head)
    private static func host(of head: borrowing RequestHead) -> Span<UInt8>? {
        if head.target.form == .absolute {
            return head.target.scheme == .http ? head.bytes(head.target.authority) : nil
        }
        guard let index = head.fields.first(.host) else { return nil }
        return head.fields.value(index)
    }
}

extension LocalResponse {
    static var connectRefused: LocalResponse {
        LocalResponse(
            400,
            .httpRequestError,
            "target.connect",
            "No tunnels are opened here.",
            closes: true
        )
    }

    /// A server takes dot segments away together with what stands before them (RFC 3986 s.5.2.4).
    static var outsidePrefix: LocalResponse {
        LocalResponse(
            400,
            .httpRequestError,
            "path.dot-segment",
            "A path with dot segments may lead out of what is served here.",
            closes: true
        )
    }
}
