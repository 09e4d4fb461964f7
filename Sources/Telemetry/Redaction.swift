internal import Bytes

/// What is left out of a log line.
enum Redaction {
    /// The two ranges of a request target that may be told: without userinfo and, unless `keepsQuery`, without query.
    static func target(
        _ target: Span<UInt8>,
        keepsQuery: Bool
    ) -> (first: Range<Int>, second: Range<Int>) {
        let end = keepsQuery ? target.count : ASCII.firstIndex(of: UInt8(ascii: "?"), in: target) ?? target.count
        guard end > 0, target[0] != UInt8(ascii: "/") else { return (0..<end, end..<end) }
        let authority = startOfAuthority(target, end: end)
        var index = authority
        var afterUserinfo = authority
        while index < end, target[index] != UInt8(ascii: "/"), target[index] != UInt8(ascii: "?") {
            if target[index] == UInt8(ascii: "@") { afterUserinfo = index + 1 }
            index += 1
        }
        return (0..<authority, afterUserinfo..<end)
    }

    /// Behind `scheme://`; 0 where there is none, as in the target of a CONNECT.
    private static func startOfAuthority(_ target: Span<UInt8>, end: Int) -> Int {
        guard let colon = ASCII.firstIndex(of: UInt8(ascii: ":"), in: target), colon + 2 < end,
            target[colon + 1] == UInt8(ascii: "/"), target[colon + 2] == UInt8(ascii: "/")
        else { return 0 }
        return colon + 3
    }
}
