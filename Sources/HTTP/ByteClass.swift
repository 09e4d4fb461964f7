/// The byte classes of `ASCII` once more: a call into another room costs about 3 ns, which is too much for each byte.
enum ByteClass {
    /// Whether the byte is a tchar [RFC 9110 s.5.6.2].
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        let word: UInt64 = byte < 64 ? 0x03ff_6cfa_0000_0000 : 0x57ff_ffff_c7ff_fffe
        return byte < 128 && (word >> UInt64(byte & 63)) & 1 == 1
    }

    /// Whether the byte is a space or a horizontal tab.
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == .space || byte == .tab }

    /// The byte with A to Z folded to a to z.
    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// Whether both are the same but for the case of A to Z.
    @inline(__always)
    static func equalsIgnoringCase(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices where lowercased(left[index]) != lowercased(right[index]) { return false }
        return true
    }

    /// Whether the byte is a digit.
    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// Whether the byte is a letter.
    @inline(__always)
    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
}

extension UInt8 {
    static let nul: UInt8 = 0x00
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0a
    static let carriageReturn: UInt8 = 0x0d
    static let space: UInt8 = 0x20
    static let colon = UInt8(ascii: ":")
    static let comma = UInt8(ascii: ",")
    static let slash = UInt8(ascii: "/")
}
