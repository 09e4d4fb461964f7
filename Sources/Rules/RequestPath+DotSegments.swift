internal import Bytes

extension RequestPath {
    /// Whether some server may find a dot segment in the path, in whatever spelling.
    ///
    /// A query isn't looked at.
    package static func hasDotSegment(_ path: Span<UInt8>) -> Bool {
        var index = 0
        var dots = 0
        var isDotsOnly = true
        var isParameter = false
        while index < path.count, path[index] != UInt8(ascii: "?") {
            let (byte, end) = plain(path, at: index)
            index = end
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "\\"):
                if isDotsOnly, dots == 1 || dots == 2 { return true }
                (dots, isDotsOnly, isParameter) = (0, true, false)
            // Some servers take what follows a semicolon off before they look.
            case UInt8(ascii: ";"): isParameter = true
            case UInt8(ascii: ".") where !isParameter: dots += 1
            default: if !isParameter { isDotsOnly = false }
            }
        }
        return isDotsOnly && (dots == 1 || dots == 2)
    }

    /// The byte at an index with its escapes undone, those of escapes too, and where the next begins.
    private static func plain(_ path: Span<UInt8>, at index: Int) -> (UInt8, Int) {
        guard path[index] == UInt8(ascii: "%"), var byte = Reader.escaped(path, at: index) else {
            return (path[index], index + 1)
        }
        var end = index + 3
        while byte == UInt8(ascii: "%"), end + 1 < path.count {
            guard let high = Hex.value(path[end]), let low = Hex.value(path[end + 1]) else { break }
            byte = high << 4 | low
            end += 2
        }
        return (byte, end)
    }
}
