internal import Authentication
internal import Bytes

extension LedgerFile {
    /// The file as text: a line for the version, one for the salt, and for each credential a line and further ones
    /// for what is known of it. A text in a line stands percent-encoded, an empty one as `-`.
    package var text: [UInt8] {
        var lines = ["\(Self.firstLine)", "salt \(String(decoding: Hex.encode(salt.span), as: UTF8.self))"]
        for entry in entries {
            lines.append("credential \(LedgerText.encode(entry.name)) \(entry.fingerprint.bits) \(entry.changed)")
            if entry.record.isConfirmed { lines.append("confirmed") }
            for rejections in entry.record.rejections {
                let times = "\(rejections.since) \(LedgerText.encode(rejections.until))"
                lines.append("rejected \(rejections.count) \(times) \(LedgerText.encode(rejections.server))")
            }
            if let doubt = entry.record.doubt { lines.append("doubted \(encode(doubt))") }
            if let withheld = entry.record.withheld { lines.append("withheld \(encode(withheld))") }
        }
        lines.append(Self.lastLine)
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// Reads what `text` wrote; nil for anything else.
    package init?(text: [UInt8]) {
        guard let text = String(validating: text, as: UTF8.self) else { return nil }
        // The last line end leaves an empty piece behind it.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 4, lines[0] == Self.firstLine, lines[lines.count - 2] == Self.lastLine,
            lines[lines.count - 1].isEmpty, let salt = Self.salt(lines[1])
        else { return nil }
        var entries: [Entry] = []
        for line in lines[2..<lines.count - 2] {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            if words.first == "credential" {
                guard let entry = Self.entry(words) else { return nil }
                entries.append(entry)
            } else {
                guard let last = entries.indices.last, Self.read(words, into: &entries[last].record) else { return nil }
            }
        }
        self.init(salt: salt, entries: entries)
    }

    private static let firstLine = "countersign-ledger 1"
    private static let lastLine = "end"

    // MARK: Writing

    private func encode(_ withholding: Withholding) -> String {
        let times = "\(withholding.since) \(LedgerText.encode(withholding.until))"
        return "\(times) \(LedgerText.encode(withholding.server)) \(LedgerText.encode(withholding.target))"
    }

    // MARK: Reading

    private static func salt(_ line: Substring) -> [UInt8]? {
        guard line.hasPrefix("salt "), let salt = Hex.decode(Array(line.dropFirst(5).utf8).span),
            salt.count == saltLength
        else { return nil }
        return salt
    }

    private static func entry(_ words: [Substring]) -> Entry? {
        guard words.count == 4, let name = LedgerText.decode(words[1]), let bits = UInt16(words[2]),
            let changed = Int64(words[3])
        else { return nil }
        return Entry(
            name: name,
            fingerprint: SecretFingerprint(bits: bits),
            changed: changed,
            record: CredentialRecord()
        )
    }

    private static func read(_ words: [Substring], into record: inout CredentialRecord) -> Bool {
        switch words.first {
        case "confirmed":
            record.isConfirmed = true
            return words.count == 1
        case "rejected":
            guard words.count == 5, let count = Int(words[1]), count > 0, let since = Int64(words[2]),
                let until = LedgerText.decodeTime(words[3]), let server = LedgerText.decode(words[4])
            else { return false }
            record.rejections.append(.init(server: server, count: count, since: since, until: until))
            return true
        case "doubted":
            record.doubt = withholding(words, extent: .target)
            return record.doubt != nil
        case "withheld":
            record.withheld = withholding(words, extent: .everywhere)
            return record.withheld != nil
        default:
            return false
        }
    }

    private static func withholding(_ words: [Substring], extent: Withholding.Extent) -> Withholding? {
        guard words.count == 5, let since = Int64(words[1]), let until = LedgerText.decodeTime(words[2]),
            let server = LedgerText.decode(words[3]),
            let target = LedgerText.decode(words[4])
        else { return nil }
        return Withholding(extent: extent, server: server, target: target, since: since, until: until)
    }
}
