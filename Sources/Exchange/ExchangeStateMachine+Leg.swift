package import Authentication
package import Bytes
package import Crypto
package import HTTP
internal import Rules

extension ExchangeStateMachine {
    /// Appends the whole head of the next leg: what is passed on, and the values of ours.
    ///
    /// `nonces` are those of the connection that carries the leg, which takes and gives nonces here (A-4b); `use` gives
    /// the cnonce and the counts of a nonce of the server of that name.
    package mutating func appendLeg(
        _ head: borrowing RequestHead,
        pseudonym: String,
        nonces: inout ConnectionNonces,
        digest: MessageDigest,
        use: (_ server: String, _ nonce: [UInt8]) -> NonceUse,
        into buffer: inout ByteBuffer
    ) {
        origin.sent = .none
        parent.sent = .none
        if isEstablishing {
            return appendEstablishing(
                head,
                pseudonym: pseudonym,
                nonces: &nonces,
                digest: digest,
                use: use,
                into: &buffer
            )
        }
        var isParentPending = false
        form.isEmpty = false
        form.asksForPersistence = false
        if mayHandshake {
            form.isEmpty = isLegEmpty
            form.asksForPersistence = isHandshakeInHand && destination?.hop.speaksHTTP10 == true
            isParentPending = isPending(.parent)
        }
        form.keepsAuthorization = bringsAuthorization && origin.plan == .none
        form.keepsProxyAuthorization = passesProxyAuthorization && parent.plan == .none
        let isInTunnel = destination?.hop.tunnel != nil
        if isInTunnel { form.keepsProxyAuthorization = false }
        ForwardedRequest.appendStart(
            head,
            form: form,
            authority: destination?.hostField(for: head) ?? [],
            into: &buffer
        )
        ForwardedRequest.appendFields(
            head,
            form: form,
            pseudonym: pseudonym,
            mapping: mapping,
            replaced: replacedFields,
            into: &buffer
        )
        appendFields(isInTunnel: isInTunnel, into: &buffer)
        if parent.plan != .none && !isInTunnel {
            appendValue(.parent, head, "Proxy-Authorization: ", &nonces, digest, use, &buffer)
        }
        if origin.plan != .none && !isParentPending {
            appendValue(.origin, head, "Authorization: ", &nonces, digest, use, &buffer)
        }
        buffer.append("\r\n")
    }

    /// Appends a CONNECT of our own: nothing of the client's request, but for a login of its own at the parent.
    private mutating func appendEstablishing(
        _ head: borrowing RequestHead,
        pseudonym: String,
        nonces: inout ConnectionNonces,
        digest: MessageDigest,
        use: (_ server: String, _ nonce: [UInt8]) -> NonceUse,
        into buffer: inout ByteBuffer
    ) {
        guard let authority = destination?.hop.tunnel?.authority else { return }
        ForwardedRequest.appendConnect(authority.span, pseudonym: pseudonym, into: &buffer)
        if isHandshakeInHand && destination?.hop.speaksHTTP10 == true {
            ForwardedRequest.appendPersistence(into: &buffer)
        }
        appendParentFields(into: &buffer)
        if parent.plan != .none {
            appendValue(.parent, head, "Proxy-Authorization: ", &nonces, digest, use, &buffer)
        } else if passesProxyAuthorization, let index = head.fields.first(.proxyAuthorization) {
            buffer.append("Proxy-Authorization: ")
            buffer.append(head.fields.value(index))
            buffer.append("\r\n")
        }
        buffer.append("\r\n")
    }

