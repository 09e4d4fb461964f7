/// The challenge of NTLM [MS-NLMP, section 2.2.1.2], as far as gss-ntlmssp has to be helped with it.
enum Type2 {
    /// `NTLMSSP`, NUL, and the number of the message.
    private static let opening: [UInt8] = Array("NTLMSSP\0".utf8) + [2, 0, 0, 0]
    /// Where the flags begin, whose lowest two bits are NTLMSSP_NEGOTIATE_UNICODE and NTLM_NEGOTIATE_OEM.
    private static let flags = 20
    /// Where the length of the target info stands.
    private static let targetInfo = 40

    /// Whether a token is a challenge, or has one in it, that says nothing about its server.
    static func hasNoTargetInfo(_ token: [UInt8]) -> Bool {
        guard let start = start(in: token) else { return false }
        let length = start + targetInfo
        guard length + 1 < token.count, namesTargetInfo(token, start) else { return true }
        return token[length] == 0 && token[length + 1] == 0
    }

    /// Whether gss-ntlmssp can be given a challenge: it ends the process where it finds no name of the server in what it
    /// was led to, and reads target info without looking where that ends.
    static func isSafe(_ token: [UInt8]) -> Bool {
        guard let start = start(in: token) else { return true }
        let message = Array(token[start...])
        guard message.count >= 32, let name = field(message, 12) else { return false }
        // NTLMSSP_REQUEST_TARGET, or a type of the target: there is a name.
        let isNamed = message[flags] & 4 == 0 && message[flags + 2] & 7 == 0 || !name.isEmpty
        guard namesTargetInfo(message, 0) else { return isNamed }
        guard let information = field(message, targetInfo) else { return false }
        return isNamed && (information.isEmpty || pairs(information)?.isEmpty == false)
    }

    /// The kinds of the pairs of target info [section 2.2.2.1]; nil where it doesn't end with its last pair, or text in it
    /// isn't UTF-16.
    private static func pairs(_ information: ArraySlice<UInt8>) -> [Int]? {
        var rest = information
        var kinds: [Int] = []
        while rest.count >= 4 {
            let head = Array(rest.prefix(4))
            let (kind, length) = (Int(head[0]) | Int(head[1]) << 8, Int(head[2]) | Int(head[3]) << 8)
            rest = rest.dropFirst(4)
            if kind == 0 { return length == 0 ? kinds : nil }
            guard length <= rest.count, !(1...5 ~= kind) || length % 2 == 0 && length > 0 else { return nil }
            guard kind != 7 || length == 8 else { return nil }
            kinds.append(kind)
            rest = rest.dropFirst(length)
        }
        return nil
    }

    /// The same challenge in a form that gss-ntlmssp takes.
    ///
    /// OEM is to be ignored beside Unicode [section 2.2.2.5], where gss-ntlmssp fails; and it fails where the fields of
    /// later years are left out of the head, the version above all.
    static func normalized(_ token: [UInt8]) -> [UInt8] {
        guard let start = start(in: token), start + flags + 2 < token.count else { return token }
        var token = token
        if token[start + flags] & 3 == 3 { token[start + flags] &= ~2 }
        return start == 0 ? withName(withWholeHead(token)) : token
    }

    /// Gives a server without a name one, and takes target info away that says nothing: neither stands in what is answered,
    /// and without a time in the target info nothing is computed over the challenge itself [section 3.1.5.1.2].
    private static func withName(_ token: [UInt8]) -> [UInt8] {
        guard token.count > 32, !isSafe(token), let name = field(token, 12) else { return token }
        guard let information = namesTargetInfo(token, 0) ? field(token, targetInfo) : [],
            let pairs = information.isEmpty ? [] : pairs(information), !pairs.contains(7)
        else { return token }
        let head = 56
        let whole = token.prefix(head) + [UInt8](repeating: 0, count: max(0, head - token.count))
        let known: ArraySlice<UInt8> = name.isEmpty ? (token[flags] & 1 == 1 ? [0x53, 0] : [0x53]) : name
        let kept = pairs.isEmpty ? [] : information
        var made = whole[..<12] + header(known, at: head) + whole[20..<40] + header(kept, at: head + known.count)
        made += whole[48..<56] + known + kept
        if kept.isEmpty { made[flags + 2] &= 0x7f }
        return Array(made)
    }

    /// Puts what a challenge says behind a head of 56 bytes, unless it stands there or has the shortest of all heads.
    private static func withWholeHead(_ token: [UInt8]) -> [UInt8] {
        let head = 56
        guard token.count > 32, let name = field(token, 12),
            let information = namesTargetInfo(token, 0) ? field(token, targetInfo) : []
        else { return token }
        let begins = [name, information].filter { !$0.isEmpty }.map(\.startIndex).min() ?? head
        guard token.count < head || begins < head else { return token }
        let empty = [UInt8](repeating: 0, count: 8)
        var moved = [UInt8](token[..<12])
        moved += header(name, at: head)
        moved += token[20..<32]
        moved += empty
        moved += header(information, at: head + name.count)
        moved += empty
        return moved + name + information
    }

    /// Whether NTLMSSP_NEGOTIATE_TARGET_INFO is among the flags.
    private static func namesTargetInfo(_ token: [UInt8], _ start: Int) -> Bool {
        token[start + flags + 2] & 0x80 != 0
    }

    /// What a field's length and offset stand for; nil where that lies outside.
    private static func field(_ token: [UInt8], _ place: Int) -> ArraySlice<UInt8>? {
        guard token.count >= place + 8 else { return [] }
        let length = Int(token[place]) | Int(token[place + 1]) << 8
        guard length > 0 else { return [] }
        let offset = (4..<8).reduce(0) { $0 | Int(token[place + $1]) << (8 * ($1 - 4)) }
        guard offset + length <= token.count else { return nil }
        return token[offset..<offset + length]
    }

    private static func header(_ field: ArraySlice<UInt8>, at offset: Int) -> [UInt8] {
        let length = [UInt8(truncatingIfNeeded: field.count), UInt8(truncatingIfNeeded: field.count >> 8)]
        return length + length + (0..<4).map { UInt8(truncatingIfNeeded: offset >> (8 * $0)) }
    }

    private static func start(in token: [UInt8]) -> Int? {
        guard token.count >= opening.count else { return nil }
        return (0...token.count - opening.count).first { token[$0...].starts(with: opening) }
    }
}
