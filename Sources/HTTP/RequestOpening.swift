internal import Bytes

/// Whether bytes are the beginning of an HTTP/1.1 request in the clear [RFC 9112 s.3].
package enum RequestOpening: Equatable, Sendable {
    /// It can't be told yet.
    case incomplete
    /// A method name, and a target behind it.
    case request
    /// Something else.
    case other

    /// No method that is in use is nearly as long.
    private static let longestMethod = 32

    /// Reads the first bytes of a connection; they remain to be parsed.
    ///
    /// A word and a blank begin the lines of many protocols, so what follows has to look like a target too. The preface
    /// of HTTP/2 [RFC 9113 s.3.4] does, and is none.
    package static func read(_ bytes: Span<UInt8>) -> RequestOpening {
        var end = 0
        while end < bytes.count, ByteClass.isToken(bytes[end]) { end += 1 }
        guard end <= longestMethod else { return .other }
        guard end < bytes.count else { return .incomplete }
        guard end > 0, bytes[end] == UInt8(ascii: " ") else { return .other }
        let method = bytes.extracting(0..<end)
        let target = bytes.extracting((end + 1)..<bytes.count)
        if ASCII.equals(method, "PRI") { return .other }
        if ASCII.equals(method, "CONNECT") { return target.isEmpty ? .incomplete : .request }
        return readTarget(target)
    }

    private static func readTarget(_ target: Span<UInt8>) -> RequestOpening {
        guard !target.isEmpty else { return .incomplete }
        if target[0] == .slash || target[0] == UInt8(ascii: "*") { return .request }
        var index = 0
        for byte in "http".utf8 {
            guard index < target.count else { return .incomplete }
            guard ByteClass.lowercased(target[index]) == byte else { return .other }
            index += 1
        }
        return .request
    }
}
