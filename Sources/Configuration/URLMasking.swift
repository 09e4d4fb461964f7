internal import Bytes

/// Finds what isn't shown of a value that is a URL, or was meant as one: all behind its scheme, unless it is plainly a URL
/// without a login. Where a login is misspelt, nobody can tell where the host begins.
enum URLMasking {
    /// Keys whose values are URLs.
    static let keys: Set<String> = ["url", "token_endpoint", "origin", "report", "proxies"]

    /// Where the part begins that isn't shown; nil where all of it may be.
    static func hiddenStart(in text: ArraySlice<UInt8>, isURL: Bool) -> Int? {
        let start = authorityStart(in: text)
        guard isURL || start != nil else {
            let isLogin = text.contains(at) || (text.contains(UInt8(ascii: ":")) && mayHoldAtSign(text))
            return isLogin ? slashesEnd(in: text) ?? text.startIndex : nil
        }
        if let start, hasPlainAuthority(text[start...]), !mayHoldAtSign(text) { return nil }
        return start ?? text.startIndex
    }

    /// Whether there is an `@`, escaped or not, or what is shown or normalized like one.
    static func mayHoldAtSign(_ text: ArraySlice<UInt8>) -> Bool {
        text.indices.contains { index in atSigns.contains { text[index...].starts(with: $0) } }
    }

    private static let at = UInt8(ascii: "@")
    /// `%2540` is a `%40` that was escaped once more.
    private static let atSigns = ["@", "%40", "%2540", "\u{FF20}", "\u{FE6B}"].map { Array($0.utf8) }

    /// Behind the `://` of a scheme at the beginning.
    private static func authorityStart(in text: ArraySlice<UInt8>) -> Int? {
        let end = text.firstIndex { !ASCII.isLetter($0) && !ASCII.isDigit($0) } ?? text.endIndex
        guard end > text.startIndex, text[end...].starts(with: "://".utf8) else { return nil }
        return end + 3
    }

    private static func slashesEnd(in text: ArraySlice<UInt8>) -> Int? {
        authorityStart(in: text)
            ?? (text.starts(with: "//".utf8) ? text.startIndex + 2 : nil)
    }

    /// `HOST` or `HOST:PORT`, at the end of the text or before a path or query.
    private static func hasPlainAuthority(_ text: ArraySlice<UInt8>) -> Bool {
        let end = text.firstIndex { "/?#".utf8.contains($0) } ?? text.endIndex
        // Further on is nothing that ends a URL, and a login might begin behind.
        guard text[end...].allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else { return false }
        var host = text[..<end]
        if let colon = host.lastIndex(of: UInt8(ascii: ":")), host.last != UInt8(ascii: "]") {
            let port = host[(colon + 1)...]
            guard port.count <= 5, port.allSatisfy(ASCII.isDigit) else { return false }
            host = host[..<colon]
        }
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
            return host.dropFirst().dropLast().allSatisfy { Hex.value($0) != nil || ":.".utf8.contains($0) }
        }
        return host.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "-_.*".utf8.contains($0) }
    }
}

extension URLMasking {
    /// The part of a raw line that isn't shown, to its end, for a URL or an at-sign in it.
    static func hiddenStart(inLine line: ArraySlice<UInt8>) -> Int? {
        var index = line.startIndex
        while let start = line[index...].firstIndex(where: { !separators.contains($0) }) {
            let end = line[start...].firstIndex { separators.contains($0) } ?? line.endIndex
            let word = line[start..<end]
            let isValue = keys.contains { isKey($0, before: start, in: line) }
            if let hidden = hiddenStart(in: word, isURL: isValue && word.first != UInt8(ascii: "#")) { return hidden }
            // What ends a word may stand in a password.
            if let authority = authorityStart(in: word), mayHoldAtSign(line[authority...]) { return authority }
            index = end
        }
        return nil
    }

    private static let separators = Set(" \t\"',{}".utf8)

    private static func isKey(_ key: String, before start: Int, in line: ArraySlice<UInt8>) -> Bool {
        var before = line[..<start]
        while let last = before.last, " \t\"'".utf8.contains(last) { before.removeLast() }
        guard before.popLast() == UInt8(ascii: ":") else { return false }
        while let last = before.last, " \t\"'".utf8.contains(last) { before.removeLast() }
        return before.reversed().starts(with: key.utf8.reversed())
    }
}

/// Whether the authority of a URL seems to have a login: an at-sign of any form, or a colon before that of the port, where
/// it isn't an IPv6 address without its brackets.
func seemsToHoldLogin(_ authority: some StringProtocol) -> Bool {
    if URLMasking.mayHoldAtSign(Array(authority.utf8)[...]) { return true }
    guard !authority.hasPrefix("["), authority.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1 else { return false }
    let host = authority.lastIndex(of: ":").map { authority[..<$0] } ?? authority[...]
    return IPAddress(String(authority)) == nil && IPAddress(String(host)) == nil
}
