internal import Bytes

/// Writes a quoted-string [RFC 9110, section 5.6.4].
enum QuotedString {
    /// Appends `text` in quotes.
    static func append(_ text: Span<UInt8>, to buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "\""))
        appendContent(text, to: &buffer)
        buffer.append(UInt8(ascii: "\""))
    }

    /// Appends `text` as it stands between quotes: `"` and `\` get a backslash.
    ///
    /// A control character but the tab never gets through; no challenge, credential or target that was parsed has one.
    static func appendContent(_ text: Span<UInt8>, to buffer: inout ByteBuffer) {
        if isPlain(text) { return buffer.append(text) }
        for index in text.indices {
            let byte = text[index]
            if ASCII.isControl(byte) && byte != 0x09 { continue }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { buffer.append(UInt8(ascii: "\\")) }
            buffer.append(byte)
        }
    }

    private static func isPlain(_ text: Span<UInt8>) -> Bool {
        var special = false
        for index in text.indices {
            let byte = text[index]
            special = special || byte < 0x20 || byte == 0x22 || byte == 0x5c || byte == 0x7f
        }
        return !special
    }
}
