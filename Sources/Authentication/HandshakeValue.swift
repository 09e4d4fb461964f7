internal import Bytes
package import Crypto

/// Writes the value that carries a token of a handshake [RFC 4559, section 4; MS-NTHT, section 2.2].
package enum HandshakeValue {
    /// The whole field value, the token in base64; nil where it would be longer than 64 KiB.
    package static func make(_ method: AuthenticationMethod, _ token: Secret) -> Secret? {
        let scheme = method == .ntlm ? "NTLM " : "Negotiate "
        let count = scheme.utf8.count + Base64.encodedCount(token.count)
        guard count <= maximumValueCount else { return nil }
        var buffer = ByteBuffer(capacity: count)
        buffer.append(scheme)
        token.withBytes { Base64.append($0, into: &buffer) }
        let value = Secret(buffer.readable)
        buffer.removeAll()
        var rest = buffer.writable(minimum: 0)
        Wiping.wipe(&rest)
        return value
    }
}
