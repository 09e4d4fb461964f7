import Support

/// Random secrets, and every form in which one could show somewhere.
final class CanarySecrets: Sendable {
    /// What no alphabet of a form leaves as it is.
    private static let tail = "%/+"

    private let marks: [String: String]

    init(_ names: [String]) {
        let digits = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        marks = Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, "c4n" + String((0..<17).map { _ in digits[Int.random(in: 0..<digits.count)] }))
            }
        )
    }

    /// The secret of that name.
    subscript(_ name: String) -> String { (marks[name] ?? "") + Self.tail }

    /// The same where only letters and digits can stand.
    func plain(_ name: String) -> String { marks[name] ?? "" }

    /// What Basic makes of it for alice [RFC 7617 s.2].
    func base64(of name: String) -> String { Self.base64(Array("alice:\(self[name])".utf8)) }

    /// Which secret shows in `text`, with its surroundings; nil where none does.
    func shown(in text: String) -> String? {
        let bytes = Array(text.utf8)
        for (name, mark) in marks {
            for form in Self.forms(of: mark) {
                if let place = Self.place(of: form, in: bytes) {
                    let around = bytes[max(0, place - 120)..<min(bytes.count, place + form.count + 20)]
                    return "\(name): \(String(decoding: around, as: UTF8.self))"
                }
            }
        }
        return nil
    }

    /// Raw and percent-encoded, which leaves letters and digits as they are; in base64 (and its URL form) wherever it
    /// stands in what was encoded; in hex; and what Digest makes of it first [RFC 7616 s.3.4.2].
    private static func forms(of mark: String) -> [[UInt8]] {
        let bytes = Array(mark.utf8)
        var forms = [bytes]
        for offset in 0..<3 {
            let encoded = Array(base64([UInt8](repeating: 0x61, count: offset) + bytes).utf8)
            // Only the characters that depend on nothing but the secret.
            let own = encoded[((offset * 8 + 5) / 6)..<((offset + bytes.count) * 8 / 6)]
            forms.append(Array(own))
            forms.append(own.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? 0x5f : $0 })
        }
        let digits = Array("0123456789abcdef".utf8)
        let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        forms += [hex, hex.map { $0 >= 0x61 ? $0 - 0x20 : $0 }]
        let first = "alice:R:\(mark)\(tail)"
        forms += [Array(Digest.md5(first).utf8), Array(Digest.sha256(first).utf8)]
        return forms
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let word = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for index in 0...part.count { text.append(alphabet[word >> (18 - 6 * index) & 63]) }
            text += String(repeating: "=", count: 3 - part.count)
        }
        return text
    }

    private static func place(of form: [UInt8], in bytes: [UInt8]) -> Int? {
        guard let first = form.first, bytes.count >= form.count else { return nil }
        return (0...(bytes.count - form.count)).first { place in
            bytes[place] == first && bytes[place..<(place + form.count)].elementsEqual(form)
        }
    }
}
