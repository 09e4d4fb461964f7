/// Looks at eight bytes at a time.
///
/// The eight loads of `word` are of a window of known size, so the compiler checks bounds once and makes them one load:
/// a value is scanned about four times as fast as byte by byte.
enum WordScan {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The eight bytes from `index` on, the first one lowest.
    @inline(__always)
    static func word(_ bytes: Span<UInt8>, _ index: Int) -> UInt64 {
        let window = bytes.extracting(index..<(index &+ 8))
        let low =
            UInt64(window[0]) | UInt64(window[1]) << 8 | UInt64(window[2]) << 16 | UInt64(window[3]) << 24
        let high =
            UInt64(window[4]) << 32 | UInt64(window[5]) << 40 | UInt64(window[6]) << 48 | UInt64(window[7]) << 56
        return low | high
    }

    /// The first index from `start` on whose byte is below 0x20, or the end.
    @inline(__always)
    static func firstControl(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index &+ 8 <= bytes.count {
            let word = word(bytes, index)
            // A borrow can only mark bytes behind the first one that is marked rightly.
            let marks = (word &- ones &* 0x20) & ~word & highBits
            if marks != 0 { return index &+ marks.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < bytes.count && bytes[index] >= 0x20 { index &+= 1 }
        return index
    }

    /// The first index from `start` on whose byte is not visible ASCII, or the end.
    @inline(__always)
    static func firstInvisible(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index &+ 8 <= bytes.count {
            let word = word(bytes, index)
            let marks = ((word &- ones &* 0x21) | (word &+ ones) | word) & highBits
            if marks != 0 { break }
            index &+= 8
        }
        while index < bytes.count && bytes[index] &- 0x21 <= 0x5d { index &+= 1 }
        return index
    }

    /// The first index of `byte` from `start` on and before `end`, or `end`.
    @inline(__always)
    static func first(_ byte: UInt8, _ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while index &+ 8 <= end {
            let difference = word(bytes, index) ^ ones &* UInt64(byte)
            let marks = (difference &- ones) & ~difference & highBits
            if marks != 0 { return index &+ marks.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < end && bytes[index] != byte { index &+= 1 }
        return index
    }

    /// Whether both are the same bytes.
    @inline(__always)
    static func equals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var index = 0
        while index &+ 8 <= left.count {
            if word(left, index) != word(right, index) { return false }
            index &+= 8
        }
        while index < left.count {
            if left[index] != right[index] { return false }
            index &+= 1
        }
        return true
    }

    /// Marks the bytes of a word that are neither a letter nor a hyphen.
    @inline(__always)
    static func marksNoNameByte(_ word: UInt64) -> UInt64 {
        // Without the high bits no addition carries into the next byte.
        let low = word & ~highBits
        let folded = low | ones &* 0x20
        let fromA = folded &+ ones &* (0x80 - 0x61)
        let behindZ = folded &+ ones &* (0x80 - 0x7b)
        // Not the folded byte: folding makes a CR a hyphen.
        let notHyphen = (low ^ ones &* 0x2d) &+ ones &* 0x7f
        return (~(fromA & ~behindZ) & notHyphen | word) & highBits
    }
}
