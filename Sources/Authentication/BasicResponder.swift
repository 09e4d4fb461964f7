internal import Bytes
package import Crypto

/// Makes the value that answers a Basic challenge [RFC 7617, section 2].
package enum BasicResponder {
    /// The charset for a challenge: its own if it names UTF-8, the only one it may name, else the rule's.
    package static func charset(of challenge: AuthenticationChallenge?, ruleCharset: Charset) -> Charset {
        challenge?.names("charset", as: "UTF-8") == true ? .utf8 : ruleCharset
    }

    /// The whole field value, `Basic` and token68 on one line; it doesn't depend on the challenge but for the charset.
    package static func value(
        _ credential: Credential,
        charset: Charset
    ) throws(AuthenticationError) -> Secret {
        guard credential.canAnswerBasic else { throw .colonInUsername }
        guard !credential.hasControlCharacter else { throw .controlCharacter }
        switch credential.kind {
        case .password(let username, _, let password):
            return try value(username: username, password: password, charset: charset)
        case .ntHash, .digestHash, .kerberos, .token, .header, .clientCertificate, .deferred: throw .wrongKind
        }
    }

    private static func value(
        username: [UInt8],
        password: Secret,
        charset: Charset
    ) throws(AuthenticationError) -> Secret {
        var pair: [UInt8] = []
        // Room for all of it at once: an array that grows leaves copies behind that can't be wiped.
        pair.reserveCapacity(username.count + 1 + password.count)
        defer { Wiping.wipe(&pair) }
        try charset.append(username.span, to: &pair)
        pair.append(UInt8(ascii: ":"))
        try password.withBytes { (bytes) throws(AuthenticationError) in try charset.append(bytes, to: &pair) }
        let count = "Basic ".utf8.count + Base64.encodedCount(pair.count)
        guard count <= maximumValueCount else { throw .valueTooLong }
        var buffer = ByteBuffer(capacity: count)
        buffer.append("Basic ")
        Base64.append(pair.span, into: &buffer)
        let value = Secret(buffer.readable)
        buffer.removeAll()
        var rest = buffer.writable(minimum: 0)
        Wiping.wipe(&rest)
        return value
    }
}

/// The longest value for Authorization or Proxy-Authorization that is made, in bytes.
let maximumValueCount = 64 * 1024
