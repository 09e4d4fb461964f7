internal import Crypto

/// Up to 64 lower-case hex digits in place, without an allocation.
struct HexDigest {
    private var storage = [64 of UInt8](repeating: 0)
    private let count: Int

    /// The digits of `bytes`, of which there are at most 32.
    init(of bytes: Span<UInt8>) {
        count = 2 * min(bytes.count, 32)
        var place = 0
        for index in 0..<min(bytes.count, 32) {
            let byte = bytes[index]
            storage[place] = HexDigest.digit(byte >> 4)
            storage[place &+ 1] = HexDigest.digit(byte & 15)
            place &+= 2
        }
    }

    /// The digits of the message that `digest` is at the end of.
    init(finishing digest: MessageDigest) {
        var result = [64 of UInt8](repeating: 0)
        let length = digest.finish(into: &result)
        self.init(of: result.span.extracting(0..<length))
    }

    // `Hex.digit` costs a call for each digit, and there are 72 in a value.
    @inline(__always)
    static func digit(_ value: UInt8) -> UInt8 {
        value &+ (value > 9 ? 0x57 : 0x30)
    }

    var digits: Span<UInt8> {
        @_lifetime(borrow self)
        get { storage.span.extracting(0..<count) }
    }
}

/// A nonce count and its eight hex digits.
struct NonceCount {
    private(set) var value: UInt32
    private(set) var digits: [8 of UInt8]

    init(_ value: UInt32) {
        self.value = value
        digits = .init { HexDigest.digit(UInt8(truncatingIfNeeded: value >> UInt32(28 - 4 * $0)) & 15) }
    }
}
