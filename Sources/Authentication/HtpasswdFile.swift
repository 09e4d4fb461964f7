internal import Bytes
internal import Crypto

/// Who may log in at the proxy, as a password file says: `name:hash` a line, comments where a line begins with `#` (R-9).
package struct HtpasswdFile: Sendable {
    /// Why a file can't be used; no part of a hash is told.
    package struct Failure: Error, Equatable, Sendable {
        /// Counted from 1.
        package let line: Int
        /// One sentence that says what to do.
        package let message: String
    }

    /// Names that a file may hold at most.
    package static let mostNames = 100_000
    /// What `htpasswd` takes for a name, in bytes.
    package static let longestName = 255

    /// Compared as Unicode does: however an accent was typed, it is the same name.
    private let hashes: [String: PasswordHash]
    /// What a name that isn't there costs.
    private let dummy: PasswordHash?

    /// Reads a whole file.
    package init(_ text: Span<UInt8>) throws(Failure) {
        var hashes: [String: PasswordHash] = [:]
        var lines: [String: Int] = [:]
        var dummy: PasswordHash?
        var start = Self.isMarked(text) ? 3 : 0
        var number = 0
        while start < text.count {
            let end = ASCII.firstIndex(of: UInt8(ascii: "\n"), in: text, from: start) ?? text.count
            number += 1
            let line = Self.trimmed(text.extracting(start..<end))
            start = end + 1
            guard line.count > 0, line[0] != UInt8(ascii: "#") else { continue }
            let (name, hash) = try Self.entry(line, number)
            if let first = lines[name] {
                throw Failure(line: number, message: "'\(name)' stands in line \(first) already")
            }
            guard hashes.count < Self.mostNames else {
                throw Failure(line: number, message: "more than \(Self.mostNames) names are too many")
            }
            lines[name] = number
            hashes[name] = hash
            dummy = dummy ?? hash
        }
        self.hashes = hashes
        self.dummy = dummy
    }

    /// How many may log in.
    package var count: Int { hashes.count }

    /// Whether this is the password of `name`; blocks for as long as the hash takes, for a name that isn't there as long as
    /// for the file's first.
    package func admits(_ name: String, _ password: Span<UInt8>) -> Bool {
        guard let hash = hashes[name] else {
            _ = dummy?.matches(password)
            return false
        }
        return hash.matches(password)
    }

    // MARK: lines

    /// The mark that some editors put before UTF-8.
    private static func isMarked(_ text: Span<UInt8>) -> Bool {
        text.count >= 3 && text[0] == 0xef && text[1] == 0xbb && text[2] == 0xbf
    }

    @_lifetime(copy line)
    private static func trimmed(_ line: Span<UInt8>) -> Span<UInt8> {
        var count = line.count
        while count > 0, ASCII.isBlank(line[count - 1]) || line[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        return line.extracting(0..<count)
    }

    private static func entry(_ line: Span<UInt8>, _ number: Int) throws(Failure) -> (String, PasswordHash) {
        guard let colon = ASCII.firstIndex(of: UInt8(ascii: ":"), in: line) else {
            throw Failure(line: number, message: "a line is a name, a colon and a hash, as htpasswd -B writes it")
        }
        let bytes = (0..<colon).map { line[$0] }
        guard (1...longestName).contains(bytes.count), !bytes.contains(where: ASCII.isControl),
            let name = String(validating: bytes, as: UTF8.self)
        else {
            throw Failure(
                line: number,
                message: "a name has 1 to \(longestName) bytes of UTF-8 without control characters"
            )
        }
        do throws(PasswordHash.Failure) {
            return (name, try PasswordHash(line.extracting((colon + 1)..<line.count)))
        } catch {
            throw Failure(line: number, message: Self.message(error, of: name))
        }
    }

    private static func message(_ failure: PasswordHash.Failure, of name: String) -> String {
        switch failure {
        case .unsupported(let scheme):
            "what '\(name)' has is \(scheme); bcrypt and SHA-2 crypt are taken (htpasswd -B or -5)"
        case .malformed: "the hash of '\(name)' is cut short, or holds what no hash holds"
        case .tooCostly: "to compare a password with the hash of '\(name)' would take too long; choose a lower cost"
        }
    }
}
