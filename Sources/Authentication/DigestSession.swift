package import Bytes
package import Crypto

/// One nonce of a Digest space with its cnonce and its count, for one upstream connection at a time [RFC 7616].
///
/// It moves between a connection and `LearnedSpaces`, and only one of them holds it. Everything that stays the same
/// while the nonce is used is computed once, so that a value costs two digests and no allocation.
package final class DigestSession {
    /// What Authentication-Info says of the response's sender.
    package enum Verdict: UInt8, Sendable {
        /// Nothing that could be checked: no rspauth, or not for qop auth.
        case absent
        case right
        case wrong
    }

    /// Whether all counts of the nonce were used; such a session makes no more values.
    package var isExhausted: Bool { count == .max }
    /// The count of the last value that was made here; 0 before the first.
    package var count: UInt32 { nonceCount.value }
    /// What the body must be hashed with, if `qop` is auth-int.
    package let algorithm: DigestAlgorithm
    package let qop: DigestChallenge.QualityOfProtection

    private let parameters: DigestParameters
    private var nonce: [UInt8]
    private var use: NonceUse
    /// The last count that was used here; other connections may have used later ones.
    private var nonceCount = NonceCount(0)
    /// H(A1) in hex and a colon, the nonce and a colon: what a response's hash begins with.
    private var keyAndNonce: Secret
    /// From the scheme to the quote before the uri, between response and nc, and behind nc.
    private var beforeTarget: [UInt8] = []
    private var behindResponse: [UInt8] = []
    private var behindCount: [UInt8] = []
    /// `:cnonce:qop:`, which stands between nc and H(A2) in a response's hash.
    private var behindHashedCount: [UInt8] = []

    /// A session for the nonce of `challenge`, which no other connection uses; `cnonce` is random text, new for each
    /// nonce.
    ///
    /// `ruleCharset` holds where the challenge doesn't name UTF-8. Fails where the name or the password can't be written
    /// in the charset, and where the value would be longer than 64 KiB.
    package convenience init(
        challenge: DigestChallenge,
        credential: Credential,
        cnonce: [UInt8],
        ruleCharset: Charset,
        digest: MessageDigest
    ) throws(AuthenticationError) {
        try self.init(
            challenge: challenge,
            credential: credential,
            use: NonceUse(cnonce: cnonce),
            ruleCharset: ruleCharset,
            digest: digest
        )
    }

    /// The same for a nonce whose counts may be used by others, too.
    package init(
        challenge: DigestChallenge,
        credential: Credential,
        use: NonceUse,
        ruleCharset: Charset,
        digest: MessageDigest
    ) throws(AuthenticationError) {
        let cnonce = use.cnonce
        self.use = use
        nonce = challenge.nonce
        let user = try DigestUser(credential, challenge, ruleCharset, digest)
        algorithm = challenge.algorithm
        qop = challenge.qop
        parameters = DigestParameters(challenge: challenge, usernameParameter: user.parameter)
        keyAndNonce = Self.join(user.key, nonce: challenge.nonce)
        if challenge.isSession {
            keyAndNonce = Self.join(
                Self.sessionKey(keyAndNonce, challenge.algorithm, cnonce: cnonce, digest),
                nonce: challenge.nonce
            )
        }
        write(nonce: challenge.nonce, cnonce: cnonce)
        guard beforeTarget.count + behindResponse.count + behindCount.count <= maximumValueCount - 1024 else {
            throw .valueTooLong
        }
    }

    /// Appends the whole field value for the next request with this nonce, and takes the next count.
    ///
    /// `method` and `target` are those of the very request line that is sent. With auth-int `bodyHash` is the digest of
    /// the body by `algorithm`; nil stands for an empty body. An exhausted session appends nothing.
    package func appendValue(
        method: Span<UInt8>,
        target: Span<UInt8>,
        bodyHash: Span<UInt8>?,
        into buffer: inout ByteBuffer,
        digest: MessageDigest
    ) {
        if isExhausted { return }
        guard let count = use.takeCount() else {
            nonceCount = NonceCount(.max)
            return
        }
        nonceCount = NonceCount(count)
        if qop == .authInt, bodyHash == nil {
            var empty = [64 of UInt8](repeating: 0)
            digest.begin(algorithm)
            let length = digest.finish(into: &empty)
            let hash = empty.span.extracting(0..<length)
            appendValue(method, target, bodyHash: hash, &buffer, digest)
        } else {
            appendValue(method, target, bodyHash: bodyHash, &buffer, digest)
        }
    }

    private func appendValue(
        _ method: Span<UInt8>,
        _ target: Span<UInt8>,
        bodyHash: Span<UInt8>?,
        _ buffer: inout ByteBuffer,
        _ digest: MessageDigest
    ) {
        let response = response(method: method, target: target, bodyHash: bodyHash, digest)
        buffer.append(beforeTarget)
        QuotedString.appendContent(target, to: &buffer)
        buffer.append("\", response=\"")
        buffer.append(response.digits)
        buffer.append(behindResponse)
        if qop != .none {
            let digits = nonceCount.digits
            buffer.append(digits.span)
            buffer.append(behindCount)
        }
    }

    /// Goes on with the nonce that Authentication-Info announced, whose count begins anew [RFC 7616, section 3.5]; one
    /// that is in use here changes nothing.
    ///
    /// The key of a -sess algorithm stays: it is made once, of the nonce of the challenge and the first cnonce.
    package func adopt(nextNonce: [UInt8], use: NonceUse) {
        guard nextNonce != nonce else { return }
        nonce = nextNonce
        self.use = use
        let digits = 2 * algorithm.byteCount
        let key = keyAndNonce.withBytes { Secret($0.extracting(first: digits)) }
        keyAndNonce = Self.join(key, nonce: nonce)
        nonceCount = NonceCount(0)
        write(nonce: nonce, cnonce: use.cnonce)
    }

    /// Checks rspauth in Authentication-Info, or in its Proxy- form, of the response to the last value's request.
    package func verify(authenticationInfo field: Span<UInt8>, target: Span<UInt8>, digest: MessageDigest) -> Verdict {
        guard qop == .auth, let range = AuthenticationInfo.range(of: "rspauth", in: field) else { return .absent }
        if let qop = AuthenticationInfo.range(of: "qop", in: field) {
            guard ASCII.equalsIgnoringCase(field.extracting(qop), "auth") else { return .absent }
        }
        let expected = response(method: [UInt8]().span, target: target, bodyHash: nil, digest)
        guard range.count == 2 * algorithm.byteCount else { return .wrong }
        return ASCII.equalsIgnoringCase(field.extracting(range), expected.digits) ? .right : .wrong
    }

    /// The nonce that Authentication-Info announces for the next request; nil without one.
    package func nextNonce(in field: Span<UInt8>) -> [UInt8]? {
        AuthenticationInfo.nextNonce(in: field)
    }

    /// H(A1):nonce:nc:cnonce:qop:H(A2) hashed, or H(A1):nonce:H(A2) without qop; an empty method makes rspauth.
    private func response(
        method: Span<UInt8>,
        target: Span<UInt8>,
        bodyHash: Span<UInt8>?,
        _ digest: MessageDigest
    ) -> HexDigest {
        digest.begin(algorithm)
        digest.update(method)
        digest.update(UInt8(ascii: ":"))
        digest.update(target)
        if qop == .authInt, let bodyHash {
            digest.update(UInt8(ascii: ":"))
            digest.update(HexDigest(of: bodyHash).digits)
        }
        let hashedTarget = HexDigest(finishing: digest)
        digest.begin(algorithm)
        keyAndNonce.withBytes { digest.update($0) }
        if qop != .none {
            let digits = nonceCount.digits
            digest.update(digits.span)
            let rest = behindHashedCount
            digest.update(rest.span)
        }
        digest.update(hashedTarget.digits)
        return HexDigest(finishing: digest)
    }

    private func write(nonce: [UInt8], cnonce: [UInt8]) {
        beforeTarget = parameters.beforeTarget(nonce: nonce)
        behindResponse = parameters.behindResponse(cnonce: cnonce)
        behindCount = parameters.behindCount
        behindHashedCount = parameters.behindHashedCount(cnonce: cnonce)
    }

    /// `key:nonce:`, as a secret since the key is as good as the password.
    private static func join(_ key: Secret, nonce: [UInt8]) -> Secret {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(key.count + nonce.count + 2)
        key.withBytes { for index in $0.indices { bytes.append($0[index]) } }
        bytes.append(UInt8(ascii: ":"))
        bytes.append(contentsOf: nonce)
        bytes.append(UInt8(ascii: ":"))
        return Secret(wiping: &bytes)
    }

    /// H(H(user:realm:password):nonce:cnonce) in hex [RFC 7616, section 3.4.2].
    private static func sessionKey(
        _ keyAndNonce: Secret,
        _ algorithm: DigestAlgorithm,
        cnonce: [UInt8],
        _ digest: MessageDigest
    ) -> Secret {
        digest.begin(algorithm)
        keyAndNonce.withBytes { digest.update($0) }
        digest.update(cnonce.span)
        return Secret(HexDigest(finishing: digest).digits)
    }
}

extension DigestChallenge {
    /// What is shorter than this fits a value, however much of it has to be quoted or escaped, in bytes.
    private static var alwaysFitting: Int { 8 * 1024 }

    /// Whether a value for it can be written: in its charset, else in `ruleCharset`, and not longer than 64 KiB.
    package func canBeAnswered(by credential: Credential, ruleCharset: Charset) -> Bool {
        switch credential.kind {
        case .password(let username, _, _):
            let count = username.count + realm.count + nonce.count + (opaque?.count ?? 0)
            let isCommon = (namesUTF8 || ruleCharset == .utf8) && !username.contains(where: ASCII.isControl)
            if isCommon && count < Self.alwaysFitting { return true }
        case .digestHash: break
        case .ntHash, .kerberos, .token, .header, .clientCertificate, .deferred: return false
        }
        let session = try? DigestSession(
            challenge: self,
            credential: credential,
            cnonce: [UInt8](repeating: UInt8(ascii: "0"), count: 32),
            ruleCharset: ruleCharset,
            digest: MessageDigest()
        )
        return session != nil
    }
}

@available(*, unavailable)
extension DigestSession: Sendable {}
