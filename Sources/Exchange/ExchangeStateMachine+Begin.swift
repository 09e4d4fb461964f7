internal import Authentication
internal import Bytes
package import HTTP
package import Rules

extension ExchangeStateMachine {
    /// Something must be known before the request begins: a login, a route, where a name leads.
    package mutating func awaitAdmission() -> Step {
        state = .admitting
        return .wait
    }

    /// A request that may be forwarded arrived.
    ///
    /// What was learned under another version of the ledger than `ledgerVersion` is asked about again.
    package mutating func begin(
        _ head: borrowing RequestHead,
        destination: Destination,
        isInside: Bool = false,
        client: Client,
        terms: ExchangeTerms,
        ledgerVersion: UInt64
    ) -> Step {
        self.destination = destination
        self.isInside = isInside
        hasBody = head.bodyLength != .none && head.bodyLength != .fixed(0)
        clientExpects = hasBody && head.version == .http11 && head.fields.contains(.expect)
        request = RequestFacts(
            client: client,
            method: head.method,
            isSecure: destination.isSecure,
            isCrossSite: CrossSite.judge(head, host: addressed?.called?.host ?? destination.asked.host),
            bringsAuthorization: head.fields.contains(.authorization)
        )
        let isAbsolute = destination.hop.isParent && destination.hop.tunnel == nil
        form = RequestForm(target: destination.isTunnel ? .authority : isAbsolute ? .absolute : .origin)
        form.upgrades = terms.upgrades
        if let refusal = planFields(head) ?? judgeOwnAuthorization(head) { return finish(with: refusal) }
        if destination.hop.isParent && !passesProxyAuthorization { planAhead(.parent, head, ledgerVersion) }
        if !destination.isTunnel && !bringsAuthorization && !answersByUserinfo && origin.plan == .none {
            planAhead(.origin, head, ledgerVersion)
        }
        form.expectsContinue = wantsContinue(head, terms)
        return proceed()
    }

    /// Lays out what is sent ahead for one side: what was learned, else what a rule always sends.
    private mutating func planAhead(_ side: Side, _ head: borrowing RequestHead, _ ledgerVersion: UInt64) {
        guard let destination, request.method != .trace else { return }
        let path = head.rulePath
        if side == .origin {
            guard let index = match(destination.learned, destination.candidates, path),
                let space = destination.learned[index]
            else { return planAlways(side, head) }
            guard permits(.origin, destination.candidates, space, path) else { return }
            if prepareLearned(.origin, space) { return }
            origin.plan = .learned(index)
            let settled = Settled(version: ledgerVersion, space: index)
            origin.permission = destination.settled == settled ? .notNeeded : .needed
        } else {
            let learned = destination.hop.teacher.learned
            guard let index = match(learned, destination.hop.candidates, path), let space = learned[index] else {
                return planAlways(side, head)
            }
            guard permits(.parent, destination.hop.candidates, space, path) else { return }
            if prepareLearned(.parent, space) { return }
            parent.plan = .learned(index)
            let settled = Settled(version: ledgerVersion, space: index)
            parent.permission = destination.hop.teacher.settled == settled ? .notNeeded : .needed
        }
    }

    /// The space that the target lies deepest in, of those that a rule for this client taught.
    @inline(__always)
    private func match(_ learned: LearnedSpaces, _ candidates: CandidateRules, _ path: Span<UInt8>) -> Int? {
        guard candidates.namesClients else { return learned.match(path: path) }
        return learned.match(path: path) { candidates.rule(at: $0)?.admits(request.client) == true }
    }

    /// What was learned with a secret that has to be fetched may have another one by now; false where it needs none.
    private mutating func prepareLearned(_ side: Side, _ space: LearnedSpace) -> Bool {
        if space.method == .ntlm || space.method == .negotiate { mayHandshake = true }
        guard space.credential.source != nil, space.value != nil, let rule = candidates(side)?.rule(at: space.ruleIndex)
        else { return false }
        prepareAhead(side, rule, by: space.method)
        self[side].isAheadLearned = true
        return true
    }

