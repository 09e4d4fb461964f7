internal import Bytes
internal import Crypto

/// What a credential comes to in one Digest space: H(A1) before any -sess, and how the name is told.
struct DigestUser {
    /// H(user:realm:password) in hex; as good as the password within the realm.
    let key: Secret
    /// `username="…"` or `username*=…`.
    let parameter: [UInt8]

    init(
        _ credential: Credential,
        _ challenge: DigestChallenge,
        _ ruleCharset: Charset,
        _ digest: MessageDigest
    ) throws(AuthenticationError) {
        switch credential.kind {
        case .password(let username, _, let password):
            guard !username.contains(where: ASCII.isControl) else { throw .controlCharacter }
            let charset = challenge.namesUTF8 ? Charset.utf8 : ruleCharset
            var name: [UInt8] = []
            try charset.append(username.span, to: &name)
            key = try Self.key(name: name, password: password, charset, challenge, digest)
            parameter = Self.parameter(name: name, challenge, digest)
        case .digestHash(let username, let realm, let hash):
            guard realm == challenge.realm else { throw .realmDiffers }
            // SHA-512-256 has as many digits as SHA-256, whose they are taken for.
            guard hash.count == 32 ? challenge.algorithm == .md5 : challenge.algorithm == .sha256 else {
                throw .algorithmUnknown
            }
            key = hash
            parameter = Self.parameter(name: username, challenge, digest)
        case .ntHash, .kerberos, .token, .header, .clientCertificate, .deferred: throw .wrongKind
        }
    }

    private static func key(
        name: [UInt8],
        password: Secret,
        _ charset: Charset,
        _ challenge: DigestChallenge,
        _ digest: MessageDigest
    ) throws(AuthenticationError) -> Secret {
        var word: [UInt8] = []
        word.reserveCapacity(password.count)
        defer { Wiping.wipe(&word) }
        try password.withBytes { (bytes) throws(AuthenticationError) in try charset.append(bytes, to: &word) }
        digest.begin(challenge.algorithm)
        digest.update(name.span)
        digest.update(UInt8(ascii: ":"))
        digest.update(challenge.realm.span)
        digest.update(UInt8(ascii: ":"))
        digest.update(word.span)
        return Secret(HexDigest(finishing: digest).digits)
    }

    /// The name hashed if the server asks for that; in the extended form if it isn't ASCII and the server knows RFC 7616,
    /// which it shows by naming a charset; else its bytes in quotes, as servers before that RFC compare them.
    private static func parameter(name: [UInt8], _ challenge: DigestChallenge, _ digest: MessageDigest) -> [UInt8] {
        var buffer = ByteBuffer(capacity: name.count + 16)
        if challenge.userhash {
            digest.begin(challenge.algorithm)
            digest.update(name.span)
            digest.update(UInt8(ascii: ":"))
            digest.update(challenge.realm.span)
            buffer.append("username=")
            QuotedString.append(HexDigest(finishing: digest).digits, to: &buffer)
        } else if challenge.namesUTF8 && name.contains(where: { $0 >= 0x80 }) {
            buffer.append("username*=")
            ExtendedValue.append(name.span, to: &buffer)
        } else {
            buffer.append("username=")
            QuotedString.append(name.span, to: &buffer)
        }
        return [UInt8](buffer.readable)
    }
}
