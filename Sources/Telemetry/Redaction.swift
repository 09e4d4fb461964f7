internal import Bytes

/// What is left out of a log line.
enum Redaction {
    /// The two ranges of a request target that may be told: without userinfo and, unless `keepsQuery`, without query.
    static func target(
        _ target: Span<UInt8>,
        keepsQuery: Bool
    ) -> (first: Range<Int>, second: Range<Int>) {
        let end = keepsQuery ? target.count : ASCII.firstIndex(of: UInt8(ascii: "?"), in: target) ?? target.count
        // What begins with two slashes is a path to us, and to many a reader an authority.
        let isPath = end > 0 && target[0] == UInt8(ascii: "/") && !(end > 1 && target[1] == UInt8(ascii: "/"))
        guard end > 0, !isPath else { return (0..<end, end..<end) }
        let authority = startOfAuthority(target, end: end)
        // Without `://` a slash ends nothing: what is no URL may still hold a login.
        let isURL = authority > 0
        var index = authority
        var afterUserinfo = authority
        while index < end, !isURL || target[index] != UInt8(ascii: "/"), target[index] != UInt8(ascii: "?") {
            if target[index] == UInt8(ascii: "@") { afterUserinfo = index + 1 }
            if target[index] == UInt8(ascii: "%"), isEscapedAt(target, index, end: end) { afterUserinfo = index + 3 }
            index += 1
        }
        return (0..<authority, afterUserinfo..<end)
    }

    /// `%40` in an authority: an `@` that somebody escaped.
    private static func isEscapedAt(_ target: Span<UInt8>, _ index: Int, end: Int) -> Bool {
        index + 2 < end && target[index + 1] == UInt8(ascii: "4") && target[index + 2] == UInt8(ascii: "0")
    }

    /// Behind `scheme://` or `//`, and further slashes; 0 where there is none, as in the target of a CONNECT.
    private static func startOfAuthority(_ target: Span<UInt8>, end: Int) -> Int {
        let isBare = target[0] == UInt8(ascii: "/")
        guard let colon = isBare ? -1 : ASCII.firstIndex(of: UInt8(ascii: ":"), in: target), colon + 2 < end,
            target[colon + 1] == UInt8(ascii: "/"), target[colon + 2] == UInt8(ascii: "/")
        else { return 0 }
        var index = colon + 3
        while index < end, target[index] == UInt8(ascii: "/") { index += 1 }
        return index
    }
}
