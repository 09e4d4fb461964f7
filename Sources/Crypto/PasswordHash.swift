internal import Bytes
internal import CCrypt

/// What a password file keeps in place of a password: bcrypt (`$2a$`, `$2b$`, `$2y$`) or SHA-2 crypt (`$5$`, `$6$`).
package struct PasswordHash: Sendable {
    /// Why a text is no hash that passwords are compared with.
    package enum Failure: Error, Equatable, Sendable {
        /// It is of another scheme, by its name: one that is too weak, or no hash at all.
        case unsupported(String)
        /// The scheme is known, but what follows isn't as long as it has to be, or holds other characters.
        case malformed
        /// To compare a password with it would take many seconds.
        case tooCostly
    }

    /// Passwords that are longer than so many bytes match nothing.
    package static let longestPassword = 511

    private static let largestCost = 16
    private static let mostRounds = 10_000_000

    private let text: [UInt8]

    /// Reads a hash as `htpasswd -B` or `mkpasswd` write it.
    package init(_ text: Span<UInt8>) throws(Failure) {
        let parts = Self.parts(of: text)
        guard parts.count >= 3, parts[0].isEmpty else { throw .unsupported(Self.scheme(of: text)) }
        switch String(decoding: parts[1], as: UTF8.self) {
        case "2a", "2b", "2y": try Self.checkBcrypt(parts)
        case "5": try Self.checkSHA(parts, count: 43)
        case "6": try Self.checkSHA(parts, count: 86)
        default: throw .unsupported(Self.scheme(of: text))
        }
        self.text = text.indices.map { text[$0] }
    }

    /// Whether the hash was made of this password; takes as long as its scheme says, and the comparison takes the same time
    /// wherever they differ.
    package func matches(_ password: Span<UInt8>) -> Bool {
        guard password.count <= Self.longestPassword, !password.indices.contains(where: { password[$0] == 0 }) else {
            return false
        }
        var phrase = password.indices.map { CChar(bitPattern: password[$0]) } + [0]
        let setting = text.map { CChar(bitPattern: $0) } + [0]
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: MemoryLayout<crypt_data>.size,
            alignment: MemoryLayout<crypt_data>.alignment
        )
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
        defer {
            var bytes = unsafe MutableSpan<UInt8>(_unsafeBytes: memory)
            Wiping.wipe(&bytes)
            unsafe memory.deallocate()
            Self.wipe(&phrase)
        }
        guard let made = unsafe crypt_rn(phrase, setting, memory.baseAddress, CInt(memory.count)) else { return false }
        let result = Array(unsafe String(cString: made).utf8)
        return ConstantTime.equal(result.span, text.span)
    }
}

// MARK: form

extension PasswordHash {
    private static func parts(of text: Span<UInt8>) -> [[UInt8]] {
        text.indices.map { text[$0] }
            .split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).map(Array.init)
    }

    /// What to call a hash of another scheme, without any of its bytes but the known words.
    private static func scheme(of text: Span<UInt8>) -> String {
        let known = [
            "$apr1$": "MD5 (apr1)", "$1$": "MD5", "{SHA}": "SHA-1", "{SSHA}": "SHA-1", "$2x$": "a faulty bcrypt",
            "$y$": "yescrypt", "$7$": "scrypt", "$argon2": "Argon2",
        ]
        let written = text.indices.prefix(8).map { text[$0] }
        return known.first { written.starts(with: $0.key.utf8) }?.value
            ?? (text.count == 13 ? "DES crypt, or a password in the clear" : "no hash that is known")
    }

    /// `$2b$`, a cost of two digits, `$`, and 53 characters of salt and hash.
    private static func checkBcrypt(_ parts: [[UInt8]]) throws(Failure) {
        guard parts.count == 4, parts[2].count == 2, let cost = number(parts[2]), cost >= 4, isText(parts[3], 53) else {
            throw .malformed
        }
        if cost > largestCost { throw .tooCostly }
    }

    /// `$5$` or `$6$`, perhaps `rounds=N$`, a salt of up to 16 characters, `$`, and the hash.
    private static func checkSHA(_ parts: [[UInt8]], count: Int) throws(Failure) {
        let written = Array("rounds=".utf8)
        var rest = parts.dropFirst(2)
        if let first = rest.first, first.starts(with: written) {
            guard let rounds = number(first.dropFirst(written.count)), rounds >= 1000 else { throw .malformed }
            if rounds > mostRounds { throw .tooCostly }
            rest = rest.dropFirst()
        }
        guard rest.count == 2, let salt = rest.first, let hash = rest.last, salt.count <= 16 else { throw .malformed }
        guard isText(salt, salt.count), isText(hash, count) else { throw .malformed }
    }

    private static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard (1...9).contains(digits.count), digits.allSatisfy(ASCII.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isText(_ bytes: [UInt8], _ count: Int) -> Bool {
        bytes.count == count
            && bytes.allSatisfy {
                ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/")
            }
    }

    private static func wipe(_ characters: inout [CChar]) {
        unsafe characters.withUnsafeMutableBytes { storage in
            var bytes = unsafe MutableSpan<UInt8>(_unsafeBytes: storage)
            Wiping.wipe(&bytes)
        }
    }
}
