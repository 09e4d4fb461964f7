internal import Bytes

/// What a SOCKS5 client says up to its request (RFC 1928, RFC 1929); what comes behind it is the tunnel's.
package struct SOCKSGreeting: Sendable {
    /// What comes of the bytes that are there.
    package enum Step: Equatable, Sendable {
        /// More has to come; nothing was taken.
        case needMore
        /// These many bytes are taken, and the client gets this answer.
        case answer(consumed: Int, [UInt8])
        /// These many bytes are taken, and a tunnel is asked for.
        case connect(consumed: Int, SOCKSRequest)
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
    private var login: [UInt8]?
    /// The client has to log in.
    private let requiresLogin: Bool

    package init(requiresLogin: Bool) { self.requiresLogin = requiresLogin }

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

    /// Whether it is right is judged with the request that it is for.
    private mutating func readLogin(_ bytes: Span<UInt8>) -> Step {
        guard bytes.count >= 1 else { return .needMore }
        guard bytes[0] == Self.loginVersion else { return .end([Self.loginVersion, 1]) }
        guard bytes.count >= 2 else { return .needMore }
        let nameEnd = 2 + Int(bytes[1])
        guard bytes.count > nameEnd else { return .needMore }
        let end = nameEnd + 1 + Int(bytes[nameEnd])
        guard bytes.count >= end else { return .needMore }
        var pair = (2..<nameEnd).map { bytes[$0] }
        // A colon would end the name too early.
        guard !pair.contains(UInt8(ascii: ":")) else { return .end([Self.loginVersion, 1]) }
        pair.append(UInt8(ascii: ":"))
        for index in (nameEnd + 1)..<end { pair.append(bytes[index]) }
        login = pair
        state = .request
        return .answer(consumed: end, [Self.loginVersion, 0])
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
        return .connect(consumed: end, SOCKSRequest(authority: "\(name):\(port)", login: login))
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

/// The tunnel that a SOCKS5 client asks for.
package struct SOCKSRequest: Equatable, Sendable {
    /// Host and port.
    package let authority: String
    /// Name, colon and password, where it logged in.
    package let login: [UInt8]?
}
