package import Bytes
package import Crypto

/// What a client of a SOCKS5 proxy writes and reads (RFC 1928, RFC 1929).
package enum SOCKSNegotiation {
    /// What is asked of the proxy next.
    package enum Request: Equatable, Sendable {
        /// Which methods there are, with or without a login.
        case methods(offersLogin: Bool)
        /// The login of the rule that answers the parent's side.
        case login
        /// The connection itself.
        case connect
    }

    /// What the proxy says to it.
    package enum Reply: Equatable, Sendable {
        case needMore
        /// So many bytes were read: go on without a login.
        case noLogin(consumed: Int)
        /// A login is wanted.
        case wantsLogin(consumed: Int)
        case loginAccepted(consumed: Int)
        /// The connection is made.
        case connected(consumed: Int)
        case failed(SOCKSFailure)
    }

    /// Appends the methods that are offered (RFC 1928 s.3).
    package static func appendMethods(offersLogin: Bool, into buffer: inout ByteBuffer) {
        append(offersLogin ? [5, 2, 0, 2] : [5, 1, 0], into: &buffer)
    }

    /// Appends a login; false where name or password has no place in it (RFC 1929 s.2).
    package static func appendLogin(username: Span<UInt8>, password: Secret, into buffer: inout ByteBuffer) -> Bool {
        guard (1...255).contains(username.count), (1...255).contains(password.count) else { return false }
        append([1, UInt8(username.count)], into: &buffer)
        buffer.append(username)
        append([UInt8(password.count)], into: &buffer)
        password.append(to: &buffer)
        return true
    }

    /// Appends the wish for a connection; false where the name has no place in it (RFC 1928 s.4).
    package static func appendConnect(host: String, port: UInt16, into buffer: inout ByteBuffer) -> Bool {
        append([5, 1, 0], into: &buffer)
        if let address = IPAddress(host) {
            append([address.family == .v4 ? 1 : 4] + address.networkBytes, into: &buffer)
        } else {
            let name = host.utf8
            guard (1...255).contains(name.count) else { return false }
            append([3, UInt8(name.count)], into: &buffer)
            buffer.append(host)
        }
        append([UInt8(port >> 8), UInt8(port & 0xFF)], into: &buffer)
        return true
    }

    private static func append(_ bytes: [UInt8], into buffer: inout ByteBuffer) { buffer.append(bytes.span) }

    /// Reads what the proxy says to `request`.
    package static func read(_ bytes: Span<UInt8>, after request: Request) -> Reply {
        guard bytes.count >= 1 else { return .needMore }
        guard bytes[0] == (request == .login ? 1 : 5) else { return .failed(.malformed) }
        guard bytes.count >= 2 else { return .needMore }
        switch request {
        case .methods(let offersLogin):
            switch bytes[1] {
            case 0: return .noLogin(consumed: 2)
            case 2 where offersLogin: return .wantsLogin(consumed: 2)
            case 0xFF: return .failed(.noAcceptableMethod)
            default: return .failed(.malformed)
            }
        case .login:
            return bytes[1] == 0 ? .loginAccepted(consumed: 2) : .failed(.loginRefused)
        case .connect:
            return readConnected(bytes)
        }
    }

    private static func readConnected(_ bytes: Span<UInt8>) -> Reply {
        guard bytes[1] == 0 else { return .failed(.refused(bytes[1])) }
        guard bytes.count >= 5 else { return .needMore }
        let addressLength: Int
        switch bytes[3] {
        case 1: addressLength = 4
        case 3: addressLength = 1 + Int(bytes[4])
        case 4: addressLength = 16
        default: return .failed(.malformed)
        }
        let length = 4 + addressLength + 2
        return bytes.count < length ? .needMore : .connected(consumed: length)
    }
}
