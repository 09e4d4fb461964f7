internal import Bytes

extension ChallengeParser {
    /// A parameter's value as it was found.
    struct Text {
        var value: [UInt8] = []
        var isQuoted: Bool
        /// Whether the quote was closed before the field ended; so is a value without quotes.
        var isClosed = true
        /// Whether the grammar allows it where it stands.
        var isWellFormed = true
        /// Whether it has no control character: CR, LF and NUL must not come back in a credential.
        var isClean = true

        mutating func append(_ byte: UInt8) {
            if ASCII.isControl(byte) && byte != 0x09 { isClean = false }
            value.append(byte)
        }
    }

    /// Whether a byte separates tokens: a blank, or what is left of a folded line.
    static func isSpace(_ byte: UInt8) -> Bool { ASCII.isBlank(byte) || byte == 0x0d || byte == 0x0a }

    static func skipSpaces(_ field: Span<UInt8>, _ index: inout Int) {
        while index < field.count && isSpace(field[index]) { index += 1 }
    }

    /// Whether a list element ends at `index`.
    static func isElementEnd(_ field: Span<UInt8>, _ index: Int) -> Bool {
        index >= field.count || field[index] == UInt8(ascii: ",")
    }

    /// The token that begins at `index`, perhaps empty.
    static func token(_ field: Span<UInt8>, _ index: inout Int) -> Range<Int> {
        let start = index
        while index < field.count && ASCII.isToken(field[index]) { index += 1 }
        return start..<index
    }

    /// Where a parameter's value begins, if blanks and `=` follow at `index`; blanks are allowed around it.
    static func valueStart(_ field: Span<UInt8>, from index: Int) -> Int? {
        var index = index
        skipSpaces(field, &index)
        guard index < field.count, field[index] == UInt8(ascii: "=") else { return nil }
        index += 1
        skipSpaces(field, &index)
        return index
    }

    /// The token68 that fills the element from `index` on, any padding included [RFC 9110, section 11.2].
    static func token68(_ field: Span<UInt8>, from start: Int) -> Range<Int>? {
        var index = start
        while index < field.count && isToken68(field[index]) { index += 1 }
        guard index > start else { return nil }
        while index < field.count && field[index] == UInt8(ascii: "=") { index += 1 }
        let end = index
        skipSpaces(field, &index)
        return isElementEnd(field, index) ? start..<end : nil
    }

    /// Reads a quoted-string from its quote on; one that never closes runs to the end of the field.
    static func quotedString(_ field: Span<UInt8>, _ index: inout Int) -> Text {
        var text = Text(isQuoted: true)
        index += 1
        while index < field.count {
            let byte = field[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return text }
            if byte == UInt8(ascii: "\\") {
                guard index < field.count else { break }
                text.append(field[index])
                index += 1
            } else {
                text.append(byte)
            }
        }
        text.isClosed = false
        text.isWellFormed = false
        return text
    }

    /// Reads a value without quotes: a token, or whatever a device put there up to a comma, a blank or a quote.
    static func bareValue(_ field: Span<UInt8>, _ index: inout Int) -> Text {
        var text = Text(isQuoted: false)
        while index < field.count {
            let byte = field[index]
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || isSpace(byte) { break }
            if !ASCII.isToken(byte) { text.isWellFormed = false }
            text.append(byte)
            index += 1
        }
        if text.value.isEmpty { text.isWellFormed = false }
        return text
    }

    private static func isToken68(_ byte: UInt8) -> Bool {
        if ASCII.isLetter(byte) || ASCII.isDigit(byte) { return true }
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"),
            UInt8(ascii: "/"):
            return true
        default: return false
        }
    }
}
