/// A path prefix on segment borders, compared with the path that is sent [RFC 3986 s.6.2.2.2].
///
/// `/private` is about `/private` and `/private/x`, `/private/` about what lies below it alone.
package struct PathPattern: Hashable, Sendable {
    /// The prefix in normal form: unreserved characters plain, all others as written or escaped in upper case.
    package let bytes: [UInt8]

    /// Reads a path as it is written in the rule file.
    package init(_ text: String) throws(PathPatternError) {
        let written = Array(text.utf8)
        guard written.first == UInt8(ascii: "/") else { throw .relative }
        guard !written.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else { throw .query }
        let span = written.span
        guard RequestPath.isUnambiguous(span) else { throw .ambiguous }
        var normal: [UInt8] = []
        var reader = RequestPath.Reader()
        while let unit = reader.next(in: span) {
            normal.append(unit)
        }
        bytes = normal
    }

    /// Whether a path lies at or below the prefix.
    ///
    /// `path` is the path that is sent, with or without its query, and unambiguous (`RequestPath.isUnambiguous`).
    package func matches(_ path: Span<UInt8>) -> Bool {
        var reader = RequestPath.Reader()
        for byte in bytes {
            guard reader.next(in: path) == byte else { return false }
        }
        if bytes.last == UInt8(ascii: "/") { return true }
        guard let next = reader.next(in: path) else { return true }
        return next == UInt8(ascii: "/")
    }

    /// Whether every path that the other pattern matches is matched by this one, too.
    package func covers(_ other: PathPattern) -> Bool {
        matches(other.bytes.span)
    }
}

/// Why a text is no path prefix.
package enum PathPatternError: Error, Equatable, Sendable {
    /// It doesn't begin with a slash.
    case relative
    /// It has a query or a fragment.
    case query
    /// It has what no path may have for which a rule names a path, so it would never match (A-27).
    case ambiguous

    /// One sentence that says what a path may have.
    package var message: String {
        switch self {
        case .relative: "a path begins with '/'"
        case .query: "a path has no query and no fragment"
        case .ambiguous:
            "a path has no dot segment, empty segment, %2F, %5C, backslash or control character; it would never match"
        }
    }
}
