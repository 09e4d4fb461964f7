package import Bytes
package import HTTP

/// How one request is written towards its next hop.
package struct RequestForm: Equatable, Sendable {
    package enum Target: Sendable {
        /// To an origin (RFC 9112 s.3.2.1).
        case origin
        /// To a parent proxy (RFC 9112 s.3.2.2).
        case absolute
        /// CONNECT (RFC 9112 s.3.2.3).
        case authority
    }

    package var target: Target
    /// The head goes ahead of the body and asks for a 100 (RFC 9110 s.10.1.1).
    package var expectsContinue = false
    /// The client's Upgrade to WebSocket is passed on (RFC 9110 s.7.8).
    package var upgrades = false
    /// The client's own Authorization is passed on.
    package var keepsAuthorization = true
    /// The client's own Proxy-Authorization is passed on, to the parent that an explicit default disposition names.
    package var keepsProxyAuthorization = false
    /// The body is left out: the request itself where it is idempotent, else a HEAD of its target (B-3).
    package var isEmpty = false
    /// The next hop speaks HTTP/1.0 and is asked to keep the connection (C-11).
    package var asksForPersistence = false

    package init(target: Target) {
        self.target = target
    }
}

/// Writes a request anew from what was parsed, without hop-by-hop fields (RFC 9110 s.7.6.1).
package enum ForwardedRequest {
    private static let dropped: FieldNameSet = [
        .connection, .keepAlive, .proxyConnection, .te, .transferEncoding, .upgrade, .host, .expect, .contentLength,
    ]

    /// Appends the request line and Host, which is always the target's authority (RFC 9112 s.3.2.2).
    ///
    /// `authority`, unless it is empty, takes the place of the target's: the request goes to another origin than it was
    /// written for.
    package static func appendStart(
        _ head: borrowing RequestHead,
        form: RequestForm,
        authority: [UInt8] = [],
        into buffer: inout ByteBuffer
    ) {
        if form.isEmpty && !head.method.isIdempotent {
            HeadSerializer.appendMethod("HEAD".utf8.span, into: &buffer)
        } else {
            HeadSerializer.appendMethod(head.methodBytes, into: &buffer)
        }
        appendTarget(head, form: form.target, into: &buffer)
        buffer.append(" HTTP/1.1\r\nHost: ")
        if authority.isEmpty {
            buffer.append(head.bytes(head.target.authority))
        } else {
            buffer.append(authority)
        }
        buffer.append("\r\n")
    }

    /// Appends the beginning of a CONNECT of our own (RFC 9110 s.9.3.6); values of ours and the empty line may follow.
    package static func appendConnect(_ authority: Span<UInt8>, pseudonym: String, into buffer: inout ByteBuffer) {
        buffer.append("CONNECT ")
        buffer.append(authority)
        buffer.append(" HTTP/1.1\r\nHost: ")
        buffer.append(authority)
        buffer.append("\r\n")
        MessageParts.appendVia(.http11, pseudonym: pseudonym, into: &buffer)
    }

    /// The request-target where it stands in the head as it is sent; nil where it has to be put together.
    @_lifetime(borrow head)
    package static func standingTarget(_ head: borrowing RequestHead, form: RequestForm.Target) -> Span<UInt8>? {
        let target = head.target
        switch form {
        case .authority:
            return head.bytes(target.authority)
        case .absolute:
            return target.userinfo == nil && !beginsBare(head) ? head.bytes(target.whole) : nil
        case .origin:
            return beginsBare(head) ? nil : head.bytes(target.path)
        }
    }

    /// Whether the path is empty or begins with the query, so that a slash has to be put before it.
    private static func beginsBare(_ head: borrowing RequestHead) -> Bool {
        let path = head.target.path
        return path.isEmpty || head.bytes(path)[0] != UInt8(ascii: "/")
    }

    /// Appends the request-target of this leg: what Digest is computed over (RFC 7616 s.3.4.6).
    package static func appendTarget(
        _ head: borrowing RequestHead,
        form: RequestForm.Target,
        into buffer: inout ByteBuffer
    ) {
        if let standing = standingTarget(head, form: form) {
            buffer.append(standing)
            return
        }
        let target = head.target
        let isServerWide = target.path.isEmpty && head.method == .options
        if form == .absolute {
            buffer.append("http://")
            buffer.append(head.bytes(target.authority))
            if isServerWide { return }
        } else if isServerWide {
            buffer.append(UInt8(ascii: "*"))
            return
        }
        if beginsBare(head) { buffer.append(UInt8(ascii: "/")) }
        buffer.append(head.bytes(target.path))
    }

    /// Appends the fields that are passed on, the framing and Via; values of ours and the empty line may follow.
    ///
    /// Fields with one of the `replaced` names, in lower case, are left out.
    package static func appendFields(
        _ head: borrowing RequestHead,
        form: RequestForm,
        pseudonym: String,
        mapping: OriginMapping? = nil,
        replaced: [String] = [],
        into buffer: inout ByteBuffer
    ) {
        var except = mapping == nil ? dropped : dropped.union(OriginMapping.requestFields)
        if !form.keepsProxyAuthorization { except.insert(.proxyAuthorization) }
        if !form.keepsAuthorization { except.insert(.authorization) }
        let lowersMaxForwards = head.method == .options || head.method == .trace
        if lowersMaxForwards { except.insert(.maxForwards) }
        let options = head.fields.contains(.connection) ? ConnectionOptions(head.fields) : nil
        HeadSerializer.appendFields(head.fields, except: except, options: options, names: replaced, into: &buffer)
        mapping?.appendRequestFields(head.fields, into: &buffer)
        if lowersMaxForwards { appendMaxForwards(head, into: &buffer) }
        appendFraming(head, form: form, into: &buffer)
        appendHopByHop(head, form: form, into: &buffer)
        MessageParts.appendVia(head.version, pseudonym: pseudonym, into: &buffer)
    }

    /// Appends what asks a server of HTTP/1.0 to keep the connection (RFC 9112 s.9.3), in the older spelling too.
    package static func appendPersistence(into buffer: inout ByteBuffer) {
        buffer.append("Connection: keep-alive\r\nProxy-Connection: keep-alive\r\n")
    }

    private static func appendFraming(
        _ head: borrowing RequestHead,
        form: RequestForm,
        into buffer: inout ByteBuffer
    ) {
        guard head.method != .connect else { return }
        if form.isEmpty {
            if head.method.isIdempotent { HeadSerializer.appendContentLength(0, into: &buffer) }
            return
        }
        switch head.bodyLength {
        case .none, .untilClose: break
        case .fixed(let length): HeadSerializer.appendContentLength(length, into: &buffer)
        case .chunked: buffer.append("Transfer-Encoding: chunked\r\n")
        }
    }

    private static func appendHopByHop(
        _ head: borrowing RequestHead,
        form: RequestForm,
        into buffer: inout ByteBuffer
    ) {
        if form.upgrades {
            buffer.append("Connection: Upgrade\r\nUpgrade: websocket\r\n")
        } else if head.fields.contains(.te) && head.fields.hasToken(.te, "trailers") {
            buffer.append("TE: trailers\r\nConnection: TE\r\n")
        }
        if form.asksForPersistence && !form.upgrades { appendPersistence(into: &buffer) }
        if form.expectsContinue && !form.isEmpty { buffer.append("Expect: 100-continue\r\n") }
    }

    /// One hop less is left (RFC 9110 s.7.6.2); a zero never gets here.
    private static func appendMaxForwards(_ head: borrowing RequestHead, into buffer: inout ByteBuffer) {
        guard case .left(let hops) = MaxForwards(head) else { return }
        buffer.append("Max-Forwards: ")
        buffer.append(decimal: hops - 1)
        buffer.append("\r\n")
    }
}
