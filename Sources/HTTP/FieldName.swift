/// A field name that the proxy knows; any other is `other` and known by its bytes alone [RFC 9110 s.5.1].
///
/// There are fewer than 64, so that a set of them is one word.
package enum FieldName: UInt8, Sendable, CaseIterable {
    case connection, keepAlive, proxyConnection, te, trailer, transferEncoding, upgrade, host, contentLength, expect
    case authorization, proxyAuthorization, wwwAuthenticate, proxyAuthenticate
    case authenticationInfo, proxyAuthenticationInfo, proxySupport, persistentAuth
    case via, date, maxForwards, proxyStatus, cacheControl, contentType, location, server
    case secFetchSite, secFetchMode, secFetchDest, origin
    case contentLocation, refresh, setCookie, strictTransportSecurity, altSvc, referer, destination
    case secWebSocketKey, secWebSocketAccept, secWebSocketVersion, secWebSocketProtocol, secWebSocketExtensions
    case other

    /// The name as it is usually written; empty for `other`.
    package var text: String {
        switch self {
        case .connection: "Connection"
        case .keepAlive: "Keep-Alive"
        case .proxyConnection: "Proxy-Connection"
        case .te: "TE"
        case .trailer: "Trailer"
        case .transferEncoding: "Transfer-Encoding"
        case .upgrade: "Upgrade"
        case .host: "Host"
        case .contentLength: "Content-Length"
        case .expect: "Expect"
        case .authorization: "Authorization"
        case .proxyAuthorization: "Proxy-Authorization"
        case .wwwAuthenticate: "WWW-Authenticate"
        case .proxyAuthenticate: "Proxy-Authenticate"
        case .authenticationInfo: "Authentication-Info"
        case .proxyAuthenticationInfo: "Proxy-Authentication-Info"
        case .proxySupport: "Proxy-Support"
        case .persistentAuth: "Persistent-Auth"
        default: messageText
        }
    }

    private var messageText: String {
        switch self {
        case .via: "Via"
        case .date: "Date"
        case .maxForwards: "Max-Forwards"
        case .proxyStatus: "Proxy-Status"
        case .cacheControl: "Cache-Control"
        case .contentType: "Content-Type"
        case .location: "Location"
        case .server: "Server"
        case .secFetchSite: "Sec-Fetch-Site"
        case .secFetchMode: "Sec-Fetch-Mode"
        case .secFetchDest: "Sec-Fetch-Dest"
        case .origin: "Origin"
        case .contentLocation: "Content-Location"
        case .refresh: "Refresh"
        case .setCookie: "Set-Cookie"
        case .strictTransportSecurity: "Strict-Transport-Security"
        case .altSvc: "Alt-Svc"
        case .referer: "Referer"
        case .destination: "Destination"
        case .secWebSocketKey: "Sec-WebSocket-Key"
        case .secWebSocketAccept: "Sec-WebSocket-Accept"
        case .secWebSocketVersion: "Sec-WebSocket-Version"
        case .secWebSocketProtocol: "Sec-WebSocket-Protocol"
        case .secWebSocketExtensions: "Sec-WebSocket-Extensions"
        default: ""
        }
    }

    /// The name that `bytes` writes in any case.
    package static func of(_ bytes: Span<UInt8>) -> FieldName {
        FieldNameTable.shared.name(bytes)
    }
}

/// A set of known field names.
package struct FieldNameSet: Equatable, Sendable, ExpressibleByArrayLiteral {
    private var bits: UInt64 = 0

    /// The set of these names.
    package init(arrayLiteral names: FieldName...) {
        for name in names { insert(name) }
    }

    /// The empty set.
    package init() {}

    /// Adds a name; `other` stands for no name and is left out.
    @inline(__always)
    package mutating func insert(_ name: FieldName) {
        guard name != .other else { return }
        bits |= 1 << UInt64(name.rawValue)
    }

    /// Takes a name out.
    package mutating func remove(_ name: FieldName) {
        bits &= ~(1 << UInt64(name.rawValue))
    }

    /// Adds all names of `others`.
    package mutating func formUnion(_ others: FieldNameSet) {
        bits |= others.bits
    }

    /// The names of both.
    package func union(_ others: FieldNameSet) -> FieldNameSet {
        var result = self
        result.formUnion(others)
        return result
    }

    /// Whether the name is in the set.
    package func contains(_ name: FieldName) -> Bool {
        bits >> UInt64(name.rawValue) & 1 == 1
    }

    /// Whether no name is in both.
    package func isDisjoint(with others: FieldNameSet) -> Bool { bits & others.bits == 0 }

    /// Whether there is no name in it.
    package var isEmpty: Bool { bits == 0 }
}
