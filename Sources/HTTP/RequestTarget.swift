/// A request-target as ranges of the bytes that it was read from [RFC 9112 s.3.2].
package struct RequestTarget: Equatable, Sendable {
    /// The four forms.
    package enum Form: UInt8, Sendable {
        /// A path, as a server gets it.
        case origin
        /// A whole URI, as a proxy gets it.
        case absolute
        /// Host and port, for CONNECT.
        case authority
        /// `*`, for OPTIONS.
        case asterisk
    }

    /// The form.
    package internal(set) var form = Form.origin
    /// The scheme of absolute-form; nil in other forms, and for a scheme that is neither http nor https.
    package internal(set) var scheme: Scheme?
    /// The whole target.
    package internal(set) var whole = 0..<0
    /// What stands before the `@` of an authority; never part of `authority`.
    package internal(set) var userinfo: Range<Int>?
    /// Host and port without userinfo; empty in origin-form, asterisk-form and for other schemes.
    package internal(set) var authority = 0..<0
    /// The host without brackets; empty where `authority` is.
    package internal(set) var host = 0..<0
    /// Whether the host is an IPv6 address that stood in brackets.
    package internal(set) var isIPv6Literal = false
    /// The port if the target names one.
    package internal(set) var port: UInt16?
    /// Path and query from `/` or, where the path is empty, from `?`; may be empty.
    package internal(set) var path = 0..<0
    /// What stands behind the first `?`.
    package internal(set) var query: Range<Int>?

    /// An empty target.
    package init() {}

    /// The path without the query.
    package var pathOnly: Range<Int> {
        guard let query else { return path }
        return path.lowerBound..<(query.lowerBound - 1)
    }

    /// Reads `range` of `bytes` as the target of a request with this method; nil if it is none.
    ///
    /// Takes visible ASCII but `#`; what a path or query consists of is otherwise left alone, %-escapes too.
    package static func parse(_ bytes: Span<UInt8>, in range: Range<Int>, method: HTTPMethod) -> RequestTarget? {
        guard let first = range.first else { return nil }
        for index in range where bytes[index] &- 0x21 > 0x5d || bytes[index] == UInt8(ascii: "#") { return nil }
        var target = RequestTarget()
        target.whole = range
        if method == .connect {
            target.form = .authority
            return target.takeAuthority(bytes, in: range) && target.port != nil ? target : nil
        }
        if bytes[first] == .slash {
            target.takePath(bytes, in: range)
            return target
        }
        if range.count == 1 && bytes[first] == UInt8(ascii: "*") {
            target.form = .asterisk
            return method == .options ? target : nil
        }
        target.form = .absolute
        return target.takeURI(bytes, in: range) ? target : nil
    }

    private mutating func takeURI(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        var colon = range.lowerBound
        while colon < range.upperBound && bytes[colon] != .colon {
            guard Self.isSchemeByte(bytes[colon]) else { return false }
            colon &+= 1
        }
        guard colon < range.upperBound, ByteClass.isLetter(bytes[range.lowerBound]) else { return false }
        scheme = Scheme(bytes.extracting(range.lowerBound..<colon))
        let rest = (colon + 1)..<range.upperBound
        let isHierarchical = rest.count >= 2 && bytes[rest.lowerBound] == .slash && bytes[rest.lowerBound + 1] == .slash
        guard scheme != nil else {
            // host:port belongs to CONNECT alone; anything else may be a URI of a scheme that isn't served.
            return isHierarchical || !rest.allSatisfy { ByteClass.isDigit(bytes[$0]) }
        }
        guard isHierarchical else { return false }
        let start = rest.lowerBound + 2
        var end = start
        while end < range.upperBound && bytes[end] != .slash && bytes[end] != UInt8(ascii: "?") { end &+= 1 }
        takePath(bytes, in: end..<range.upperBound)
        var hostStart = start
        for index in start..<end where bytes[index] == UInt8(ascii: "@") {
            guard userinfo == nil else { return false }
            userinfo = start..<index
            hostStart = index + 1
        }
        if let userinfo, !userinfo.allSatisfy({ Self.isUserinfoByte(bytes[$0]) }) { return false }
        return takeAuthority(bytes, in: hostStart..<end)
    }

    private mutating func takeAuthority(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard let parsed = Authority.parse(bytes, in: range) else { return false }
        authority = range
        host = parsed.host
        isIPv6Literal = parsed.isIPv6Literal
        port = parsed.port
        return true
    }

    private mutating func takePath(_ bytes: Span<UInt8>, in range: Range<Int>) {
        path = range
        for index in range where bytes[index] == UInt8(ascii: "?") {
            query = (index + 1)..<range.upperBound
            return
        }
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        ByteClass.isLetter(byte) || ByteClass.isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    /// Visible ASCII but what RFC 3986 s.3.2.1 keeps out of userinfo.
    private static func isUserinfoByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
            UInt8(ascii: "}"):
            false
        default: true
        }
    }
}