    private mutating func appendValue(
        _ side: Side,
        _ head: borrowing RequestHead,
        _ name: String,
        _ nonces: inout ConnectionNonces,
        _ digest: MessageDigest,
        _ use: (String, [UInt8]) -> NonceUse,
        _ buffer: inout ByteBuffer
    ) {
        let isAhead: Bool
        switch self[side].plan {
        case .none:
            return
        case .learned(let index):
            if appendLearnedValue(side, index, name, &buffer) { return }
            guard holdLearnedNonce(side, index, &nonces) else { return }
            isAhead = true
        case .answer, .ahead:
            guard let prepared = self[side].prepared else { return }
            switch prepared.value {
            case .basic(let value):
                appendField(name, value, &buffer)
                self[side].sent = self[side].plan == .answer ? .basicAnswer : .basicAhead
                return
            case .bearer(let value):
                appendField(name, value, &buffer)
                self[side].sent = .bearer
                return
            case .handshake:
                return appendToken(side, prepared.method, name, &buffer)
            case .deferred:
                return
            case .digest(let challenge):
                guard holdAnswerNonce(side, prepared, challenge, &nonces, digest, use) else { return }
                isAhead = self[side].isConfirmed
            }
        }
        guard let nonce = nonces[side] else { return }
        buffer.append(name)
        appendDigest(side, head, nonce.session, digest, &buffer)
        buffer.append("\r\n")
        self[side].sent = isAhead ? .digestAhead : .digestAnswer
    }

    private var isHandshakeInHand: Bool { mayHandshake && hasToken }

    private var hasToken: Bool { origin.handshake.token != nil || parent.handshake.token != nil }

    /// Appends the token that is due, which never goes twice (C-7).
    private mutating func appendToken(
        _ side: Side,
        _ method: AuthenticationMethod,
        _ name: String,
        _ buffer: inout ByteBuffer
    ) {
        guard let token = self[side].handshake.token, let value = HandshakeValue.make(method, token) else { return }
        appendField(name, value, &buffer)
        self[side].sent = self[side].handshake.isLast ? .lastLeg : .leg
        self[side].handshake.token = nil
        self[side].handshake.legs += 1
        self[side].handshake.isVerified = false
    }

    /// Appends what was learned of a space whose value doesn't depend on a challenge; true where that is all.
    private mutating func appendLearnedValue(
        _ side: Side,
        _ index: Int,
        _ name: String,
        _ buffer: inout ByteBuffer
    )
        -> Bool
    {
        guard let destination else { return true }
        let (method, value) =
            side == .origin
            ? (destination.learned.method(of: index), destination.learned.value(of: index))
            : (destination.hop.teacher.learned.method(of: index), destination.hop.teacher.learned.value(of: index))
        switch method {
        case .basic, .bearer:
            guard let value else { return true }
            appendField(name, value, &buffer)
            self[side].sent = method == .basic ? .basicAhead : .bearer
            return true
        case .digest: return false
        // The connection is authenticated, or will be by a token.
        case .ntlm, .negotiate, .clientCertificate, nil: return true
        }
    }

    private func appendField(_ name: String, _ value: Secret, _ buffer: inout ByteBuffer) {
        buffer.append(name)
        value.withBytes { buffer.append($0) }
        buffer.append("\r\n")
    }

    /// Makes the connection hold a nonce of the learned space: its own, else an idle one of this loop.
    private func holdLearnedNonce(_ side: Side, _ index: Int, _ nonces: inout ConnectionNonces) -> Bool {
        guard let destination else { return false }
        guard let space = side == .origin ? destination.learned[index] : destination.hop.teacher.learned[index] else {
            return false
        }
        if let held = nonces[side] {
            if held.belongs(to: space.credential, realm: space.realm) && !held.session.isExhausted {
                return !hasBody || held.session.qop != .authInt
            }
            giveBack(side, held)
            nonces[side] = nil
        }
        let idle =
            side == .origin
            ? destination.learned.takeSession(index) : destination.hop.teacher.learned.takeSession(index)
        guard let idle else { return false }
        nonces[side] = HeldNonce(
            session: idle,
            credential: space.credential,
            realm: space.realm,
            destination: destination
        )
        return !hasBody || idle.qop != .authInt
    }

