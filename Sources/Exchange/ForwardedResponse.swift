package import Bytes
package import HTTP

/// How the body of a response is framed towards the client (RFC 9112 s.6).
package enum ResponseFraming: Equatable, Sendable {
    /// No body, whatever its fields say.
    case none
    /// As many bytes as Content-Length says.
    case fixed(UInt64)
    case chunked
    /// The end of the connection ends the body.
    case untilClose
}

/// How one response is written towards the client.
package struct ResponseForm: Equatable, Sendable {
    package var framing: ResponseFraming
    package var keepsAlive: Bool
    /// A value of ours brought it: challenge and authentication-info fields are not the client's.
    package var isAnswered = false
    /// A cache must not share it (RFC 9111 s.3.5).
    package var isPrivate = false
    /// The parent's challenge is passed on by an explicit default disposition.
    package var keepsProxyChallenge = false
    /// A challenge that is passed on names in Proxy-Status why it was not answered.
    package var told: LocalResponse?
    /// A client may log in at the origin by what is bound to the connection (C-8).
    package var tellsProxySupport = false
    /// A 101 to the client's own Upgrade.
    package var upgrades = false

    package init(framing: ResponseFraming, keepsAlive: Bool) {
        self.framing = framing
        self.keepsAlive = keepsAlive
    }
}

/// Writes a response anew from what was parsed, without hop-by-hop fields (RFC 9110 s.7.6.1).
package enum ForwardedResponse {
    private static let dropped: FieldNameSet = [
        .connection, .keepAlive, .proxyConnection, .te, .transferEncoding, .upgrade, .proxyAuthorization,
        .contentLength, .proxyAuthenticate, .proxyAuthenticationInfo,
    ]

    /// What no trailer may carry on: framing, routing and authentication (H-8, A-12).
    package static let droppedTrailers: FieldNameSet = [
        .connection, .keepAlive, .proxyConnection, .te, .trailer, .transferEncoding, .upgrade, .host, .contentLength,
        .authorization, .proxyAuthorization, .wwwAuthenticate, .proxyAuthenticate, .authenticationInfo,
        .proxyAuthenticationInfo, .via, .maxForwards, .expect,
    ]

    /// Appends the whole head.
    package static func append(
        _ head: borrowing ResponseHead,
        form: ResponseForm,
        terms: ResponseTerms,
        mapping: OriginMapping? = nil,
        into buffer: inout ByteBuffer
    ) {
        HeadSerializer.appendStatusLine(head.status, reason: head.reason, into: &buffer)
        appendFields(head, form: form, mapping: mapping, into: &buffer)
        if form.isPrivate { appendPrivate(head, into: &buffer) }
        if head.status >= 200 && !head.fields.contains(.date) {
            MessageParts.appendDate(terms.unixSeconds, into: &buffer)
        }
        if form.tellsProxySupport, !head.fields.contains(.proxySupport) {
            buffer.append("Proxy-Support: Session-Based-Authentication\r\n")
        }
        if let told = form.told {
            buffer.append("Proxy-Status: ")
            ProxyStatus.append(
                proxy: terms.pseudonym,
                error: nil,
                receivedStatus: head.status,
                details: told.details,
                into: &buffer
            )
            buffer.append("\r\n")
        }
        MessageParts.appendVia(head.version, pseudonym: terms.pseudonym, into: &buffer)
        appendFraming(head, form: form, version: terms.version, into: &buffer)
        buffer.append("\r\n")
    }

    /// Appends an interim response (RFC 9110 s.15.2).
    package static func appendInterim(
        _ head: borrowing ResponseHead,
        pseudonym: String,
        into buffer: inout ByteBuffer
    ) {
        HeadSerializer.appendStatusLine(head.status, reason: head.reason, into: &buffer)
        appendFields(head, form: ResponseForm(framing: .none, keepsAlive: true), into: &buffer)
        MessageParts.appendVia(head.version, pseudonym: pseudonym, into: &buffer)
        buffer.append("\r\n")
    }

    /// Appends the fields of a parent's challenge (RFC 9110 s.11.7.1).
    package static func appendProxyChallenges(of head: borrowing ResponseHead, into buffer: inout ByteBuffer) {
        var next = head.fields.first(.proxyAuthenticate)
        while let index = next {
            buffer.append("Proxy-Authenticate: ")
            buffer.append(head.fields.value(index))
            buffer.append("\r\n")
            next = head.fields.next(.proxyAuthenticate, after: index)
        }
    }

    private static func appendFields(
        _ head: borrowing ResponseHead,
        form: ResponseForm,
        mapping: OriginMapping? = nil,
        into buffer: inout ByteBuffer
    ) {
        var except = mapping == nil ? dropped : dropped.union(OriginMapping.responseFields)
        if form.keepsProxyChallenge {
            except.remove(.proxyAuthenticate)
            except.remove(.proxyAuthenticationInfo)
        }
        if form.isAnswered {
            except.insert(.wwwAuthenticate)
            except.insert(.authenticationInfo)
        }
        let options = head.fields.contains(.connection) ? ConnectionOptions(head.fields) : nil
        HeadSerializer.appendFields(head.fields, except: except, options: options, into: &buffer)
        mapping?.appendResponseFields(head.fields, into: &buffer)
    }

    private static func appendFraming(
        _ head: borrowing ResponseHead,
        form: ResponseForm,
        version: HTTPVersion,
        into buffer: inout ByteBuffer
    ) {
        switch form.framing {
        case .none:
            // HEAD and 304 tell the length of what they leave out (RFC 9110 s.8.6).
            if head.status >= 200 && head.status != 204, let length = head.contentLength {
                HeadSerializer.appendContentLength(length, into: &buffer)
            }
        case .fixed(let length):
            HeadSerializer.appendContentLength(length, into: &buffer)
        case .chunked:
            buffer.append("Transfer-Encoding: chunked\r\n")
        case .untilClose:
            break
        }
        if form.upgrades {
            buffer.append("Connection: Upgrade\r\nUpgrade: websocket\r\n")
        } else {
            MessageParts.appendConnection(keepsAlive: form.keepsAlive, version: version, into: &buffer)
        }
    }

    /// Keeps a shared cache from storing what our credential brought, unless the origin allows it (RFC 9111 s.3.5).
    private static func appendPrivate(_ head: borrowing ResponseHead, into buffer: inout ByteBuffer) {
        guard !SharedCaching.isDecided(head.fields) else { return }
        buffer.append("Cache-Control: private\r\n")
    }
}

/// What a response's Cache-Control says about caches that many share (RFC 9111 s.5.2.2).
enum SharedCaching {
    /// Whether the origin decided itself: allowed it for a response to Authorization, or forbade it.
    static func isDecided(_ fields: borrowing Fields) -> Bool {
        var line = fields.first(.cacheControl)
        while let index = line {
            let value = fields.value(index)
            var start = 0
            while let element = FieldList.next(in: value, from: &start) {
                if names(value.extracting(FieldList.head(of: element, in: value))) { return true }
            }
            line = fields.next(.cacheControl, after: index)
        }
        return false
    }

    private static func names(_ name: Span<UInt8>) -> Bool {
        ASCII.equalsIgnoringCase(name, "public") || ASCII.equalsIgnoringCase(name, "s-maxage")
            || ASCII.equalsIgnoringCase(name, "must-revalidate") || ASCII.equalsIgnoringCase(name, "private")
            || ASCII.equalsIgnoringCase(name, "no-store")
    }
}
