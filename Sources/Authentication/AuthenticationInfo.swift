internal import Bytes

/// Reads Authentication-Info and Proxy-Authentication-Info [RFC 9110, section 11.6.3; RFC 7616, section 3.5].
package enum AuthenticationInfo {
    /// Where the value of a parameter stands, without its quotes; the first of that name. Allocates nothing.
    package static func range(of name: String, in field: Span<UInt8>) -> Range<Int>? {
        var index = 0
        while index < field.count {
            if field[index] == UInt8(ascii: ",") || ChallengeParser.isSpace(field[index]) {
                index += 1
                continue
            }
            let token = ChallengeParser.token(field, &index)
            guard !token.isEmpty, let start = ChallengeParser.valueStart(field, from: index) else {
                while index < field.count && field[index] != UInt8(ascii: ",") { index += 1 }
                continue
            }
            index = start
            guard let value = value(field, &index) else { return nil }
            if ASCII.equalsIgnoringCase(field.extracting(token), name) { return value }
        }
        return nil
    }

    /// The nonce that the server wants to see next; nil without one, and for one that no credential may carry.
    package static func nextNonce(in field: Span<UInt8>) -> [UInt8]? {
        guard let range = range(of: "nextnonce", in: field), !range.isEmpty else { return nil }
        var nonce: [UInt8] = []
        var index = range.lowerBound
        while index < range.upperBound {
            if field[index] == UInt8(ascii: "\\") && index + 1 < range.upperBound { index += 1 }
            if ASCII.isControl(field[index]) && field[index] != 0x09 { return nil }
            nonce.append(field[index])
            index += 1
        }
        return nonce.count <= maximumValueCount / 2 ? nonce : nil
    }

    /// Reads a value from `index` on; nil if its quote never closes.
    private static func value(_ field: Span<UInt8>, _ index: inout Int) -> Range<Int>? {
        guard index < field.count, field[index] == UInt8(ascii: "\"") else {
            let start = index
            while !ChallengeParser.isElementEnd(field, index) && !ChallengeParser.isSpace(field[index]) { index += 1 }
            return start..<index
        }
        index += 1
        let start = index
        while index < field.count && field[index] != UInt8(ascii: "\"") {
            index += field[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < field.count else { return nil }
        defer { index += 1 }
        return start..<index
    }
}
