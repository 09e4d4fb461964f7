/// Hexadecimal digits.
package enum Hex {
    /// The lower-case digit of a value below 16.
    package static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ (value &- 10)
    }

    /// The value of a digit in either case.
    package static func value(_ digit: UInt8) -> UInt8? {
        if digit &- 0x30 < 10 { return digit &- 0x30 }
        let letter = (digit | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// Two lower-case digits for each byte.
    package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var digits = [UInt8](repeating: 0, count: 2 * bytes.count)
        var window = digits.mutableSpan
        for index in bytes.indices {
            window[2 * index] = digit(bytes[index] >> 4)
            window[2 * index + 1] = digit(bytes[index] & 15)
        }
        return digits
    }

    /// The bytes that pairs of digits in either case stand for; nil for an odd number of digits or anything else.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var index = 0
        while index < text.count {
            guard let high = value(text[index]), let low = value(text[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
            index += 2
        }
        return bytes
    }
}