    private func permits(
        _ side: Side,
        _ candidates: CandidateRules,
        _ space: LearnedSpace,
        _ path: Span<UInt8>
    ) -> Bool {
        // An answer that covers the body would have to wait for all of it; where it is challenged it does.
        if hasBody && space.digestChallenge?.qop == .authInt { return false }
        // A prefix names a directory only where all servers agree on what the path below it is.
        guard space.isWhole || RequestPath.isUnambiguous(path) else { return false }
        return candidates.objectionAhead(
            ruleIndex: space.ruleIndex,
            method: space.method,
            realm: space.realm,
            request: facts(side),
            path: path
        ) == nil
    }

    private mutating func planAlways(_ side: Side, _ head: borrowing RequestHead) {
        // To look by a copy of the rules costs more than all there mostly is to find.
        guard let destination else { return }
        guard side == .origin ? !destination.candidates.rules.isEmpty : !destination.hop.candidates.rules.isEmpty
        else { return }
        guard let candidates = candidates(side) else { return }
        guard let rule = candidates.preemptive(request: facts(side), path: head.rulePath) else { return }
        prepareAhead(side, rule, by: rule.methodWithoutChallenge ?? .basic)
    }

    /// An answer that has to be fetched, or that takes a handshake, is on its way.
    mutating func note(_ value: PreparedAnswer.Value) {
        switch value {
        case .deferred: mayFetch = true
        case .handshake: mayHandshake = true
        case .basic, .digest, .bearer: break
        }
    }

    /// Prepares the rule's value to be sent before any challenge, by the method that needs none.
    mutating func prepareAhead(_ side: Side, _ rule: Rule, by method: AuthenticationMethod) {
        guard let credential = rule.credential, !self[side].refused.contains(credential.name) else { return }
        guard let value = preparedValue(side, method, nil, credential, rule) else { return }
        note(value)
        self[side].plan = .ahead
        self[side].prepared = PreparedAnswer(credential: credential, rule: rule, realm: nil, value: value)
        self[side].permission = .needed
    }

    /// What becomes of the Authorization that the request brings itself.
    private mutating func judgeOwnAuthorization(_ head: borrowing RequestHead) -> LocalResponse? {
        guard let destination else { return nil }
        if destination.hop.isParent, !isUnaware, head.fields.contains(.proxyAuthorization) {
            // One that the client logged in with is for this proxy alone.
            passesProxyAuthorization =
                request.client.login == nil && destination.hop.leavesChallenges(to: request.client)
                && !parentFields.sets("proxy-authorization")
        }
        if destination.candidates.namesPath, destination.candidates.refusesAmbiguous(head.rulePath, of: request.client)
        {
            return LocalResponse(
                403,
                .httpRequestDenied,
                "path.ambiguous",
                "Servers don't agree on what this path names; send it without dot segments, empty segments and escaped slashes."
            )
        }
        guard !destination.isTunnel else { return nil }
        if let index = head.fields.first(.authorization) {
            let refusal = judge(head.fields.value(index), head)
            let method = ClientAuthorization.method(head.fields.value(index))
            bringsHandshake = bringsAuthorization && (method == .ntlm || method == .negotiate)
            return refusal
        }
        guard head.target.userinfo != nil, let value = Self.basicValueOfUserinfo(head) else { return nil }
        return judge(value.readable, head)
    }

