internal import Authentication
internal import Bytes
internal import Crypto
internal import HTTP
internal import Rules

extension ExchangeStateMachine {
    /// The name under which a login in the target is known; no rule file can say it.
    private static let userinfoName = "(userinfo)"

    /// Prepares the answer by a login in the target (H-1b): Basic and Digest, never ahead, never in the ledger.
    ///
    /// False where the target has none, or it can't answer; `reason` says why then.
    mutating func prepareUserinfo(_ head: borrowing RequestHead) -> Bool {
        guard head.target.userinfo != nil, request.method != .trace, !request.isCrossSite else { return false }
        guard !origin.refused.contains(Self.userinfoName), answers < Self.answerLimit else { return false }
        guard isBodyKept else {
            origin.reason = .bodyNotKept
            return false
        }
        guard let credential = Self.credential(head) else { return false }
        for challenge in origin.challenges.sorted(by: { Self.rank($0) > Self.rank($1) }) {
            guard challenge.isReadable, let value = value(challenge, credential) else { continue }
            origin.prepared = PreparedAnswer(credential: credential, rule: nil, realm: challenge.realm, value: value)
            origin.plan = .answer
            origin.bodyHash = nil
            origin.isConfirmed = false
            origin.wantsFreshNonce = true
            origin.permission = .notNeeded
            answers += 1
            return true
        }
        return false
    }

    /// Digest before Basic, the stronger algorithm first.
    private static func rank(_ challenge: AuthenticationChallenge) -> Int {
        DigestChallenge(challenge)?.strength ?? challenge.method?.strength ?? -1
    }

    private mutating func value(
        _ challenge: AuthenticationChallenge,
        _ credential: Credential
    ) -> PreparedAnswer.Value? {
        if let digest = DigestChallenge(challenge) {
            return digest.canBeAnswered(by: credential, ruleCharset: .utf8) ? .digest(digest) : nil
        }
        guard challenge.method == .basic else { return nil }
        guard request.isSecure else {
            origin.reason = LocalResponse(
                502,
                .httpRequestDenied,
                PassReason.cleartext.code,
                "A login in the target is not sent as Basic without TLS."
            )
            return nil
        }
        let charset = BasicResponder.charset(of: challenge, ruleCharset: .utf8)
        guard let value = try? BasicResponder.value(credential, charset: charset) else { return nil }
        return .basic(value)
    }

    /// User and password of the target, percent-decoded; without a colon the password is empty.
    private static func credential(_ head: borrowing RequestHead) -> Credential? {
        guard let range = head.target.userinfo else { return nil }
        let text = head.bytes(range)
        let colon = ASCII.firstIndex(of: UInt8(ascii: ":"), in: text) ?? text.count
        guard let user = decoded(text.extracting(0..<colon)) else { return nil }
        guard let password = decoded(text.extracting(min(colon + 1, text.count)..<text.count)) else { return nil }
        guard !(user + password).contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return nil }
        return Credential(
            name: userinfoName,
            kind: .password(username: user, domain: nil, password: Secret(password.span)),
            persistence: .none
        )
    }

    /// The Basic value that a login in the target stands for; nil without one.
    static func basicValueOfUserinfo(_ head: borrowing RequestHead) -> ByteBuffer? {
        guard let range = head.target.userinfo else { return nil }
        let text = head.bytes(range)
        var pair = decoded(text) ?? [UInt8](text)
        if !pair.contains(UInt8(ascii: ":")) { pair.append(UInt8(ascii: ":")) }
        var value = ByteBuffer(capacity: 6 + Base64.encodedCount(pair.count))
        value.append("Basic ")
        Base64.append(pair.span, into: &value)
        return value
    }

    private static func decoded(_ text: Span<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "%") else {
                result.append(text[index])
                index += 1
                continue
            }
            guard index + 2 < text.count, let high = Hex.value(text[index + 1]), let low = Hex.value(text[index + 2])
            else { return nil }
            result.append(high << 4 | low)
            index += 3
        }
        return result
    }
}
