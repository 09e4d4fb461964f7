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
        guard WordScan.firstInvisible(bytes.extracting(range), from: 0) == range.count else { return nil }
        var target = RequestTarget()
        return target.read(bytes, in: range, method: method) ? target : nil
    }

    /// Reads `range`, all of it visible ASCII, in place of what was held.
    mutating func read(_ bytes: Span<UInt8>, in range: Range<Int>, method: HTTPMethod) -> Bool {
        self = RequestTarget()
        let end = range.upperBound
        guard !range.isEmpty, WordScan.first(UInt8(ascii: "#"), bytes, from: range.lowerBound, to: end) == end else {
            return false
        }
        whole = range
        if method == .connect {
            form = .authority
            return takeAuthority(bytes, in: range) && port != nil
        }
        if bytes[range.lowerBound] == .slash {
            takePath(bytes, in: range)
            return true
        }
        if range.count == 1 && bytes[range.lowerBound] == UInt8(ascii: "*") {
            form = .asterisk
            return method == .options
        }
        form = .absolute
        return takeURI(bytes, in: range)
    }

    private mutating func takeURI(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard let start = takeScheme(bytes, in: range) else { return isOfOtherScheme(bytes, in: range) }
        var end = start
        while end < range.upperBound && bytes[end] != .slash && bytes[end] != UInt8(ascii: "?") { end &+= 1 }
        takePath(bytes, in: end..<range.upperBound)
        let at = WordScan.first(UInt8(ascii: "@"), bytes, from: start, to: end)
        if at == end { return takeAuthority(bytes, in: start..<end) }
        userinfo = start..<at
        for index in start..<at where !Self.isUserinfoByte(bytes[index]) { return false }
        // A second @ is no host byte.
        return takeAuthority(bytes, in: (at + 1)..<end)
    }

    /// Takes `http://` or `https://` in any case; answers where the authority begins.
    private mutating func takeScheme(_ bytes: Span<UInt8>, in range: Range<Int>) -> Int? {
        guard range.count >= 8 else { return nil }
        // The bit that folds letters is set in colon and slash already.
        let folded = WordScan.word(bytes, range.lowerBound) | WordScan.ones &* 0x20
        if folded & 0x00ff_ffff_ffff_ffff == 0x002f_2f3a_7074_7468 {
            scheme = .http
            return range.lowerBound &+ 7
        }
        if folded == 0x2f2f_3a73_7074_7468 {
            scheme = .https
            return range.lowerBound &+ 8
        }
        return nil
    }

    /// Whether it is a URI of a scheme that isn't served: `scheme:` and anything, but neither host:port, which belongs
    /// to CONNECT, nor http without an authority.
    private func isOfOtherScheme(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard ByteClass.isLetter(bytes[range.lowerBound]) else { return false }
        let colon = WordScan.first(.colon, bytes, from: range.lowerBound, to: range.upperBound)
        guard colon < range.upperBound else { return false }
        for index in range.lowerBound..<colon where !Self.isSchemeByte(bytes[index]) { return false }
        let rest = (colon + 1)..<range.upperBound
        return Scheme(bytes.extracting(range.lowerBound..<colon)) == nil
            && !rest.allSatisfy { ByteClass.isDigit(bytes[$0]) }
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
        let mark = WordScan.first(UInt8(ascii: "?"), bytes, from: range.lowerBound, to: range.upperBound)
        if mark < range.upperBound { query = (mark &+ 1)..<range.upperBound }
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
