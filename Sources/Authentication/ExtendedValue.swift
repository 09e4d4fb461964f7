internal import Bytes

/// Writes the extended notation of a parameter's value [RFC 8187, section 3.2].
enum ExtendedValue {
    /// Appends `UTF-8''` and `text`, percent-encoded but for attr-char.
    static func append(_ text: Span<UInt8>, to buffer: inout ByteBuffer) {
        buffer.append("UTF-8''")
        for index in text.indices {
            let byte = text[index]
            if isAttributeCharacter(byte) {
                buffer.append(byte)
            } else {
                buffer.append(UInt8(ascii: "%"))
                buffer.append(uppercaseDigit(byte >> 4))
                buffer.append(uppercaseDigit(byte & 15))
            }
        }
    }

    /// attr-char is tchar without `*`, `'` and `%`.
    private static func isAttributeCharacter(_ byte: UInt8) -> Bool {
        guard ASCII.isToken(byte) else { return false }
        return byte != UInt8(ascii: "*") && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "%")
    }

    private static func uppercaseDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + (value - 10)
    }
}
