import Bytes

/// A host and perhaps a port, as ranges of the bytes that they were read from [RFC 3986 s.3.2].
///
/// The one reader for what is matched and what is dialled. It takes less than RFC 3986: no userinfo, no percent-encoding,
/// no IPv6 zone, no byte that a host name never has, no port 0, and no spelling of an IPv4 address that only inet_aton takes.
package struct Authority: Equatable, Sendable {
    /// The host without brackets.
    package let host: Range<Int>
    /// Whether the host is an IPv6 address that stood in brackets.
    package let isIPv6Literal: Bool
    /// The port if there is one behind a colon.
    package let port: UInt16?

    /// Reads the whole of `bytes`; nil if it is no authority.
    package static func parse(_ bytes: Span<UInt8>) -> Authority? {
        parse(bytes, in: 0..<bytes.count)
    }

    /// Reads `range` of `bytes`; nil if it is no authority.
    package static func parse(_ bytes: Span<UInt8>, in range: Range<Int>) -> Authority? {
        guard let first = range.first else { return nil }
        if bytes[first] == UInt8(ascii: "[") { return parseLiteral(bytes, in: range) }
        let end = WordScan.first(.colon, bytes, from: first, to: range.upperBound)
        guard isHostName(bytes, in: first..<end) else { return nil }
        guard let port = parsePort(bytes, in: end..<range.upperBound) else { return nil }
        return Authority(host: first..<end, isIPv6Literal: false, port: port == 0 ? nil : port)
    }

    private static func parseLiteral(_ bytes: Span<UInt8>, in range: Range<Int>) -> Authority? {
        let first = range.lowerBound + 1
        var end = first
        while end < range.upperBound && bytes[end] != UInt8(ascii: "]") { end &+= 1 }
        guard end < range.upperBound else { return nil }
        guard let address = IPAddress(bytes.extracting(first..<end)), address.family == .v6 else { return nil }
        guard let port = parsePort(bytes, in: (end + 1)..<range.upperBound) else { return nil }
        return Authority(host: first..<end, isIPv6Literal: true, port: port == 0 ? nil : port)
    }

    /// Reads nothing or a colon alone (0), or a colon and a number from 1 to 65535.
    private static func parsePort(_ bytes: Span<UInt8>, in range: Range<Int>) -> UInt16? {
        guard let colon = range.first else { return 0 }
        guard bytes[colon] == .colon, range.count <= 6 else { return nil }
        if range.count == 1 { return 0 }
        var value = 0
        var index = colon &+ 1
        while index < range.upperBound {
            guard ByteClass.isDigit(bytes[index]) else { return nil }
            value = value &* 10 &+ Int(bytes[index] &- 0x30)
            index &+= 1
        }
        return value > 0 ? UInt16(exactly: value) : nil
    }

    /// Labels of letters, digits, `-`, `_` and `~`, joined by dots; one dot at the end is fine.
    private static func isHostName(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard !range.isEmpty, range.count <= 255, bytes[range.lowerBound] != UInt8(ascii: ".") else { return false }
        var previous: UInt8 = 0
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            if !isHostByte(byte) && (byte != UInt8(ascii: ".") || previous == byte) { return false }
            previous = byte
            index &+= 1
        }
        return !ByteClass.isDigit(bytes[range.lowerBound]) || isNameOrAddress(bytes, in: range)
    }

    @inline(__always)
    private static func isHostByte(_ byte: UInt8) -> Bool {
        ByteClass.isLetter(byte) || ByteClass.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "~")
    }

    /// Whether a host that begins with a digit is a dotted quad, or has a label that is no number.
    private static func isNameOrAddress(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        var end = range.upperBound
        if bytes[end - 1] == UInt8(ascii: ".") { end -= 1 }
        if IPAddress(bytes.extracting(range.lowerBound..<end)) != nil { return true }
        var label = range.lowerBound
        while label < end {
            var next = label
            while next < end && bytes[next] != UInt8(ascii: ".") { next += 1 }
            guard isNumber(bytes, in: label..<next) else { return true }
            label = next + 1
        }
        return false
    }

    /// Whether inet_aton reads the label: digits, or `0x` and hexadecimal digits.
    private static func isNumber(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        let isHex =
            range.count >= 2 && bytes[range.lowerBound] == UInt8(ascii: "0")
            && bytes[range.lowerBound + 1] | 0x20 == UInt8(ascii: "x")
        for index in isHex ? range.dropFirst(2) : range {
            guard isHex ? Hex.value(bytes[index]) != nil : ByteClass.isDigit(bytes[index]) else { return false }
        }
        return true
    }
}
