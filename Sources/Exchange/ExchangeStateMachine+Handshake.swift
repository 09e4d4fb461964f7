internal import Authentication
internal import Bytes
internal import Crypto
package import HTTP
internal import Rules

/// Handshakes that authenticate a connection, token by token (C-1, C-2, C-5, C-7, B-3).
extension ExchangeStateMachine {
    // MARK: tokens

    /// The side that needs a token before the next leg can be written; no token is made before its time.
    var tokenSide: Side? {
        guard let destination else { return nil }
        let reachesParent = isEstablishing || destination.hop.isParent && destination.hop.tunnel == nil
        if holdsRefusal ? challengedSide == .parent : reachesParent {
            if needsToken(.parent) { return .parent }
        }
        guard !isEstablishing, form.target != .authority, !(holdsRefusal && challengedSide == .parent) else {
            return nil
        }
        if reachesParent && isPending(.parent) { return nil }
        return needsToken(.origin) ? .origin : nil
    }

    private func needsToken(_ side: Side) -> Bool {
        guard isHandshake(side) else { return false }
        let handshake = side == .origin ? origin.handshake : parent.handshake
        return !handshake.isAuthenticated && handshake.token == nil && !handshake.isPassedOver
    }

    /// A token of that side goes with this leg, and another one has to follow.
    func isPending(_ side: Side) -> Bool {
        guard mayHandshake else { return false }
        let handshake = side == .origin ? origin.handshake : parent.handshake
        return handshake.token != nil && !handshake.isLast
    }

    /// The leg can be written on the connection in hand, but for tokens.
    mutating func readyToSend() -> Step {
        holdsRefusal = false
        if mayHandshake, let side = tokenSide {
            state = .obtaining
            return .obtain(side)
        }
        return .send
    }

    /// What the mechanism is asked for that side.
    mutating func tokenQuestion(_ side: Side, isFinal: Bool) -> TokenQuestion? {
        beginHandshake(side)
        guard let destination, let prepared = self[side].prepared, case .handshake(let mechanism) = prepared.value
        else {
            return nil
        }
        self[side].handshake.isBegun = true
        return TokenQuestion(
            mechanism: mechanism,
            credential: prepared.credential,
            host: side == .origin ? destination.origin.host : destination.hop.host,
            input: self[side].handshake.input,
            isFinal: isFinal
        )
    }

    /// A handshake by what was learned, or by a rule that needs no challenge, begins without one.
    private mutating func beginHandshake(_ side: Side) {
        if self[side].plan == .ahead { self[side].handshake.isAhead = true }
        guard case .learned(let index) = self[side].plan, let space = learned(side)?[index], let rule = rule(side)
        else {
            return
        }
        guard let mechanism = mechanism(side, space.method, space.credential, rule) else { return }
        self[side].prepared = PreparedAnswer(
            credential: space.credential,
            rule: rule,
            realm: nil,
            value: .handshake(mechanism)
        )
        self[side].plan = .answer
        self[side].handshake.isAhead = true
        answers += 1
    }

    /// By which mechanism a credential answers; nil where it doesn't (C-2).
    func mechanism(
        _ side: Side,
        _ method: AuthenticationMethod,
        _ credential: Credential,
        _ rule: Rule
    ) -> TokenQuestion.Mechanism? {
        switch (credential.kind, method) {
        case (.password, .ntlm), (.ntHash, .ntlm): return .ntlm
        case (.kerberos, .negotiate): return .negotiate(kerberos: true, ntlm: false)
        case (.password, .negotiate):
            let isAllowed = facts(side).isSecure || rule.cleartext.contains(.ntlm)
            return .negotiate(kerberos: true, ntlm: isAllowed && rule.methods.contains(.ntlm))
        default: return nil
        }
    }

    /// The mechanism answered; see `Wanted`.
    package mutating func tokenObtained(
        _ side: Side,
        _ answer: TokenAnswer,
        _ response: borrowing ResponseHead,
        _ head: borrowing RequestHead
    ) -> Step {
        switch state {
        case .obtaining:
            return take(answer, side, head)
        case .verifying:
            return verified(answer, response, head)
        case .idle, .admitting, .askingLedger, .recordingRejection, .collectingBody, .acquiring, .negotiating,
            .securing,
            .awaitingContinue,
            .awaitingHead, .draining, .relaying, .tunnelling, .looking, .welcoming, .finished:
            return .wait
        }
    }

