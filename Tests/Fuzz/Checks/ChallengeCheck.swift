import Authentication
import Bytes
import Crypto
import HTTP

/// What must hold for any challenge fields; the fuzzer and the replay of its corpus both ask.
package enum ChallengeCheck {
    /// Reads the input as one field, and as a field for each of its lines; says what is wrong with the outcome.
    package static func fault(of input: [UInt8]) -> String? {
        let lines = input.split(separator: 0x0a, omittingEmptySubsequences: false).map { [UInt8]($0) }
        return fault(ofFields: [input]) ?? fault(ofFields: lines) ?? faultOfInformation(input)
    }

    private static func fault(ofFields fields: [[UInt8]]) -> String? {
        var parser = ChallengeParser()
        for field in fields { parser.parse(field.span) }
        let challenges = parser.finish()
        if challenges.count > ChallengeParser.maximumChallenges { return "too many challenges" }
        var again = ChallengeParser()
        for field in fields { again.parse(field.span) }
        if again.finish() != challenges { return "two readings differ" }
        for challenge in challenges {
            if let fault = fault(of: challenge) { return fault }
        }
        return nil
    }

    private static func fault(of challenge: AuthenticationChallenge) -> String? {
        if !ASCII.isToken(challenge.schemeName.span) { return "a scheme that is no token" }
        if challenge.parameters.count > ChallengeParser.maximumParameters { return "too many parameters" }
        let names = challenge.parameters.map(\.name)
        if Set(names).count != names.count { return "a parameter twice" }
        if !names.allSatisfy({ ASCII.isToken($0.span) }) { return "a parameter's name that is no token" }
        if challenge.isReadable && !challenge.parameters.allSatisfy({ isClean($0.value) }) {
            return "a control character in a challenge that may be answered"
        }
        if let digest = DigestChallenge(challenge) { return fault(of: digest) }
        return nil
    }

    /// Answers the challenge, and reads the answer as the server would: both have the same grammar.
    private static func fault(of challenge: DigestChallenge) -> String? {
        let credential = Credential(name: "fuzz", username: "user\"\\\u{e4}", password: Secret("pass"))
        let digest = MessageDigest()
        let session: DigestSession
        do {
            session = try DigestSession(
                challenge: challenge,
                credential: credential,
                cnonce: Array("0a4f113b".utf8),
                ruleCharset: .utf8,
                digest: digest
            )
        } catch {
            return error == .valueTooLong ? nil : "a challenge that can't be answered: \(error.reason)"
        }
        var buffer = ByteBuffer()
        let target = Array("/a\"b".utf8)
        session.appendValue(
            method: Array("GET".utf8).span,
            target: target.span,
            bodyHash: nil,
            into: &buffer,
            digest: digest
        )
        let value = [UInt8](buffer.readable)
        if !isClean(value) { return "a control character in an answer" }
        return fault(ofAnswer: value, to: challenge, target: target)
    }

    private static func fault(ofAnswer value: [UInt8], to challenge: DigestChallenge, target: [UInt8]) -> String? {
        var parser = ChallengeParser()
        parser.parse(value.span)
        let read = parser.finish()
        guard read.count == 1, let answer = read.first, answer.isReadable else { return "an answer that can't be read" }
        if answer.realm != challenge.realm { return "another realm in the answer" }
        if answer.value("nonce") != challenge.nonce { return "another nonce in the answer" }
        if answer.value("opaque") != challenge.opaque { return "another opaque in the answer" }
        if answer.value("algorithm") != challenge.algorithmSpelling { return "another algorithm in the answer" }
        if answer.value("uri") != target { return "another uri in the answer" }
        if answer.value("response")?.count != 2 * challenge.algorithm.byteCount { return "a response cut short" }
        return nil
    }

    private static func faultOfInformation(_ input: [UInt8]) -> String? {
        guard let nonce = AuthenticationInfo.nextNonce(in: input.span) else { return nil }
        return isClean(nonce) && !nonce.isEmpty ? nil : "a nextnonce that no credential may carry"
    }

    private static func isClean(_ bytes: [UInt8]) -> Bool {
        !bytes.contains { ASCII.isControl($0) && $0 != 0x09 }
    }
}
