internal import Authentication
internal import Bytes
internal import Crypto
internal import Exchange
internal import HTTP

extension ExchangeRunner {
    /// Looks at what the responses' Authentication-Info says of the nonces that were used (A-5, RFC 7616 s.3.5).
    ///
    /// False where a server that had to prove itself did not.
    func checkAuthenticationInfo() -> Bool {
        guard exchange.machine.usesDigest, let upstream else { return true }
        if let nonce = upstream.nonces.origin, exchange.machine.usedDigest(.origin) {
            let verdict = judge(nonce, .authenticationInfo)
            guard accept(verdict, nonce, verifies: exchange.machine.verifiesServer(.origin)) else { return false }
        }
        if let nonce = upstream.nonces.parent, exchange.machine.usedDigest(.parent) {
            let verdict = judge(nonce, .proxyAuthenticationInfo)
            guard accept(verdict, nonce, verifies: exchange.machine.verifiesServer(.parent)) else { return false }
        }
        return true
    }

    private func accept(_ verdict: DigestSession.Verdict, _ nonce: HeldNonce, verifies: Bool) -> Bool {
        guard verdict == .wrong else { return true }
        record.reason = "digest.rspauth"
        worker.shared.log.warn("a server's rspauth is wrong for the credential '\(nonce.credential.name)'")
        return !verifies
    }

    private func judge(_ nonce: HeldNonce, _ name: FieldName) -> DigestSession.Verdict {
        exchange.judge(nonce, name, digest: worker.digest)
    }
}

extension ExchangeInProgress {
    /// What the field `name` of the response says of the request that carried the nonce; a next nonce is taken over.
    fileprivate func judge(_ nonce: HeldNonce, _ name: FieldName, digest: MessageDigest) -> DigestSession.Verdict {
        guard let index = response.fields.first(name) else { return .absent }
        let value = response.fields.value(index)
        var target = ByteBuffer(capacity: 128)
        ForwardedRequest.appendTarget(request, form: machine.form.target, into: &target)
        let verdict = nonce.session.verify(authenticationInfo: value, target: target.readable, digest: digest)
        if verdict != .wrong, let next = AuthenticationInfo.nextNonce(in: value) {
            nonce.session.adopt(nextNonce: next.span, cnonce: RandomBytes.hex(count: 16))
        }
        return verdict
    }
}
