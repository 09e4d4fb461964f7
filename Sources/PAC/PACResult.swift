internal import Bytes
internal import HTTP

/// What a PAC file's `FindProxyForURL` returned, item by item (R-3).
package struct PACResult: Equatable, Sendable {
    /// One way that it names.
    package enum Item: Hashable, Sendable {
        /// To the origin itself.
        case direct
        /// By a proxy of that kind.
        case proxy(Kind, host: String, port: UInt16)
    }

    /// What a proxy speaks.
    package enum Kind: String, Sendable {
        case http, https, socks5

        fileprivate var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            case .socks5: 1080
            }
        }
    }

    /// Items that are looked at; browsers try far fewer.
    package static let most = 32

    /// The usable ones, in order.
    package private(set) var items: [Item] = []
    /// The others, as they were written, control characters and logins aside.
    package private(set) var passedOver: [String] = []

    /// Reads a result; an empty one, `null` and `undefined` mean to go directly, as in browsers.
    package init(_ text: Span<UInt8>) {
        let bytes = text.indices.map { text[$0] }
        let written = bytes.split(separator: UInt8(ascii: ";")).map(Self.words).filter { !$0.isEmpty }
        if written.isEmpty || ["null", "undefined"].contains(Self.text(written[0])) && written.count == 1 {
            items = [.direct]
            return
        }
        for words in written.prefix(Self.most) {
            if let item = Self.item(words) {
                if !items.contains(item) { items.append(item) }
            } else {
                passedOver.append(Self.told(words))
            }
        }
    }

    private static func words(_ item: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        item.split { $0 <= UInt8(ascii: " ") }
    }

    /// What `text` says, for people: all its items without the logins that don't belong there.
    package static func told(_ text: Span<UInt8>) -> String {
        let bytes = text.indices.map { text[$0] }
        return bytes.split(separator: UInt8(ascii: ";")).map { told(words($0)) }.joined(separator: "; ")
    }

    /// An item less what stands before an `@`, but for its first word.
    private static func told(_ words: [ArraySlice<UInt8>]) -> String {
        // What is escaped, or how often, can't be told from what is meant.
        let isEscaped = words.contains { word in ["%40", "%2540"].contains { word.contains(Array($0.utf8)) } }
        if isEscaped { return "…" }
        guard let last = words.lastIndex(where: { $0.contains(UInt8(ascii: "@")) }) else { return text(words) }
        let behind = words[last].split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last ?? []
        let kind = last > 0 ? "\(text([words[0]])) " : ""
        return "\(kind)…@\(text([behind] + words[(last + 1)...]))"
    }

    private static func text(_ words: [ArraySlice<UInt8>]) -> String {
        String(decoding: Array(words.joined(separator: [UInt8(ascii: " ")])).prefix(100), as: UTF8.self)
    }

    private static func item(_ words: [ArraySlice<UInt8>]) -> Item? {
        let kind: Kind
        switch String(decoding: words[0].map(ASCII.lowercased), as: UTF8.self) {
        case "direct": return words.count == 1 ? .direct : nil
        case "proxy", "http": kind = .http
        case "https": kind = .https
        case "socks", "socks5": kind = .socks5
        // SOCKS4 among them, which nothing here speaks.
        default: return nil
        }
        guard words.count == 2 else { return nil }
        let bytes = Array(words[1])
        guard let authority = Authority.parse(bytes.span) else { return nil }
        let host = Origin(scheme: .http, authority: authority, bytes: bytes.span).host
        return .proxy(kind, host: host, port: authority.port ?? kind.defaultPort)
    }
}
