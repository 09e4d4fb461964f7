internal import Authentication
internal import Bytes
package import HTTP
internal import Rules

extension ExchangeStateMachine {
    /// A 401 or 407 that is one (A-1): the verdict on what was sent, then the next answer.
    mutating func challenged(
        _ side: Side,
        _ response: borrowing ResponseHead,
        _ head: borrowing RequestHead,
        _ reading: ResponseReading
    ) -> Step {
        refused = reading.refused
        holdsRefusal = true
        challengedSide = side
        // A challenge is an answer: the next leg is a request of its own.
        isRepeated = false
        self.reading = reading
        readChallenges(side, response)
        tellOfFields(side)
        // What the parent refused has not reached the origin, and no token goes twice (C-7).
        if side == .parent, origin.sent == .leg || origin.sent == .lastLeg { origin.handshake = Handshake() }
        noteServer(side, response)
        if let step = judgeRefusal(side, head) { return step }
        return answerChallenge(side, head)
    }

    /// The ledger's file has the rejection, or can't have it: what follows from it may happen (A-7b).
    package mutating func rejectionRecorded(_ head: borrowing RequestHead) -> Step {
        guard state == .recordingRejection else { return .wait }
        if holdsRefusal { return answerChallenge(challengedSide, head) }
        // Nobody was asked yet: a KDC refused what would have been sent ahead.
        dropPlan(challengedSide)
        return proceed()
    }

    /// Nothing of ours goes for this side any more.
    mutating func dropPlan(_ side: Side) {
        self[side].plan = .none
        self[side].prepared = nil
        self[side].permission = .notNeeded
    }

    private mutating func answerChallenge(_ side: Side, _ head: borrowing RequestHead) -> Step {
        dropPlan(side)
        guard !self[side].challenges.isEmpty else { return unanswered(side) }
        if side == .origin && answersByUserinfo {
            return prepareUserinfo(head) ? proceed() : unanswered(side)
        }
        decide(side, head)
        return answerNextOffer(side)
    }

    /// All challenges of all fields of a response, before one is chosen (A-21).
    private mutating func readChallenges(_ side: Side, _ response: borrowing ResponseHead) {
        let name: FieldName = side == .origin ? .wwwAuthenticate : .proxyAuthenticate
        var parser = ChallengeParser()
        var next = response.fields.first(name)
        while let index = next {
            parser.parse(response.fields.value(index))
            next = response.fields.next(name, after: index)
        }
        self[side].challenges = parser.finish()
    }

    /// What the refusal says about the value that was sent (A-5, A-6); a step where it is answered at once.
    private mutating func judgeRefusal(_ side: Side, _ head: borrowing RequestHead) -> Step? {
        switch self[side].sent {
        case .none:
            noteEachRequest(side)
            return nil
        case .digestAhead:
            return nil
        case .bearer:
            return judgeBearer(side, head)
        case .leg, .lastLeg:
            return judgeHandshake(side, head)
        case .digestAnswer:
            if let fresh = staleChallenge(side) { return answerStale(side, fresh) }
            return reject(side, head)
        case .basicAnswer, .basicAhead:
            return reject(side, head)
        }
    }

    /// Tells the ledger, whose file has to have it before anything else happens (A-7b).
    mutating func reject(_ side: Side, _ head: borrowing RequestHead) -> Step? {
        guard let credential = credential(side) else { return nil }
        report(side, .rejected, head)
        self[side].refused.append(credential.name)
        self[side].reason = LocalResponse(
            502,
            .httpRequestDenied,
            "credential.rejected",
            "The \(side == .origin ? "server" : "parent proxy") refused the credential '\(credential.name)'."
        )
        // A login in the target is nothing of the ledger's.
        let isTold = rule(side) != nil
        if case .learned = self[side].plan { forget(side, credential) }
        if case .handshake? = self[side].prepared?.value { forget(side, credential) }
        guard isTold else { return nil }
        challengedSide = side
        state = .recordingRejection
        return .record
    }

    mutating func forget(_ side: Side, _ credential: Credential) {
        if side == .origin {
            destination?.learned.forget(credentialNamed: credential.name)
        } else {
            destination?.hop.teacher.learned.forget(credentialNamed: credential.name)
        }
    }

    /// The challenge that says the nonce of our answer was merely stale.
    private func staleChallenge(_ side: Side) -> DigestChallenge? {
        guard case .digest(let answered)? = self[side].prepared?.value else { return nil }
        for challenge in self[side].challenges {
            guard let digest = DigestChallenge(challenge), digest.isStale else { continue }
            if digest.realm == answered.realm && digest.algorithm == answered.algorithm { return digest }
        }
        return nil
    }

    private mutating func answerStale(_ side: Side, _ fresh: DigestChallenge) -> Step {
        self[side].staleRounds += 1
        guard self[side].staleRounds <= 3, isBodyKept, let old = self[side].prepared else {
            self[side].reason = isBodyKept ? .staleAgain : .bodyNotKept
            return unanswered(side)
        }
        self[side].prepared = PreparedAnswer(
            credential: old.credential,
            rule: old.rule,
            realm: old.realm,
            value: .digest(fresh)
        )
        self[side].wantsFreshNonce = true
        return proceed()
    }

    mutating func decide(_ side: Side, _ head: borrowing RequestHead) {
        guard let candidates = candidates(side) else { return }
        self[side].offers = Offer.all(
            in: self[side].challenges,
            from: candidates.origin,
            isProxy: candidates.isProxy
        )
        let decision = candidates.decide(
            offers: self[side].offers,
            request: facts(side),
            path: head.rulePath,
            except: self[side].unavailable
        )
        self[side].steps = decision.steps
        self[side].passedOver = decision.passedOver
        self[side].nextStep = 0
    }