    /// Judges an Authorization, or a login in the target by the Basic value that it stands for (H-1b).
    private mutating func judge(_ value: Span<UInt8>, _ head: borrowing RequestHead) -> LocalResponse? {
        let isField = head.fields.contains(.authorization)
        let verdict = destination?.candidates.clientCredential(value, request: request, path: head.rulePath) ?? .keep
        switch verdict {
        case .keep where isField && originFields.sets("authorization"):
            form.keepsAuthorization = false
            request.bringsAuthorization = false
        case .keep:
            bringsAuthorization = isField
            answersByUserinfo = !isField
        case .refuse:
            return LocalResponse(
                403,
                .httpRequestDenied,
                "credential.client-refused",
                "This space takes no credential of the client's own; send the request without it."
            )
        case .replace(let rule, let sendsAhead):
            form.keepsAuthorization = false
            request.bringsAuthorization = false
            // A login in the target would not have gone ahead either.
            if sendsAhead && isField {
                prepareAhead(.origin, rule, by: ClientAuthorization.method(value) ?? .basic)
            }
        }
        return nil
    }

    /// Whether the head goes ahead of its body (B-2, B-5).
    private func wantsContinue(_ head: borrowing RequestHead, _ terms: ExchangeTerms) -> Bool {
        guard let destination, hasBody, !destination.hop.refusesExpectation, !destination.isTunnel else { return false }
        if clientExpects { return true }
        guard terms.mightBeAnswered, origin.plan == .none, parent.plan == .none else { return false }
        switch head.bodyLength {
        case .chunked: return true
        case .fixed(let length): return length > 64 * 1024
        case .none, .untilClose: return false
        }
    }

    /// Asks for what still needs the ledger's word, else goes on to a connection.
    mutating func proceed() -> Step {
        if mayFetch, let side = deferredSide {
            state = .obtaining
            return .obtain(side)
        }
        if parent.permission == .needed {
            state = .askingLedger
            return .ask(.parent)
        }
        if origin.permission == .needed {
            state = .askingLedger
            return .ask(.origin)
        }
        if hasBody, needsBodyHash {
            state = .collectingBody
            return .collectBody(tellClient: clientExpects)
        }
        // While the refusal can still be passed on: there may be no token.
        if holdsRefusal, mayHandshake, let side = tokenSide {
            state = .obtaining
            return .obtain(side)
        }
        holdsRefusal = false
        return nextLeg()
    }

    private mutating func nextLeg() -> Step {
        if isNegotiating { return goOnNegotiating() }
        if attempts >= Self.attemptLimit {
            return finish(
                with: LocalResponse(
                    502,
                    .httpProtocolError,
                    "challenge.limit",
                    "The exchange took too many requests upstream."
                )
            )
        }
        switch refused {
        case .read:
            return sendOnSame()
        case .toBeRead:
            state = .draining
            return .drain
        case .none where hasConnection && leavesConnectionClean:
            return readyToSend()
        case .none, .unusable:
            state = .acquiring
            // What another exchange left is no connection of the client's own.
            let isOwn = form.target == .authority && destination?.hop.isParent == false
            let prefersFresh = refused == .unusable || isOwn
            loseConnection()
            return .acquire(fresh: prefersFresh)
        }
    }

    func candidates(_ side: Side) -> CandidateRules? {
        guard side == .parent else { return destination?.candidates }
        return destination?.hop.socks?.candidates ?? destination?.hop.candidates
    }

    /// The facts as one side's rules see them: a parent is secure by its own address.
    func facts(_ side: Side) -> RequestFacts {
        guard side == .parent else { return request }
        var facts = request
        let hop = destination?.hop
        facts.isSecure = hop?.socks == nil ? hop?.isSecure ?? false : hop?.isLoopback ?? false
        facts.isCrossSite = false
        facts.bringsAuthorization = false
        return facts
    }
}

/// What the client and the rule file say about one exchange.
package struct ExchangeTerms: Sendable {
    /// An Upgrade of the client's is passed on (H-5b).
    package let upgrades: Bool
    /// Some rule could answer a challenge to this client (B-1).
    package let mightBeAnswered: Bool

    package init(upgrades: Bool, mightBeAnswered: Bool) {
        self.upgrades = upgrades
        self.mightBeAnswered = mightBeAnswered
    }
}

extension RequestHead {
    /// The path that rules look at: as it is sent, without the query.
    package var rulePath: Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes(target.pathOnly) }
    }
}
