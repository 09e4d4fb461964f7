internal import Bytes
package import Crypto

/// Reads a netrc file with curl's meaning: tokens between blanks, quoted ones with escapes, comments where a line begins
/// with `#`, macros skipped. `default` entries aren't used (A-17).
package enum NetrcFile {
    /// What a file holds for a host.
    package enum Entry: Sendable {
        /// The first with a password, else the first with a login, whose password is empty then.
        case login(username: [UInt8], password: Secret)
        case none
        /// A quote that never closes, or a control character in a login or password; counted from 1.
        case malformed(line: Int)
    }

    /// Looks for the entry of a host, whose name is compared without case and without a trailing dot.
    package static func entry(for host: String, in text: Span<UInt8>) -> Entry {
        var reader = NetrcReader(host: host)
        var start = 0
        var number = 0
        while start < text.count {
            let end = ASCII.firstIndex(of: UInt8(ascii: "\n"), in: text, from: start) ?? text.count
            number += 1
            guard reader.read(text.extracting(start..<end)) else { return .malformed(line: number) }
            if reader.isDone { break }
            start = end + 1
        }
        return reader.finish()
    }
}

/// What is known of a netrc file up to a line.
private struct NetrcReader {
    private enum State {
        /// A keyword comes next.
        case keyword
        /// The name of a machine, a login, a password or something else comes next.
        case machine, login, password, other
    }

    private let host: [UInt8]
    private var state = State.keyword
    private var isMacro = false
    /// The entry that is read is the host's.
    private var isOurs = false
    /// The host's entry has ended.
    private var isComplete = false
    private var login: [UInt8]?
    private var password: Secret?
    /// A login without password, of an earlier entry.
    private var bareLogin: [UInt8]?

    init(host: String) {
        self.host = Self.folded(Array(host.utf8))
    }

    /// A later entry can't change the outcome any more.
    var isDone: Bool { isComplete || isOurs && login != nil && password != nil }

    /// Reads a line; false where it can't be read.
    mutating func read(_ line: Span<UInt8>) -> Bool {
        var line = line
        if line.count > 0, line[line.count - 1] == UInt8(ascii: "\r") { line = line.extracting(0..<(line.count - 1)) }
        if isMacro {
            isMacro = line.count > 0
            return true
        }
        var index = 0
        var isFirst = true
        while !isDone, !isMacro {
            while index < line.count, ASCII.isBlank(line[index]) { index += 1 }
            guard index < line.count else { return true }
            if isFirst, line[index] == UInt8(ascii: "#") { return true }
            isFirst = false
            guard var token = Self.token(line, &index) else { return false }
            defer { Wiping.wipe(&token) }
            guard take(token) else { return false }
        }
        return true
    }

    mutating func finish() -> NetrcFile.Entry {
        endEntry()
        if let password { return .login(username: login ?? [], password: password) }
        return bareLogin.map { .login(username: $0, password: Secret("")) } ?? .none
    }

    /// Takes the next token; false where it can't be what it stands for.
    private mutating func take(_ token: [UInt8]) -> Bool {
        let wanted = state
        state = .keyword
        switch wanted {
        case .keyword: takeKeyword(token)
        case .machine: isOurs = Self.folded(token) == host
        case .login where isOurs:
            guard !token.contains(where: ASCII.isControl) else { return false }
            login = token
        case .password where isOurs:
            guard !token.contains(where: ASCII.isControl) else { return false }
            password = Secret(token.span)
        case .login, .password, .other: break
        }
        return true
    }

    private mutating func takeKeyword(_ token: [UInt8]) {
        switch String(decoding: Self.lowercased(token), as: UTF8.self) {
        case "machine":
            endEntry()
            state = .machine
        case "default":
            endEntry()
        case "login": state = .login
        case "password": state = .password
        case "account": state = .other
        case "macdef": isMacro = true
        default: break
        }
    }

    /// Puts a login without a password aside: another entry of the host may have both.
    private mutating func endEntry() {
        isComplete = isOurs && password != nil
        guard !isComplete else { return }
        if isOurs { bareLogin = bareLogin ?? login }
        login = nil
        isOurs = false
    }

    /// The token that begins at `index`; nil where its quote never closes.
    private static func token(_ line: Span<UInt8>, _ index: inout Int) -> [UInt8]? {
        guard line[index] == UInt8(ascii: "\"") else {
            let start = index
            while index < line.count, !ASCII.isBlank(line[index]) { index += 1 }
            return (start..<index).map { line[$0] }
        }
        index += 1
        var token: [UInt8] = []
        token.reserveCapacity(line.count - index)
        while index < line.count {
            let byte = line[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return token }
            guard byte == UInt8(ascii: "\\"), index < line.count else {
                token.append(byte)
                continue
            }
            switch line[index] {
            case UInt8(ascii: "n"): token.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): token.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "t"): token.append(UInt8(ascii: "\t"))
            default: token.append(line[index])
            }
            index += 1
        }
        return nil
    }

    private static func lowercased(_ bytes: [UInt8]) -> [UInt8] { bytes.map(ASCII.lowercased) }

    private static func folded(_ host: [UInt8]) -> [UInt8] {
        lowercased(host.last == UInt8(ascii: ".") ? host.dropLast() : host)
    }
}
