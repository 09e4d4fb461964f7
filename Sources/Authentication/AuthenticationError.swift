/// Why an offer isn't answered by a credential; says nothing of either's content.
package enum AuthenticationError: Error, Equatable, Sendable {
    /// The challenge breaks the grammar, or names a parameter twice with different values.
    case challengeUnreadable
    /// It isn't a Digest challenge.
    case notDigest
    /// Digest needs a realm [RFC 7616, section 3.3].
    case realmMissing
    /// Digest needs a nonce [RFC 7616, section 3.3].
    case nonceMissing
    /// An algorithm that isn't known, or that this OpenSSL doesn't offer.
    case algorithmUnknown
    /// Quality of protection is demanded, and none that is known.
    case qopUnknown
    /// The name or the password has a character that the charset lacks.
    case charsetUnencodable
    /// Basic can't carry a name with a colon [RFC 7617, section 2].
    case colonInUsername
    /// A control character in the name or the password [RFC 7617, section 2].
    case controlCharacter
    /// The value would be longer than 64 KiB.
    case valueTooLong
    /// The credential is a hash for another realm.
    case realmDiffers
    /// The credential isn't of a kind that this method is answered with.
    case wrongKind

    /// The stable reason code for log and Proxy-Status.
    package var reason: String {
        switch self {
        case .challengeUnreadable: "challenge.unreadable"
        case .notDigest: "challenge.not-digest"
        case .realmMissing: "digest.realm-missing"
        case .nonceMissing: "digest.nonce-missing"
        case .algorithmUnknown: "digest.algorithm-unknown"
        case .qopUnknown: "digest.qop-unknown"
        case .charsetUnencodable: "credential.charset"
        case .colonInUsername: "credential.colon"
        case .controlCharacter: "credential.control-character"
        case .valueTooLong: "credential.too-long"
        case .realmDiffers: "credential.realm"
        case .wrongKind: "credential.wrong-kind"
        }
    }
}
