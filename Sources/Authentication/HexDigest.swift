internal import Bytes
internal import Crypto

/// Up to 64 lower-case hex digits in place, without an allocation.
struct HexDigest {
    private var storage = [64 of UInt8](repeating: 0)
    private let count: Int

    /// The digits of `bytes`, of which there are at most 32.
    init(of bytes: Span<UInt8>) {
        count = 2 * min(bytes.count, 32)
        for index in 0..<(count / 2) {
            storage[2 * index] = Hex.digit(bytes[index] >> 4)
            storage[2 * index + 1] = Hex.digit(bytes[index] & 15)
        }
    }

    /// The digits of the message that `digest` is at the end of.
    init(finishing digest: MessageDigest) {
        var result = [64 of UInt8](repeating: 0)
        let length = digest.finish(into: &result)
        self.init(of: result.span.extracting(0..<length))
    }

    /// The eight digits of a nonce count.
    init(count value: UInt32) {
        count = 8
        for index in 0..<8 {
            storage[index] = Hex.digit(UInt8(truncatingIfNeeded: value >> UInt32(28 - 4 * index)) & 15)
        }
    }

    var digits: Span<UInt8> {
        @_lifetime(borrow self)
        get { storage.span.extracting(0..<count) }
    }
}
