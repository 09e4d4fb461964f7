/// Base64 in the alphabet of RFC 4648 s.4, with padding.
package enum Base64 {
    /// How strictly `decode` reads.
    package enum Strictness: Sendable {
        /// Exactly what `encode` writes: padding as needed, unused bits zero.
        case strict
        /// Any number of `=` at the end, none too, and any unused bits.
        case tolerant
    }

    /// The number of characters that stand for `count` bytes.
    package static func encodedCount(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Appends `bytes` in base64.
    package static func append(_ bytes: Span<UInt8>, into buffer: inout ByteBuffer) {
        buffer.reserveCapacity(encodedCount(bytes.count))
        var index = 0
        while index < bytes.count {
            let second = index + 1 < bytes.count ? bytes[index + 1] : 0
            let third = index + 2 < bytes.count ? bytes[index + 2] : 0
            let group = UInt32(bytes[index]) << 16 | UInt32(second) << 8 | UInt32(third)
            buffer.append(character(group >> 18))
            buffer.append(character(group >> 12))
            buffer.append(index + 1 < bytes.count ? character(group >> 6) : UInt8(ascii: "="))
            buffer.append(index + 2 < bytes.count ? character(group) : UInt8(ascii: "="))
            index += 3
        }
    }

    /// `bytes` in base64.
    package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var buffer = ByteBuffer(capacity: encodedCount(bytes.count))
        append(bytes, into: &buffer)
        return [UInt8](buffer.readable)
    }

    /// The bytes that `text` stands for; nil where it is no base64.
    package static func decode(_ text: Span<UInt8>, _ strictness: Strictness = .strict) -> [UInt8]? {
        var count = text.count
        while count > 0 && text[count - 1] == UInt8(ascii: "=") { count -= 1 }
        let padding = text.count - count
        guard count % 4 != 1, strictness == .tolerant || (padding < 3 && text.count.isMultiple(of: 4)) else {
            return nil
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 3 / 4)
        var bits: UInt32 = 0
        var held = 0
        for index in 0..<count {
            guard let value = value(text[index]) else { return nil }
            bits = bits << 6 | UInt32(value)
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        if strictness == .strict && bits & (1 << UInt32(held) - 1) != 0 { return nil }
        return bytes
    }

    private static func character(_ group: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: group & 63)
        if value < 26 { return UInt8(ascii: "A") + value }
        if value < 52 { return UInt8(ascii: "a") + (value - 26) }
        if value < 62 { return UInt8(ascii: "0") + (value - 52) }
        return value == 62 ? UInt8(ascii: "+") : UInt8(ascii: "/")
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
