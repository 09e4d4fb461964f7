internal import Authentication
internal import Bytes
internal import Crypto

/// The server's half of Digest [RFC 7616 s.3.4], computed apart from the half that the proxy answers with.
final class DigestVerification {
    /// What credentials are worth.
    enum Verdict {
        case right, wrong
        /// Right, but for a nonce or count that isn't taken any more.
        case stale
    }

    /// What the credentials have to be about.
    struct Request {
        let method: [UInt8]
        let target: [UInt8]
        let realm: String
        let algorithm: DigestAlgorithm
    }

    /// How many nonces are remembered; beyond, the oldest one turns stale.
    private static let mostNonces = 256

    private let digest = MessageDigest()
    private var lastCounts: [String: UInt64] = [:]
    private var nonces: [String] = []

    func makeNonce() -> String {
        let nonce = String(decoding: RandomBytes.hex(count: 16), as: UTF8.self)
        if nonces.count == Self.mostNonces { lastCounts[nonces.removeFirst()] = nil }
        nonces.append(nonce)
        lastCounts[nonce] = 0
        return nonce
    }

    func verdict(on credentials: [UInt8], _ request: Request, _ user: DemonstrationUser) -> Verdict {
        // Credentials have the grammar of a challenge [RFC 9110 s.11.4].
        var parser = ChallengeParser()
        parser.parse(credentials.span)
        guard let answer = parser.finish().first, answer.method == .digest else { return .wrong }
        func text(_ name: String) -> String { answer.value(name).map { String(decoding: $0, as: UTF8.self) } ?? "" }
        guard text("username") == user.name, text("realm") == request.realm, text("qop") == "auth",
            answer.value("uri") == request.target, let count = UInt64(text("nc"), radix: 16)
        else { return .wrong }
        let secret = hash(request.algorithm, "\(user.name):\(request.realm):\(user.password)")
        let message = hash(request.algorithm, bytes: request.method + [UInt8(ascii: ":")] + request.target)
        let nonce = text("nonce")
        let expected = hash(
            request.algorithm,
            "\(secret):\(nonce):\(text("nc")):\(text("cnonce")):auth:\(message)"
        )
        guard text("response") == expected else { return .wrong }
        // A count that doesn't rise is a replay [RFC 7616 s.3.4.6].
        guard let last = lastCounts[nonce], count > last else { return .stale }
        lastCounts[nonce] = count
        return .right
    }

    private func hash(_ algorithm: DigestAlgorithm, _ text: String) -> String {
        hash(algorithm, bytes: Array(text.utf8))
    }

    private func hash(_ algorithm: DigestAlgorithm, bytes: [UInt8]) -> String {
        let result = digest.digest(algorithm, of: bytes.span)
        return String(decoding: Hex.encode(result.span), as: UTF8.self)
    }
}
