import Authentication
import Bytes
import Crypto

/// Digest values from the text of a challenge field, as a test wants to see them.
enum DigestFixture {
    /// RFC 7616, section 3.9.1, but for algorithm and qop.
    static let rfc7616 =
        #"Digest realm="http-auth@example.org", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#
        + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#
    static let rfc7616Nonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

    /// The user of RFC 7616, with the small `o` of erratum 4495.
    static let mufasa = Credential(name: "mufasa", username: "Mufasa", password: Secret("Circle of Life"))

    static func challenges(_ fields: String...) -> [AuthenticationChallenge] {
        var parser = ChallengeParser()
        for field in fields { parser.parse(Array(field.utf8).span) }
        return parser.finish()
    }

    static func challenge(_ field: String) throws -> DigestChallenge {
        guard let first = challenges(field).first else { throw AuthenticationError.challengeUnreadable }
        return try DigestChallenge.read(first)
    }

    static func session(
        _ field: String,
        _ credential: Credential = mufasa,
        cnonce: String = rfc7616Nonce,
        charset: Charset = .utf8,
        digest: MessageDigest = MessageDigest()
    ) throws -> DigestSession {
        try DigestSession(
            challenge: try challenge(field),
            credential: credential,
            cnonce: Array(cnonce.utf8),
            ruleCharset: charset,
            digest: digest
        )
    }

    /// The next value of a session, with what isn't UTF-8 as U+FFFD.
    static func value(
        _ session: DigestSession,
        _ method: String = "GET",
        _ target: String = "/dir/index.html",
        bodyHash: [UInt8]? = nil
    ) -> String {
        var buffer = ByteBuffer()
        let digest = MessageDigest()
        let method = Array(method.utf8)
        let target = Array(target.utf8)
        if let bodyHash {
            session.appendValue(
                method: method.span,
                target: target.span,
                bodyHash: bodyHash.span,
                into: &buffer,
                digest: digest
            )
        } else {
            session.appendValue(
                method: method.span,
                target: target.span,
                bodyHash: nil,
                into: &buffer,
                digest: digest
            )
        }
        return String(buffer.readable)
    }

    /// A parameter of a value, unquoted.
    static func parameter(_ name: String, of value: String) -> String? {
        challenges(value).first?.value(name).map { String(decoding: $0, as: UTF8.self) }
    }
}
