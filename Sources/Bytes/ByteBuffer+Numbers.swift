extension ByteBuffer {
    /// Appends `value` in decimal digits.
    package mutating func append(decimal value: UInt64) {
        var digits = [20 of UInt8](repeating: 0)
        var first = 20
        var rest = value
        repeat {
            first &-= 1
            digits[first] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        append(digits.span.extracting(first..<20))
    }

    /// Appends `value` in decimal digits, with a leading minus sign where it is negative.
    package mutating func append(decimal value: Int) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(decimal: UInt64(value.magnitude))
    }

    /// Appends `value` in decimal digits, filled up with zeros on the left to `width` digits (at most 20).
    package mutating func append(decimal value: UInt64, width: Int) {
        var limit: UInt64 = 10
        for _ in 1..<max(width, 1) {
            if value < limit { append(UInt8(ascii: "0")) }
            limit = limit.multipliedReportingOverflow(by: 10).overflow ? .max : limit * 10
        }
        append(decimal: value)
    }

    /// Appends `value` in lower-case hexadecimal digits, filled up with zeros on the left to `width` digits (at most 16).
    package mutating func append(hex value: UInt64, width: Int = 1) {
        var digits = [16 of UInt8](repeating: UInt8(ascii: "0"))
        var first = 16
        var rest = value
        while rest > 0 {
            first &-= 1
            digits[first] = Hex.digit(UInt8(truncatingIfNeeded: rest & 15))
            rest >>= 4
        }
        append(digits.span.extracting(min(first, 16 - min(max(width, 1), 16))..<16))
    }

    /// Appends two lower-case hexadecimal digits for each byte.
    package mutating func append(lowercaseHexOf bytes: Span<UInt8>) {
        var window = writable(minimum: 2 * bytes.count)
        for index in bytes.indices {
            window[2 &* index] = Hex.digit(bytes[index] >> 4)
            window[2 &* index &+ 1] = Hex.digit(bytes[index] & 15)
        }
        commit(2 * bytes.count)
    }
}