    /// Makes the connection hold the nonce of the challenge that is answered, new or already in use.
    private mutating func holdAnswerNonce(
        _ side: Side,
        _ prepared: PreparedAnswer,
        _ challenge: DigestChallenge,
        _ nonces: inout ConnectionNonces,
        _ digest: MessageDigest,
        _ use: (String, [UInt8]) -> NonceUse
    ) -> Bool {
        if self[side].wantsFreshNonce {
            if let held = nonces[side], !held.belongs(to: prepared.credential, realm: prepared.realm) {
                giveBack(side, held)
            }
            self[side].wantsFreshNonce = false
            nonces[side] = nil
            guard let server = side == .origin ? destination?.serverName : destination?.hop.serverName,
                let session = try? DigestSession(
                    challenge: challenge,
                    credential: prepared.credential,
                    use: use(server, challenge.nonce),
                    ruleCharset: prepared.rule?.charset ?? .utf8,
                    digest: digest
                )
            else { return false }
            nonces[side] = HeldNonce(
                session: session,
                credential: prepared.credential,
                realm: prepared.realm,
                destination: destination
            )
            return true
        }
        guard let held = nonces[side] else { return false }
        return held.belongs(to: prepared.credential, realm: prepared.realm) && !held.session.isExhausted
    }

    /// The leg that was written passes a login of the client's own on.
    package var carriesOwnLogin: Bool { form.keepsAuthorization && bringsAuthorization || passesProxyAuthorization }

    /// The target that one side's Digest is computed over, for the request as for its response: an origin
    /// compares with the one that its own leg has, which a parent makes of the absolute one.
    package func digestTarget(_ side: Side) -> RequestForm.Target {
        side == .origin && form.target == .absolute ? .origin : form.target
    }

    private func appendDigest(
        _ side: Side,
        _ head: borrowing RequestHead,
        _ session: DigestSession,
        _ digest: MessageDigest,
        _ buffer: inout ByteBuffer
    ) {
        if isEstablishing, let authority = destination?.hop.tunnel?.authority {
            let method = HTTPMethod.connect.text.utf8
            session.appendValue(
                method: method.span,
                target: authority.span,
                bodyHash: nil,
                into: &buffer,
                digest: digest
            )
            return
        }
        let target = digestTarget(side)
        let hash = self[side].bodyHash
        if isLegHead {
            var bytes = ByteBuffer(capacity: 256)
            ForwardedRequest.appendTarget(head, form: target, into: &bytes)
            let method = HTTPMethod.head.text.utf8
            session.appendValue(
                method: method.span,
                target: bytes.readable,
                bodyHash: nil,
                into: &buffer,
                digest: digest
            )
            return
        }
        if let target = ForwardedRequest.standingTarget(head, form: target) {
            session.appendValue(
                method: head.methodBytes,
                target: target,
                bodyHash: hash?.span,
                into: &buffer,
                digest: digest
            )
            return
        }
        var bytes = ByteBuffer(capacity: 256)
        ForwardedRequest.appendTarget(head, form: target, into: &bytes)
        session.appendValue(
            method: head.methodBytes,
            target: bytes.readable,
            bodyHash: hash?.span,
            into: &buffer,
            digest: digest
        )
    }

    /// A nonce whose connection ended, or that another space takes the place of, is idle for its space again.
    package func giveBack(_ side: Side, _ held: HeldNonce) {
        guard let destination else { return }
        if side == .origin {
            destination.learned.giveBack(held)
        } else {
            destination.hop.teacher.learned.giveBack(held)
        }
    }
}

extension LearnedSpaces {
    /// Keeps the nonce for the space that it belongs to, if that is still known.
    package mutating func giveBack(_ held: HeldNonce) {
        let space = snapshot.first { $0.method == .digest && held.belongs(to: $0.credential, realm: $0.realm) }
        if let space { giveBack(held.session, to: space.id) }
    }
}
