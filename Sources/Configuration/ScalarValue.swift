internal import Bytes
internal import Rules

/// What is wrong with the text of a scalar.
struct ScalarProblem: Error {
    let message: String

    static func wrong(_ message: String) -> ScalarProblem { ScalarProblem(message: message) }
}

/// The values of scalars that more than one section knows.
enum ScalarValue {
    static func boolean(_ text: String) -> Bool? {
        switch text {
        case "true": true
        case "false": false
        default: nil
        }
    }

    /// Decimal digits only, without sign; nil where they overflow.
    static func integer(_ text: String) -> Int? {
        let digits = text.utf8
        guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
        return Int(text)
    }

    static func port(_ text: String) -> UInt16? {
        integer(text).flatMap { UInt16(exactly: $0) }.flatMap { $0 == 0 ? nil : $0 }
    }

    /// `250ms`, `30s`, `5m`, `12h`, `7d`; at most a hundred years.
    static func duration(_ text: String) -> Nanoseconds? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit: Int? =
            switch text[digits.endIndex...] {
            case "ms": 1
            case "s": 1000
            case "m": 60_000
            case "h": 3_600_000
            case "d": 86_400_000
            default: nil
            }
        guard let unit, let number = integer(String(digits)) else { return nil }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit)
        guard !overflow, milliseconds <= 3_155_760_000_000 else { return nil }
        return Nanoseconds(milliseconds) * 1_000_000
    }

    /// `64KiB`, `1MiB`, `2GiB`, or bytes.
    static func size(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit: Int? =
            switch text[digits.endIndex...] {
            case "": 1
            case "KiB": 1 << 10
            case "MiB": 1 << 20
            case "GiB": 1 << 30
            default: nil
            }
        guard let unit, let number = integer(String(digits)) else { return nil }
        let (size, overflow) = number.multipliedReportingOverflow(by: unit)
        return overflow ? nil : size
    }

    /// A day that exists, as `YYYY-MM-DD`.
    static func date(_ text: String) -> CivilDate? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.map(\.utf8.count) == [4, 2, 2], let year = integer(parts[0]), let month = integer(parts[1]),
            let day = integer(parts[2])
        else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    /// Permissions of a file, as three or four octal digits.
    static func permissions(_ text: String) -> UInt16? {
        guard (3...4).contains(text.utf8.count) else { return nil }
        return UInt16(text, radix: 8).flatMap { $0 <= 0o777 ? $0 : nil }
    }

    /// `IP`, `IP:PORT`, `[V6]` or `[V6]:PORT`; a port of 0 is the usual one.
    static func nameServer(_ text: String) -> DNSConfiguration.Server? {
        if let address = IPAddress(text) { return DNSConfiguration.Server(address: address, port: 0) }
        guard case .success(let read) = HostAndPort.read(text, of: ""), let address = IPAddress(read.host) else {
            return nil
        }
        return DNSConfiguration.Server(address: address, port: read.port ?? 0)
    }

    /// The path in a `PATH` or `{ file: PATH }`.
    static func path(_ node: YAMLNode) -> YAMLNode? {
        let node = node.entries == nil ? node : node["file"]
        guard let node, !node.isFaulty, let text = node.text, !text.isEmpty else { return nil }
        return node
    }
}

/// How values of the file stand in messages.
enum Quoting {
    /// The text in quotes, shortened, without control characters and without a login that stands in a URL.
    static func quoted(_ text: String) -> String {
        let shown = String(String.UnicodeScalarView(withoutLogin(text).unicodeScalars.prefix(60)))
        return "'\(printable(shown))\(text.unicodeScalars.count > 60 ? "..." : "")'"
    }

    /// The text with what would change how a terminal shows it replaced, cut where it is far too long.
    static func printable(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(1000) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown += "\u{FFFD}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// `http://user:password@host` as `http://…`; nothing is shown where an `@` makes something else look like a login.
    static func withoutLogin(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard let start = URLMasking.hiddenStart(in: bytes[...], isURL: false) else { return text }
        return String(decoding: bytes[..<start], as: UTF8.self) + "…"
    }
}

extension String {
    /// Whether it has `${` or `{{`, by which shells and templates name what they fill in.
    var hasPlaceholder: Bool {
        zip(utf8, utf8.dropFirst()).contains { first, second in
            second == UInt8(ascii: "{") && (first == UInt8(ascii: "$") || first == second)
        }
    }
}