    private mutating func take(_ answer: TokenAnswer, _ side: Side, _ head: borrowing RequestHead) -> Step {
        let hadInput = self[side].handshake.input != nil
        self[side].handshake.input = nil
        switch answer {
        case .token(let token, let isLast):
            self[side].handshake.token = token
            self[side].handshake.isLast = isLast
            return holdsRefusal ? proceed() : readyToSend()
        case .complete:
            // We have nothing more to say, and the server is still not content.
            return refusedToken(side, head) ?? unanswered(side)
        case .failed(let failure):
            return failed(failure, side, hadInput: hadInput, head)
        }
    }

    private mutating func failed(
        _ failure: TokenFailure,
        _ side: Side,
        hadInput: Bool,
        _ head: borrowing RequestHead
    ) -> Step {
        let response = LocalResponse(502, .httpRequestDenied, failure.code, failure.message)
        // What was agreed on the connection is of no use for another offer.
        if hadInput {
            isTainted = true
            refused = .unusable
        }
        switch failure.kind {
        case .rejected:
            challengedSide = side
            return reject(side, head) ?? unanswered(side)
        case .peer where self[side].sent == .lastLeg, .unavailable where hadInput && self[side].sent == .lastLeg:
            return refusedToken(side, head) ?? unanswered(side)
        case .peer, .unavailable:
            return tryOthers(side, response, head)
        }
    }

    // MARK: what the peer says

    /// What a 401 or 407 says to a token: the next one follows, or it was refused.
    mutating func judgeHandshake(_ side: Side, _ head: borrowing RequestHead) -> Step? {
        self[side].handshake.token = nil
        if let input = peerToken(side) {
            guard self[side].handshake.legs < Handshake.legLimit else {
                // What the last token was answered with is its verdict, however the server goes on.
                return self[side].sent == .lastLeg
                    ? refusedToken(side, head) : brokenOff(side, .handshakeTooLong, head)
            }
            guard refused != .unusable else {
                if self[side].sent == .lastLeg { return refusedToken(side, head) }
                if self[side].isKnownToLedger { report(side, .none, head) }
                return finish(with: .handshakeClosed)
            }
            self[side].handshake.input = input
            self[side].plan = .answer
            return proceed()
        }
        let isUndecided = self[side].sent == .leg || self[side].handshake.isAhead && self[side].handshake.legs == 1
        return isUndecided ? brokenOff(side, .handshakeRefused, head) : refusedToken(side, head)
    }

    /// The handshake ended without a verdict: it is begun anew for the challenge if it had come ahead of one, else
    /// another method answers.
    private mutating func brokenOff(_ side: Side, _ reason: LocalResponse, _ head: borrowing RequestHead) -> Step? {
        if self[side].isKnownToLedger { report(side, .none, head) }
        let wasAhead = self[side].handshake.isAhead && self[side].handshake.legs == 1
        if !wasAhead, let prepared = self[side].prepared, let rule = prepared.rule {
            let exception = CandidateRules.Exception(ruleIndex: rule.index, method: prepared.method)
            self[side].unavailable.append(exception)
            self[side].reason = reason
        }
        endHandshake(side)
        return nil
    }

    /// The server refused what only the right secret can make.
    private mutating func refusedToken(_ side: Side, _ head: borrowing RequestHead) -> Step? {
        endHandshake(side)
        return reject(side, head)
    }

    private mutating func endHandshake(_ side: Side) {
        isTainted = true
        // On a connection with half a handshake nobody knows what the server takes the next token for.
        refused = .unusable
        self[side].handshake = Handshake()
    }

    private func peerToken(_ side: Side) -> [UInt8]? {
        guard let method = self[side].prepared?.method else { return nil }
        for challenge in self[side].challenges where challenge.method == method && challenge.isReadable {
            guard let text = challenge.token68, let token = Base64.decode(text.span, .tolerant) else { continue }
            if !token.isEmpty { return token }
        }
        return nil
    }

    /// Why a handshake can't answer the challenge: nobody began it, or the parent between can't carry it (RFC 4559 s.6).
    func objection(_ side: Side, to challenge: AuthenticationChallenge) -> LocalResponse? {
        guard challenge.method == .ntlm || challenge.method == .negotiate else { return nil }
        if challenge.token68 != nil { return .unaskedToken }
        let isShared = side == .origin && destination?.hop.isParent == true && destination?.hop.tunnel == nil
        return isShared && !keepsSessions ? .sessionsNotKept : nil
    }

    /// The server's word on connections: whether the parent keeps a client's to itself, and how long a handshake holds.
    mutating func noteServer(_ side: Side, _ response: borrowing ResponseHead) {
        keepsSessions = response.fields.hasToken(.proxySupport, "Session-Based-Authentication")
        if side == .parent, response.version == .http10 { destination?.hop.speaksHTTP10 = true }
    }