    /// Tries the steps of the decision from the next one on.
    mutating func answerNextOffer(_ side: Side) -> Step {
        while self[side].nextStep < self[side].steps.count {
            let step = self[side].steps[self[side].nextStep]
            self[side].nextStep += 1
            switch step {
            case .answer(let offer, let rule):
                guard prepareAnswer(side, offer: offer, rule: rule) else { continue }
                return proceed()
            case .performDefaultHandling(rule: nil), .cancel(rule: nil):
                return unanswered(side)
            case .performDefaultHandling where isNegotiating:
                return unanswered(side)
            case .performDefaultHandling:
                return passOn(side)
            case .cancel(let rule?):
                return finish(
                    with: LocalResponse(
                        502,
                        .httpRequestDenied,
                        "rule.cancelled",
                        "The rule \(rule.name) cancels requests that are challenged here.",
                        receivedStatus: side == .origin ? 401 : 407
                    )
                )
            }
        }
        return unanswered(side)
    }

    /// Prepares the answer to one offer; false where it can't be given, with the reason noted.
    private mutating func prepareAnswer(_ side: Side, offer index: Int, rule: Rule) -> Bool {
        guard let credential = rule.credential, !self[side].refused.contains(credential.name) else { return false }
        guard answers < Self.answerLimit else {
            self[side].reason = LocalResponse(
                502,
                .httpProtocolError,
                "challenge.limit",
                "The exchange was challenged too often."
            )
            return false
        }
        guard isBodyKept else {
            self[side].reason = .bodyNotKept
            return false
        }
        let offer = self[side].offers[index]
        let challenge = self[side].challenges[offer.index]
        if let objection = objection(side, to: challenge) {
            self[side].reason = objection
            return false
        }
        guard let value = preparedValue(side, offer.space.method, challenge, credential, rule) else {
            self[side].reason = LocalResponse(
                502,
                .httpRequestDenied,
                "credential.unusable",
                "The credential '\(credential.name)' can't be written for this challenge."
            )
            return false
        }
        answers += 1
        // Where a leg without the body was taken for a request, a handshake begins anew, and takes the body along (B-3).
        if self[side].handshake.isPassedOver { self[side].handshake = Handshake() }
        note(value)
        self[side].prepared = PreparedAnswer(
            credential: credential,
            rule: rule,
            realm: offer.space.realm,
            value: value
        )
        self[side].plan = .answer
        self[side].bodyHash = nil
        self[side].isConfirmed = false
        self[side].wantsFreshNonce = true
        self[side].permission = .needed
        return true
    }

    /// What answers the challenge, or goes ahead of any where it is nil; nil where nothing does.
    func preparedValue(
        _ side: Side,
        _ method: AuthenticationMethod,
        _ challenge: AuthenticationChallenge?,
        _ credential: Credential,
        _ rule: Rule
    ) -> PreparedAnswer.Value? {
        if credential.deferred != nil { return .deferred(method, challenge) }
        switch method {
        case .basic:
            let charset = BasicResponder.charset(of: challenge, ruleCharset: rule.charset)
            guard let value = try? BasicResponder.value(credential, charset: charset) else { return nil }
            return .basic(value)
        case .digest:
            guard let digest = challenge.flatMap(DigestChallenge.init) else { return nil }
            guard digest.canBeAnswered(by: credential, ruleCharset: rule.charset) else { return nil }
            return .digest(digest)
        case .bearer:
            guard let value = try? BearerResponder.value(credential) else { return nil }
            return .bearer(value)
        case .ntlm, .negotiate:
            return mechanism(side, method, credential, rule).map(PreparedAnswer.Value.handshake)
        case .clientCertificate:
            return nil
        }
    }

    /// No offer can be answered: a 401 goes to the client as it came, a 407 never does (A-13).
    mutating func unanswered(_ side: Side) -> Step {
        let reason = self[side].wholeReason ?? fields(side).reason
        // What was read to its end can't be passed on any more.
        if side == .origin && holdsRefusal {
            origin.reason = reason
            return passOn(.origin)
        }
        let status: UInt16 = side == .origin ? 401 : 407
        return finish(with: (reason ?? .proxyChallengeUnanswered).becoming(status: 502, receivedStatus: status))
    }
}

extension LocalResponse {
    /// More than three nonces in one exchange were called stale (A-5).
    static var staleAgain: LocalResponse {
        LocalResponse(502, .httpProtocolError, "digest.stale", "The nonce was called stale again and again.")
    }

    static var proxyChallengeUnanswered: LocalResponse {
        LocalResponse(
            502,
            .httpRequestDenied,
            "rule.none",
            "The parent proxy demands a login that no rule gives.",
            receivedStatus: 407
        )
    }

    func becoming(status: UInt16, receivedStatus: UInt16?) -> LocalResponse {
        var copy = self
        copy.status = status
        copy.receivedStatus = receivedStatus
        return copy
    }
}

extension AuthorizationSide {
    /// What failed, and why another offer was passed over.
    var wholeReason: LocalResponse? {
        guard var told = reason else { return passedOverReason }
        if let other = passedOverReason, other.reason != told.reason { told.explanation += " \(other.explanation)" }
        return told
    }

    /// Why the first offer that some rule concerns was passed over.
    private var passedOverReason: LocalResponse? {
        guard let entry = passedOver.first(where: { $0.rule != nil }) else { return nil }
        return LocalResponse(
            502,
            .httpRequestDenied,
            entry.reason.code,
            "The rule \(entry.rule?.name ?? "") does not answer here: \(entry.reason.code)."
        )
    }
}
