/// How a name and a password become bytes where the challenge doesn't say [RFC 7617, section 2.1].
package enum Charset: UInt8, Sendable {
    case utf8
    case latin1

    /// Appends `text`, which is UTF-8, in this charset to `bytes`; fails where a character has no byte in Latin-1.
    func append(_ text: Span<UInt8>, to bytes: inout [UInt8]) throws(AuthenticationError) {
        var index = 0
        while index < text.count {
            let byte = text[index]
            index += 1
            if self == .utf8 || byte < 0x80 {
                bytes.append(byte)
                continue
            }
            // Latin-1 is U+0000 to U+00FF: in UTF-8, beyond ASCII, the lead bytes C2 and C3 and one more byte.
            guard byte == 0xc2 || byte == 0xc3, index < text.count, text[index] & 0xc0 == 0x80 else {
                throw .charsetUnencodable
            }
            bytes.append((byte & 0x03) << 6 | (text[index] & 0x3f))
            index += 1
        }
    }
}
