internal import Authentication
internal import Bytes
internal import Exchange
internal import HTTP

extension ExchangeRunner {
    /// Looks at what the responses' Authentication-Info says of the nonces that were used (A-5, RFC 7616 s.3.5).
    ///
    /// False where a server that had to prove itself did not.
    func checkAuthenticationInfo() -> Bool {
        guard exchange.machine.usesDigest, let upstream else { return true }
        if let nonce = upstream.nonces.origin, exchange.machine.usedDigest(.origin) {
            let verdict = judge(nonce, .origin)
            guard accept(verdict, nonce, verifies: exchange.machine.verifiesServer(.origin)) else { return false }
        }
        if let nonce = upstream.nonces.parent, exchange.machine.usedDigest(.parent) {
            let verdict = judge(nonce, .parent)
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

    private func judge(_ nonce: HeldNonce, _ side: Side) -> DigestSession.Verdict {
        exchange.judge(nonce, side, worker)
    }
}

extension ExchangeInProgress {
    /// What the response says of the request that carried the nonce of one side; a next nonce is taken over.
    fileprivate func judge(_ nonce: HeldNonce, _ side: Side, _ worker: Worker) -> DigestSession.Verdict {
        let name: FieldName = side == .origin ? .authenticationInfo : .proxyAuthenticationInfo
        guard let index = response.fields.first(name) else { return .absent }
        let value = response.fields.value(index)
        var target = ByteBuffer(capacity: 128)
        ForwardedRequest.appendTarget(request, form: machine.digestTarget(side), into: &target)
        let verdict = nonce.session.verify(authenticationInfo: value, target: target.readable, digest: worker.digest)
        if verdict != .wrong, let next = AuthenticationInfo.nextNonce(in: value), let destination = nonce.destination {
            let server = side == .origin ? destination.serverName : destination.hop.serverName
            nonce.session.adopt(nextNonce: next, use: worker.nonceUse(server, next))
        }
        return verdict
    }
}
