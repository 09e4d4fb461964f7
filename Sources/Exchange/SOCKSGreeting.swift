internal import Bytes

/// What a SOCKS5 client says up to its request (RFC 1928, RFC 1929); what comes behind it is the tunnel's.
package struct SOCKSGreeting: Sendable {
    /// What comes of the bytes that are there.
    package enum Step: Equatable, Sendable {
        /// More has to come; nothing was taken.
        case needMore
        /// These many bytes are taken, and the client gets this answer.
        case answer(consumed: Int, [UInt8])
        /// These many bytes are taken, and the client gets `loginAnswer` once it is known whether the name and the password
        /// that lie there among them are right.
        case login(consumed: Int, name: Range<Int>, password: Range<Int>)
        /// These many bytes are taken, and a tunnel to this host and port is asked for.
        case connect(consumed: Int, authority: String)
        /// Nothing follows any more; the client gets this answer, if any.
        case end([UInt8])
    }

    private enum State { case methods, login, request }

    private static let version: UInt8 = 5
    private static let loginVersion: UInt8 = 1
    private static let withoutLogin: UInt8 = 0
    private static let byPassword: UInt8 = 2
    private static let noAcceptableMethod: UInt8 = 0xff

    private var state = State.methods
    /// The client has to log in.
    private let requiresLogin: Bool

    package init(requiresLogin: Bool) { self.requiresLogin = requiresLogin }

    /// What the client is told of its login (RFC 1929 s.2); behind a wrong one the connection ends.
    package static func loginAnswer(isRight: Bool) -> [UInt8] { [loginVersion, isRight ? 0 : 1] }

    /// Reads on at the start of `bytes`.
    package mutating func next(_ bytes: Span<UInt8>) -> Step {
        switch state {
        case .methods: readMethods(bytes)
        case .login: readLogin(bytes)
        case .request: readRequest(bytes)
        }
    }

    private mutating func readMethods(_ bytes: Span<UInt8>) -> Step {
        guard let first = bytes.indices.first.map({ bytes[$0] }) else { return .needMore }
        guard first == Self.version else { return .end([]) }
        guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) else { return .needMore }
        let end = 2 + Int(bytes[1])
        let wanted = requiresLogin ? Self.byPassword : Self.withoutLogin
        guard (2..<end).contains(where: { bytes[$0] == wanted }) else {
            return .end([Self.version, Self.noAcceptableMethod])
        }
        state = requiresLogin ? .login : .request
        return .answer(consumed: end, [Self.version, wanted])
    }

    private mutating func readLogin(_ bytes: Span<UInt8>) -> Step {
        guard bytes.count >= 1 else { return .needMore }
        guard bytes[0] == Self.loginVersion else { return .end(Self.loginAnswer(isRight: false)) }
        guard bytes.count >= 2 else { return .needMore }
        let nameEnd = 2 + Int(bytes[1])
        guard bytes.count > nameEnd else { return .needMore }
        let end = nameEnd + 1 + Int(bytes[nameEnd])
        guard bytes.count >= end else { return .needMore }
        state = .request
        return .login(consumed: end, name: 2..<nameEnd, password: (nameEnd + 1)..<end)
    }

    private func readRequest(_ bytes: Span<UInt8>) -> Step {
        guard bytes.count >= 1 else { return .needMore }
        guard bytes[0] == Self.version else { return .end([]) }
        guard bytes.count >= 4 else { return .needMore }
        guard bytes[1] == 1 else { return .end(Self.refusal(.commandNotSupported)) }
        let hostStart = bytes[3] == 3 ? 5 : 4
        guard bytes.count >= hostStart else { return .needMore }
        let length: Int
        switch bytes[3] {
        case 1: length = 4
        case 3: length = Int(bytes[4])
        case 4: length = 16
        default: return .end(Self.refusal(.addressTypeNotSupported))
        }
        let end = hostStart + length + 2
        guard bytes.count >= end else { return .needMore }
        let host = bytes.extracting(hostStart..<(end - 2))
        let port = UInt16(bytes[end - 2]) << 8 | UInt16(bytes[end - 1])
        guard port > 0, let name = Self.name(host, type: bytes[3]) else { return .end(Self.refusal(.failed)) }
        return .connect(consumed: end, authority: "\(name):\(port)")
    }

    /// The host as an authority has it; nil where a name is none.
    private static func name(_ host: Span<UInt8>, type: UInt8) -> String? {
        switch type {
        case 1:
            return IPAddress(v4: (0..<4).reduce(0) { $0 << 8 | UInt32(host[$1]) }).description
        case 4:
            let high = (0..<8).reduce(0) { $0 << 8 | UInt64(host[$1]) }
            let low = (8..<16).reduce(0) { $0 << 8 | UInt64(host[$1]) }
            return "[\(IPAddress(v6: high, low).description)]"
        default:
            guard !host.isEmpty else { return nil }
            for index in host.indices where host[index] <= 0x20 || host[index] >= 0x7f { return nil }
            let name = String(copying: host)
            // Some clients put an address there.
            return IPAddress(name)?.family == .v6 ? "[\(name)]" : name
        }
    }

    private static func refusal(_ reply: SOCKSReply) -> [UInt8] {
        var buffer = ByteBuffer()
        reply.append(into: &buffer)
        return buffer.readable.indices.map { buffer.readable[$0] }
    }
}
