internal import Bytes

/// What a server tells of itself in its NTLM challenge [MS-NLMP, section 2.2.1.2], before any login.
package struct NTLMChallenge: Equatable, Sendable {
    /// The message that asks for it: no name, no domain and nothing secret stands in it [section 2.2.1.1].
    package static let question: [UInt8] =
        // Unicode and OEM, a target's name, NTLM, signing, and extended session security.
        Array("NTLMSSP\0".utf8) + [1, 0, 0, 0, 0x07, 0x82, 0x08, 0] + [UInt8](repeating: 0, count: 16)

    /// The pairs of target info that are told [section 2.2.2.1].
    package enum Name: Int, CaseIterable, Sendable {
        case computer = 1
        case domain, dnsComputer, dnsDomain, dnsForest
    }

    /// The name of the realm or machine that the server asks for logins of; empty where it tells none.
    package let target: String
    /// The names of its target info.
    package let names: [Name: String]
    /// Its clock in seconds of Unix time; nil where it doesn't tell.
    package let time: Int64?
    /// MsvAvFlags; nil where it has none.
    package let attributes: UInt32?

    /// Reads a challenge, or what has one in it; nil where there is none.
    package init?(_ token: [UInt8]) {
        let opening: [UInt8] = Array("NTLMSSP\0".utf8) + [2, 0, 0, 0]
        guard token.count >= 32,
            let start = (0...token.count - opening.count).first(where: { token[$0...].starts(with: opening) })
        else { return nil }
        let message = Array(token[start...])
        guard message.count >= 32 else { return nil }
        let isUnicode = message[20] & 1 == 1
        target = Self.field(message, 12).map { Self.text($0, isUnicode: isUnicode) } ?? ""
        // NTLMSSP_NEGOTIATE_TARGET_INFO
        var rest = message[22] & 0x80 != 0 && message.count >= 48 ? Self.field(message, 40) ?? [] : []
        var names: [Name: String] = [:]
        var time: Int64?
        var attributes: UInt32?
        while rest.count >= 4 {
            let kind = Int(Self.number(rest.prefix(2)))
            let length = Int(Self.number(rest.dropFirst(2).prefix(2)))
            rest = rest.dropFirst(4)
            guard kind != 0, length <= rest.count else { break }
            let value = rest.prefix(length)
            rest = rest.dropFirst(length)
            if let name = Name(rawValue: kind) { names[name] = Self.text(value, isUnicode: true) }
            if kind == 6, length == 4 { attributes = UInt32(truncatingIfNeeded: Self.number(value)) }
            if kind == 7, length == 8 { time = Self.unixSeconds(Self.number(value)) }
        }
        self.names = names
        self.time = time
        self.attributes = attributes
    }

    /// A FILETIME, tenths of microseconds since 1601, in seconds of Unix time.
    private static func unixSeconds(_ fileTime: UInt64) -> Int64 {
        Int64(fileTime / 10_000_000) - 11_644_473_600
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// What length and offset at `place` stand for; nil where that lies outside.
    private static func field(_ message: [UInt8], _ place: Int) -> ArraySlice<UInt8>? {
        let length = Int(number(message[place..<place + 2]))
        let offset = Int(number(message[place + 4..<place + 8]))
        guard offset + length <= message.count else { return nil }
        return message[offset..<offset + length]
    }

    private static func text(_ bytes: ArraySlice<UInt8>, isUnicode: Bool) -> String {
        guard isUnicode else { return String(decoding: bytes, as: UTF8.self) }
        let all = Array(bytes)
        let units = stride(from: 0, to: all.count - 1, by: 2).map { UInt16(all[$0]) | UInt16(all[$0 + 1]) << 8 }
        return String(decoding: units, as: UTF16.self)
    }
}
