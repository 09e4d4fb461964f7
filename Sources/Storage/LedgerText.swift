internal import Bytes

/// Words of the lines in the ledger's file and on the control socket.
package enum LedgerText {
    /// A text as one word: percent-encoded, an empty one as `-`.
    package static func encode(_ text: String) -> String {
        if text.isEmpty { return "-" }
        if text == "-" { return "%2d" }
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%") {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), Hex.digit(byte >> 4), Hex.digit(byte & 15)]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// The text that a word stands for; nil where it can't be one of `encode`.
    package static func decode(_ word: Substring) -> String? {
        if word == "-" { return "" }
        var bytes: [UInt8] = []
        var rest = Array(word.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Hex.value), let low = rest.popFirst().flatMap(Hex.value) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
    }

    /// A Unix time as one word, `-` for none.
    package static func encode(_ time: Int64?) -> String {
        time.map { "\($0)" } ?? "-"
    }

    /// A Unix time or none; nil for a word that is neither.
    package static func decodeTime(_ word: Substring) -> Int64?? {
        if word == "-" { return .some(nil) }
        return Int64(word).map { .some($0) }
    }
}
