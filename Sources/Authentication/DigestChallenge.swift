internal import Bytes
package import Crypto

/// What a Digest challenge says, ready to be answered [RFC 7616, section 3.3; RFC 2617 and 2069 servers too].
package struct DigestChallenge: Equatable, Sendable {
    /// The quality of protection that is answered with.
    package enum QualityOfProtection: UInt8, Sendable {
        /// The server asks for none, as RFC 2069 had it: neither nc nor cnonce is sent.
        case none
        case auth
        /// The body is hashed too; chosen only where nothing else is offered.
        case authInt
    }

    /// Exact bytes, to be sent back and hashed as they are.
    package var realm: [UInt8]
    package var nonce: [UInt8]
    /// Sent back as it came, an empty one too; nil where there was none.
    package var opaque: [UInt8]?
    package var algorithm: DigestAlgorithm
    /// Whether the algorithm is a -sess variant [RFC 7616, section 3.4.2].
    package var isSession: Bool
    /// The algorithm as the challenge spelt it; nil where it named none, and then the answer names none either.
    package var algorithmSpelling: [UInt8]?
    package var qop: QualityOfProtection
    /// Whether the nonce alone was refused, not the credential.
    package var isStale: Bool
    /// Whether the user's name is to be sent hashed [RFC 7616, section 3.4.4].
    package var userhash: Bool
    /// Whether the server reads names and passwords as UTF-8; else the rule's charset holds.
    package var namesUTF8: Bool
    /// The URIs of `domain`, as they were written; empty where there were none.
    package var domain: [[UInt8]]

    /// The challenge that `challenge` states; nil if it must be passed over, for the reason that `read` throws.
    package init?(_ challenge: AuthenticationChallenge) {
        guard let digest = try? Self.read(challenge) else { return nil }
        self = digest
    }

    /// The challenge that `challenge` states, or why it can't be answered.
    ///
    /// A realm or nonce whose quote never closes is as good as none: what is needed must have come before.
    package static func read(_ challenge: AuthenticationChallenge) throws(AuthenticationError) -> DigestChallenge {
        try DigestChallenge(reading: challenge)
    }

    private init(reading challenge: AuthenticationChallenge) throws(AuthenticationError) {
        guard challenge.method == .digest else { throw .notDigest }
        guard challenge.isReadable, challenge.token68 == nil else { throw .challengeUnreadable }
        guard let realm = challenge.closedValue("realm") else { throw .realmMissing }
        guard let nonce = challenge.closedValue("nonce"), !nonce.isEmpty else { throw .nonceMissing }
        self.realm = realm
        self.nonce = nonce
        opaque = challenge.value("opaque")
        algorithmSpelling = challenge.value("algorithm")
        (algorithm, isSession) = try Self.algorithm(named: algorithmSpelling)
        qop = try Self.qop(in: challenge.value("qop"))
        isStale = challenge.names("stale", as: "true")
        userhash = challenge.names("userhash", as: "true")
        namesUTF8 = challenge.names("charset", as: "UTF-8")
        let uris = (challenge.value("domain") ?? []).split { $0 == 0x20 || $0 == 0x09 }
        domain = uris.map { [UInt8]($0) }
    }

    /// The rank of the offer, greater being stronger; comparable with `AuthenticationMethod.strength`.
    package var strength: Int {
        switch algorithm {
        case .sha512_256: 5
        case .sha256: 4
        case .md5: 2
        }
    }

    /// The algorithm of a name, without case [RFC 7616, section 6.1]; `SHA256` is what some devices call SHA-256.
    private static func algorithm(named name: [UInt8]?) throws(AuthenticationError) -> (DigestAlgorithm, Bool) {
        guard let name else { return try available(.md5, false) }
        let session = "-sess".utf8.count
        let isSession = name.count > session && ASCII.equalsIgnoringCase(name.span.extracting(last: session), "-sess")
        let base = name.span.extracting(0..<(isSession ? name.count - session : name.count))
        if ASCII.equalsIgnoringCase(base, "MD5") { return try available(.md5, isSession) }
        if ASCII.equalsIgnoringCase(base, "SHA-256") || ASCII.equalsIgnoringCase(base, "SHA256") {
            return try available(.sha256, isSession)
        }
        if ASCII.equalsIgnoringCase(base, "SHA-512-256") { return try available(.sha512_256, isSession) }
        throw .algorithmUnknown
    }

    private static func available(
        _ algorithm: DigestAlgorithm,
        _ isSession: Bool
    ) throws(AuthenticationError) -> (DigestAlgorithm, Bool) {
        guard algorithm.isAvailable else { throw .algorithmUnknown }
        return (algorithm, isSession)
    }

    /// The choice from a list like `auth,auth-int`; unknown words in it are ignored, an empty list is none.
    private static func qop(in list: [UInt8]?) throws(AuthenticationError) -> QualityOfProtection {
        guard let list else { return .none }
        let words = list.split { $0 == UInt8(ascii: ",") || ASCII.isBlank($0) }.map { [UInt8]($0) }
        if words.isEmpty { return .none }
        if words.contains(where: { ASCII.equalsIgnoringCase($0.span, "auth") }) { return .auth }
        if words.contains(where: { ASCII.equalsIgnoringCase($0.span, "auth-int") }) { return .authInt }
        throw .qopUnknown
    }
}
