import Authentication
import Bytes
import Crypto
import Support
import Testing

struct ChallengeFieldTests {
    private static let user = Credential(name: "user", username: "user", password: Secret("pass"))

    @Test("A-2 the schemes of a row are read in their order", arguments: ChallengeField.allVariants)
    func schemes(_ row: ChallengeField) {
        #expect(read(row).map { String(decoding: $0.schemeName, as: UTF8.self) } == row.schemes)
    }

    @Test(
        "A-2 the strongest readable offer of a row is answered, and with its realm",
        arguments: ChallengeField.allVariants
    )
    func answer(_ row: ChallengeField) throws {
        let chosen = strongest(of: read(row))
        #expect((chosen == nil) == (row.answer == nil))
        guard let answer = row.answer, let chosen else { return }
        #expect(chosen.method == (answer.scheme == "Basic" ? .basic : .digest))
        #expect(chosen.realm == answer.realm)
        let value = try value(for: chosen)
        #expect(value.starts(with: Array("\(answer.scheme) ".utf8)))
        let parameters = split(value)
        for echoed in answer.echoed {
            #expect(parameters.contains(echoed), "\(String(decoding: echoed, as: UTF8.self))")
        }
        for name in answer.absent {
            #expect(!parameters.contains { $0.starts(with: Array("\(name)=".utf8)) }, "\(name)")
        }
    }

    private func read(_ row: ChallengeField) -> [AuthenticationChallenge] {
        var parser = ChallengeParser()
        for value in row.values { parser.parse(value.span) }
        return parser.finish()
    }

    private func strongest(of challenges: [AuthenticationChallenge]) -> AuthenticationChallenge? {
        var best: (challenge: AuthenticationChallenge, strength: Int)?
        for challenge in challenges where challenge.isReadable {
            let strength: Int
            switch challenge.method {
            case .basic: strength = AuthenticationMethod.basic.strength
            case .digest:
                guard let digest = DigestChallenge(challenge) else { continue }
                strength = digest.strength
            default: continue
            }
            if strength > best?.strength ?? 0 { best = (challenge, strength) }
        }
        return best?.challenge
    }

    private func value(for challenge: AuthenticationChallenge) throws -> [UInt8] {
        guard let digest = DigestChallenge(challenge) else {
            let charset = BasicResponder.charset(of: challenge, ruleCharset: .utf8)
            return try BasicResponder.value(Self.user, charset: charset).withBytes { [UInt8]($0) }
        }
        let messageDigest = MessageDigest()
        let session = try DigestSession(
            challenge: digest,
            credential: Self.user,
            cnonce: Array("0a4f113b".utf8),
            ruleCharset: .utf8,
            digest: messageDigest
        )
        var buffer = ByteBuffer()
        let target = Array("/".utf8)
        session.appendValue(
            method: Array("GET".utf8).span,
            target: target.span,
            bodyHash: nil,
            into: &buffer,
            digest: messageDigest
        )
        return [UInt8](buffer.readable)
    }

    /// The parameters of a value, as they are written: split at each comma and blank outside of quotes.
    private func split(_ value: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = [[]]
        var isQuoted = false
        var isEscaped = false
        for byte in value.drop(while: { $0 != UInt8(ascii: " ") }) {
            if byte == UInt8(ascii: "\"") && !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
            if !isQuoted && (byte == UInt8(ascii: ",") || byte == UInt8(ascii: " ")) {
                parts.append([])
            } else {
                parts[parts.count - 1].append(byte)
            }
        }
        return parts
    }
}