    /// The connection was authenticated, and the server asks all the same: it wants a handshake for each request.
    mutating func noteEachRequest(_ side: Side) {
        guard mayHandshake, self[side].handshake.isAuthenticated, case .learned(let index) = self[side].plan else {
            return
        }
        self[side].handshake = Handshake()
        if side == .origin {
            destination?.learned.noteEachRequest(index)
        } else {
            destination?.hop.teacher.learned.noteEachRequest(index)
        }
    }

    func isForEachRequest(_ side: Side) -> Bool {
        guard case .learned(let index) = self[side].plan else { return false }
        return learned(side)?[index]?.isForEachRequest == true
    }

    /// The peer's answer to the last token wasn't its challenge: the connection is authenticated, whatever else it says.
    mutating func authenticated(_ side: Side) {
        self[side].handshake.isAuthenticated = true
        self[side].handshake.token = nil
        let owner = owner(side)
        identity = ConnectionIdentity.of(
            origin: side == .origin ? owner : identity?.origin,
            parent: side == .parent ? owner : identity?.parent
        )
    }

    /// The connection ended, though the handshake needs it: it is begun anew once, and then told (C-5, C-7).
    mutating func restartHandshake() -> Step {
        handshakeRestarts += 1
        guard handshakeRestarts <= 1, attempts < Self.attemptLimit else { return finish(with: .handshakeClosed) }
        return acquireFresh()
    }

    // MARK: the last word

    /// The side whose handshake the response proves the server's part of, if it does (C-2).
    func unverifiedSide(_ response: borrowing ResponseHead) -> (side: Side, token: [UInt8])? {
        for side in [Side.parent, .origin] {
            let sent = side == .origin ? origin.sent : parent.sent
            guard sent == .lastLeg, !self[side].handshake.isVerified else { continue }
            let status: UInt16 = side == .origin ? 401 : 407
            guard response.status != status, let token = finalToken(side, response) else { continue }
            return (side, token)
        }
        return nil
    }

    private func finalToken(_ side: Side, _ response: borrowing ResponseHead) -> [UInt8]? {
        guard self[side].prepared?.method == .negotiate else { return nil }
        let name: FieldName = side == .origin ? .wwwAuthenticate : .proxyAuthenticate
        var parser = ChallengeParser()
        var next = response.fields.first(name)
        while let index = next {
            parser.parse(response.fields.value(index))
            next = response.fields.next(name, after: index)
        }
        for challenge in parser.finish() where challenge.method == .negotiate {
            if let text = challenge.token68, let token = Base64.decode(text.span, .tolerant), !token.isEmpty {
                return token
            }
        }
        return nil
    }

    private mutating func verified(
        _ answer: TokenAnswer,
        _ response: borrowing ResponseHead,
        _ head: borrowing RequestHead
    ) -> Step {
        guard let reading else { return .wait }
        if case .failed(let failure) = answer {
            isTainted = true
            releaseVerdicts(head)
            return finish(with: LocalResponse(502, .httpProtocolError, failure.code, failure.message))
        }
        state = .awaitingHead
        return responseHeadReceived(response, head, reading)
    }
}

extension LocalResponse {
    /// The server closes connections behind its challenges, and the handshake needs one that stays (C-5).
    static var handshakeClosed: LocalResponse {
        LocalResponse(
            502,
            .connectionTerminated,
            "handshake.connection-closed",
            "The server closes the connection that its own authentication is bound to."
        )
    }

    fileprivate static var unaskedToken: LocalResponse {
        LocalResponse(
            502,
            .httpProtocolError,
            "handshake.unasked",
            "The server's challenge goes on with a handshake that was not begun."
        )
    }

    fileprivate static var sessionsNotKept: LocalResponse {
        LocalResponse(
            502,
            .httpRequestDenied,
            "handshake.no-proxy-support",
            "The parent proxy doesn't say that it keeps a connection to the server for each of ours (Proxy-Support)."
        )
    }

    fileprivate static var handshakeRefused: LocalResponse {
        LocalResponse(
            502,
            .httpRequestDenied,
            "handshake.refused",
            "The server offers a handshake and doesn't go on with it."
        )
    }

    fileprivate static var handshakeTooLong: LocalResponse {
        LocalResponse(
            502,
            .httpProtocolError,
            "handshake.too-long",
            "The server asks for more tokens than a handshake has."
        )
    }
}
