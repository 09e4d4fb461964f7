internal import Bytes
internal import Crypto

/// A SHA-256 value, held in place so that comparing and hashing it costs no allocation.
package struct Fingerprint: Hashable, Sendable {
    private let words: [4 of UInt64]

    /// The 32 bytes of a value; nil for any other number of them.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words = [4 of UInt64](repeating: 0)
        for index in bytes.indices {
            words[index / 8] = words[index / 8] << 8 | UInt64(bytes[index])
        }
        self.words = words
    }

    /// The value of `message`.
    package init(of message: Span<UInt8>) {
        let digest = MessageDigest()
        digest.begin(.sha256)
        digest.update(message)
        var result = [64 of UInt8](repeating: 0)
        let count = digest.finish(into: &result)
        var words = [4 of UInt64](repeating: 0)
        for index in 0..<count {
            words[index / 8] = words[index / 8] << 8 | UInt64(result[index])
        }
        self.words = words
    }

    /// The 32 bytes in the order of the digest.
    package var bytes: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - $0 % 8 * 8)) }
    }

    package static func == (left: Fingerprint, right: Fingerprint) -> Bool {
        left.words[0] == right.words[0] && left.words[1] == right.words[1]
            && left.words[2] == right.words[2] && left.words[3] == right.words[3]
    }

    package func hash(into hasher: inout Hasher) {
        // Digests are spread evenly: one word says as much as four.
        hasher.combine(words[0])
    }
}
