extension IPAddress {
    /// The address that `text` writes; nil for anything else, zones and brackets too.
    package init?(_ text: String) {
        let utf8 = text.utf8
        self.init(utf8.span)
    }

    /// The address that `text` writes: four decimal numbers without leading zeros, or RFC 4291 s.2.2.
    ///
    /// Other spellings that inet_aton takes (127.1, 0x7f000001) are none: what is matched must be what is dialled.
    package init?(_ text: Span<UInt8>) {
        if ASCII.firstIndex(of: UInt8(ascii: ":"), in: text) == nil {
            guard let value = Self.parseV4(text) else { return nil }
            self.init(v4: value)
        } else {
            var parser = V6Parser()
            guard let (high, low) = parser.parse(text) else { return nil }
            self.init(v6: high, low)
        }
    }

    fileprivate static func parseV4(_ text: Span<UInt8>) -> UInt32? {
        guard text.count >= 7, text.count <= 15 else { return nil }
        var value: UInt32 = 0
        var octet: UInt32 = 0
        var digits = 0
        var dots = 0
        for index in text.indices {
            let byte = text[index]
            if byte == UInt8(ascii: ".") {
                guard digits > 0, dots < 3 else { return nil }
                value = value << 8 | octet
                octet = 0
                digits = 0
                dots += 1
            } else {
                guard ASCII.isDigit(byte), digits < 3, digits == 0 || octet > 0 else { return nil }
                octet = octet * 10 + UInt32(byte &- 0x30)
                digits += 1
                guard octet < 256 else { return nil }
            }
        }
        return dots == 3 && digits > 0 ? value << 8 | octet : nil
    }
}

/// Reads the groups of an IPv6 address and remembers where `::` stood.
private struct V6Parser {
    private var groups = [8 of UInt16](repeating: 0)
    private var count = 0
    private var gap: Int?

    mutating func parse(_ text: Span<UInt8>) -> (UInt64, UInt64)? {
        var index = 0
        if text.count >= 2, text[0] == UInt8(ascii: ":"), text[1] == UInt8(ascii: ":") {
            gap = 0
            index = 2
        }
        while index < text.count {
            guard let next = readGroup(text, from: index) else { return nil }
            index = next
        }
        return assembled()
    }

    /// Reads a group and the separator behind it; answers where the next group begins.
    private mutating func readGroup(_ text: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        var value: UInt16 = 0
        while index < text.count, let digit = Hex.value(text[index]) {
            guard index - start < 4 else { return nil }
            value = value << 4 | UInt16(digit)
            index += 1
        }
        if index < text.count && text[index] == UInt8(ascii: ".") {
            return readDottedQuad(text, from: start)
        }
        guard index > start, push(value) else { return nil }
        if index == text.count { return index }
        guard text[index] == UInt8(ascii: ":"), index + 1 < text.count else { return nil }
        index += 1
        if text[index] == UInt8(ascii: ":") {
            guard gap == nil else { return nil }
            gap = count
            index += 1
        }
        return index
    }

    private mutating func readDottedQuad(_ text: Span<UInt8>, from start: Int) -> Int? {
        guard let value = IPAddress.parseV4(text.extracting(start..<text.count)) else { return nil }
        guard push(UInt16(value >> 16)), push(UInt16(value & 0xffff)) else { return nil }
        return text.count
    }

    private mutating func push(_ group: UInt16) -> Bool {
        guard count < 8 else { return false }
        groups[count] = group
        count += 1
        return true
    }

    private func assembled() -> (UInt64, UInt64)? {
        guard gap == nil ? count == 8 : count < 8 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        for index in 0..<count {
            let place = gap.map { index >= $0 ? index + 8 - count : index } ?? index
            let bits = UInt64(groups[index]) << UInt64((3 - place % 4) * 16)
            if place < 4 { halves.0 |= bits } else { halves.1 |= bits }
        }
        return halves
    }
}
