internal import Bytes

/// The path of a request target, read as a rule's path is compared with it.
package enum RequestPath {
    /// Whether all servers agree on what the path names: it has no dot segment in any spelling, no empty segment,
    /// no escaped separator, no backslash, no control byte and no broken escape.
    /// A query isn't looked at.
    package static func isUnambiguous(_ path: Span<UInt8>) -> Bool {
        var index = 0
        while index < path.count, path[index] != UInt8(ascii: "?") {
            // `index` is at the slash before a segment, or at the start of a path without one.
            if path[index] == UInt8(ascii: "/") { index += 1 }
            guard let end = segment(path, from: index) else { return false }
            if end == index, end < path.count, path[end] == UInt8(ascii: "/") { return false }
            index = end
        }
        return true
    }

    /// The end of the segment that begins at an index, or nil if it is ambiguous.
    private static func segment(_ path: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        var dots = 0
        var isDotsOnly = true
        var hasParameters = false
        while index < path.count, path[index] != UInt8(ascii: "/"), path[index] != UInt8(ascii: "?") {
            let byte = path[index]
            guard byte > 0x20, byte != 0x7F, byte != UInt8(ascii: "\\") else { return nil }
            var plain = byte
            if byte == UInt8(ascii: "%") {
                guard let escape = escape(path, at: index) else { return nil }
                guard escape.byte >= 0x20, escape.byte != 0x7F else { return nil }
                guard escape.byte != UInt8(ascii: "/"), escape.byte != UInt8(ascii: "\\") else { return nil }
                plain = escape.innermost
                index = escape.end
            } else {
                index += 1
            }
            // Some servers take what follows a semicolon off before they look for dot segments.
            if plain == UInt8(ascii: ";") { hasParameters = true }
            if hasParameters { continue }
            if plain == UInt8(ascii: ".") { dots += 1 } else { isDotsOnly = false }
        }
        return isDotsOnly && (1...2).contains(dots) ? nil : index
    }

    /// An escape, the byte that it stands for, and the byte that is left when escapes of escapes are decoded, too.
    private static func escape(_ path: Span<UInt8>, at index: Int) -> (byte: UInt8, innermost: UInt8, end: Int)? {
        guard let byte = Reader.escaped(path, at: index) else { return nil }
        var innermost = byte
        var position = index + 3
        var end = position
        while innermost == UInt8(ascii: "%"), position + 1 < path.count {
            guard let high = Hex.value(path[position]), let low = Hex.value(path[position + 1]) else { break }
            innermost = high << 4 | low
            position += 2
            end = position
        }
        return (byte, innermost, innermost == UInt8(ascii: ".") ? end : index + 3)
    }

    /// Reads a path in normal form: unreserved characters plain, all that is escaped or beyond ASCII in upper-case escapes.
    struct Reader {
        private var index = 0
        private var digits: (first: UInt8, second: UInt8) = (0, 0)
        private var digitsLeft = 0

        /// The next byte, or nil at the end of the path or at its query.
        mutating func next(in path: Span<UInt8>) -> UInt8? {
            if digitsLeft > 0 {
                digitsLeft -= 1
                return digitsLeft == 1 ? digits.first : digits.second
            }
            guard index < path.count, path[index] != UInt8(ascii: "?") else { return nil }
            let byte = path[index]
            if byte == UInt8(ascii: "%"), let decoded = Reader.escaped(path, at: index) {
                index += 3
                return Reader.isUnreserved(decoded) ? decoded : escape(decoded)
            }
            index += 1
            return byte < 0x80 ? byte : escape(byte)
        }

        private mutating func escape(_ byte: UInt8) -> UInt8 {
            digits = (Reader.digit(byte >> 4), Reader.digit(byte & 0xF))
            digitsLeft = 2
            return UInt8(ascii: "%")
        }

        /// The byte that an escape stands for, or nil where there is no whole one.
        static func escaped(_ path: Span<UInt8>, at index: Int) -> UInt8? {
            guard index + 2 < path.count, let high = Hex.value(path[index + 1]), let low = Hex.value(path[index + 2])
            else { return nil }
            return high << 4 | low
        }

        private static func digit(_ value: UInt8) -> UInt8 {
            value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "A")
        }

        private static func isUnreserved(_ byte: UInt8) -> Bool {
            if ASCII.isLetter(byte) || ASCII.isDigit(byte) { return true }
            return switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
            default: false
            }
        }
    }
}
