/// Classes of bytes and comparisons as HTTP defines them over US-ASCII; bytes from 0x80 on are in no class.
package enum ASCII {
    /// The byte with A to Z folded to a to z.
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Whether the byte is a tchar [RFC 9110 s.5.6.2].
    package static func isToken(_ byte: UInt8) -> Bool {
        let word: UInt64 = byte < 64 ? 0x03ff_6cfa_0000_0000 : 0x57ff_ffff_c7ff_fffe
        return byte < 128 && (word >> UInt64(byte & 63)) & 1 == 1
    }

    /// Whether `bytes` is a token: at least one byte, all of them tchar [RFC 9110 s.5.6.2].
    package static func isToken(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where !isToken(bytes[index]) { return false }
        return !bytes.isEmpty
    }

    /// Whether the byte is a digit.
    package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// Whether the byte is a letter.
    package static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    /// Whether the byte is a hexadecimal digit.
    package static func isHexDigit(_ byte: UInt8) -> Bool { Hex.value(byte) != nil }

    /// Whether the byte is a space or a horizontal tab [RFC 9110 s.5.6.3].
    package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether the byte is a control character (DEL among them).
    package static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7f }

    /// Whether both are the same bytes.
    package static func equals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    /// Whether `bytes` is the UTF-8 of `text`; allocates nothing for a literal.
    package static func equals(_ bytes: Span<UInt8>, _ text: String) -> Bool {
        let utf8 = text.utf8
        return equals(bytes, utf8.span)
    }

    /// Whether both are the same but for the case of A to Z.
    package static func equalsIgnoringCase(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices where lowercased(left[index]) != lowercased(right[index]) { return false }
        return true
    }

    /// Whether `bytes` is the UTF-8 of `text` but for the case of A to Z; allocates nothing for a literal.
    package static func equalsIgnoringCase(_ bytes: Span<UInt8>, _ text: String) -> Bool {
        let utf8 = text.utf8
        return equalsIgnoringCase(bytes, utf8.span)
    }

    /// Whether `bytes` begins with the UTF-8 of `text`, but for the case of A to Z.
    package static func hasPrefixIgnoringCase(_ bytes: Span<UInt8>, _ text: String) -> Bool {
        let utf8 = text.utf8
        guard bytes.count >= utf8.count else { return false }
        return equalsIgnoringCase(bytes.extracting(first: utf8.count), utf8.span)
    }

    /// The first index of `byte` at or behind `index`.
    package static func firstIndex(of byte: UInt8, in bytes: Span<UInt8>, from index: Int = 0) -> Int? {
        var index = index
        while index < bytes.count {
            if bytes[index] == byte { return index }
            index &+= 1
        }
        return nil
    }

    /// `range` of `bytes` without spaces and tabs at both ends (OWS) [RFC 9110 s.5.6.3].
    package static func trimmingBlanks(_ bytes: Span<UInt8>, in range: Range<Int>) -> Range<Int> {
        var first = range.lowerBound
        var last = range.upperBound
        while first < last && isBlank(bytes[first]) { first &+= 1 }
        while first < last && isBlank(bytes[last &- 1]) { last &-= 1 }
        return first..<last
    }

    /// `bytes` without spaces and tabs at both ends (OWS) [RFC 9110 s.5.6.3].
    @_lifetime(copy bytes)
    package static func trimmingBlanks(_ bytes: Span<UInt8>) -> Span<UInt8> {
        bytes.extracting(trimmingBlanks(bytes, in: 0..<bytes.count))
    }

    /// The number that `bytes` writes in decimal digits alone; nil for anything else and for more than 64 bits.
    package static func decimal(_ bytes: Span<UInt8>) -> UInt64? {
        guard !bytes.isEmpty else { return nil }
        var value: UInt64 = 0
        for index in bytes.indices {
            let digit = bytes[index] &- 0x30
            guard digit < 10 else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            guard !overflow && !carry else { return nil }
            value = sum
        }
        return value
    }
}

extension [UInt8] {
    /// A copy of `bytes`.
    package init(_ bytes: Span<UInt8>) {
        self.init(repeating: 0, count: bytes.count)
        var window = mutableSpan
        for index in bytes.indices { window[index] = bytes[index] }
    }
}

extension String {
    /// `bytes` as UTF-8, with U+FFFD for what isn't.
    package init(_ bytes: Span<UInt8>) {
        self.init(decoding: [UInt8](bytes), as: UTF8.self)
    }
}
