internal import Authentication
internal import Bytes
package import HTTP
internal import Rules

/// What an exchange has to have before it can go on.
package enum Wanted: Sendable {
    case secret(SecretQuestion)
    case token(TokenQuestion)
}

/// Secrets that are fetched when they are first used.
extension ExchangeStateMachine {
    /// The side whose credential has to be fetched, the parent's first.
    var deferredSide: Side? {
        if parent.isDeferred || unfetchedFields(.parent) != nil { return .parent }
        return origin.isDeferred || unfetchedFields(.origin) != nil ? .origin : nil
    }

    /// What is to be obtained for that side.
    package mutating func wanted(_ side: Side, _ head: borrowing RequestHead) -> Wanted? {
        if state == .verifying { return tokenQuestion(side, isFinal: true).map(Wanted.token) }
        if let credential = unfetchedFields(side), let candidates = candidates(side) {
            let isProxy = side == .parent
            return .secret(SecretQuestion(credential: credential, server: candidates.origin, isProxy: isProxy))
        }
        guard let prepared = self[side].prepared, case .deferred = prepared.value else {
            return tokenQuestion(side, isFinal: false).map(Wanted.token)
        }
        guard let candidates = candidates(side) else { return nil }
        let path = head.rulePath
        return .secret(
            SecretQuestion(
                credential: prepared.credential,
                server: candidates.origin,
                isProxy: side == .parent,
                path: side == .parent ? [] : [UInt8](path),
                refused: self[side].refusedToken
            )
        )
    }

    /// The secret of that side was fetched, or can't be had.
    package mutating func secretObtained(
        _ side: Side,
        _ answer: SecretAnswer,
        _ head: borrowing RequestHead
    ) -> Step {
        if state == .obtaining, unfetchedFields(side) != nil { return fieldsObtained(side, answer) }
        guard state == .obtaining, let prepared = self[side].prepared, let rule = prepared.rule,
            case .deferred(let method, let challenge) = prepared.value
        else { return .wait }
        switch answer {
        case .failed(let response):
            return finish(with: response)
        case .none:
            return tryOthers(side, .noEntry(prepared.credential), head)
        case .fetched(let credential):
            if let refused = self[side].refusedToken, credential.hasSameSecret(as: refused) {
                return rejectToken(side, refused, rule, head)
            }
            self[side].refusedToken = nil
            guard let value = preparedValue(side, method, challenge, credential, rule) else {
                return tryOthers(side, .unusable(credential), head)
            }
            note(value)
            self[side].prepared = PreparedAnswer(
                credential: credential,
                rule: rule,
                realm: prepared.realm,
                value: value
            )
            return proceed()
        }
    }

    /// The method failed before anything secret was sent: the next candidate of the offer is tried, then the next offer
    ///
    mutating func tryOthers(_ side: Side, _ reason: LocalResponse, _ head: borrowing RequestHead) -> Step {
        if self[side].isKnownToLedger { report(side, .none, head) }
        self[side].reason = reason
        if let prepared = self[side].prepared, let rule = prepared.rule {
            let exception = CandidateRules.Exception(ruleIndex: rule.index, method: prepared.method)
            self[side].unavailable.append(exception)
        }
        let isAnswer = self[side].plan == .answer && !self[side].challenges.isEmpty
        dropPlan(side)
        self[side].handshake = Handshake()
        guard isAnswer else { return holdsRefusal ? proceed() : goOn() }
        decide(side, head)
        return answerNextOffer(side)
    }

    /// Goes on towards the next leg, on the connection in hand where there is one.
    mutating func goOn() -> Step { hasConnection ? readyToSend() : proceed() }

    // MARK: Bearer

    /// What a refusal says of a token; nil where it is to be answered otherwise.
    mutating func judgeBearer(_ side: Side, _ head: borrowing RequestHead) -> Step? {
        guard let credential = credential(side), let rule = rule(side) else { return nil }
        let challenges = self[side].challenges.filter { $0.method == .bearer }
        if !challenges.isEmpty, challenges.allSatisfy({ $0.names("error", as: "insufficient_scope") }) {
            if self[side].isKnownToLedger { report(side, .none, head) }
            // The token is right, and of no use here.
            self[side].refused.append(credential.name)
            self[side].reason = .insufficientScope(credential)
            return nil
        }
        guard !self[side].isFetchedAnew, let source = credential.refetchable, isBodyKept else {
            return reject(side, head)
        }
        if self[side].isKnownToLedger { report(side, .none, head) }
        forget(side, credential)
        self[side].isFetchedAnew = true
        mayFetch = true
        self[side].refusedToken = credential
        self[side].prepared = PreparedAnswer(
            credential: source,
            rule: rule,
            realm: challenges.first?.realm,
            value: .deferred(.bearer, challenges.first)
        )
        self[side].plan = .answer
        self[side].permission = .needed
        answers += 1
        return proceed()
    }

    /// The same token came again: it is rejected.
    private mutating func rejectToken(
        _ side: Side,
        _ token: Credential,
        _ rule: Rule,
        _ head: borrowing RequestHead
    ) -> Step {
        self[side].prepared = self[side].prepared.map {
            PreparedAnswer(credential: token, rule: rule, realm: $0.realm, value: $0.value)
        }
        self[side].refusedToken = nil
        return reject(side, head) ?? unanswered(side)
    }
}

extension Credential {
    /// What a token can be fetched from again; nil for one that can't.
    fileprivate var refetchable: Credential? {
        if let source { return source }
        if case .token(_, file: .some) = kind { return self }
        return nil
    }
}

extension AuthorizationSide {
    fileprivate var isDeferred: Bool {
        guard plan != .none, case .deferred? = prepared?.value else { return false }
        return true
    }
}

extension LocalResponse {
    /// A secret, or a token, didn't come in time.
    static var secretLate: LocalResponse {
        LocalResponse(
            502,
            .httpResponseTimeout,
            "secret.unavailable",
            "The secret that this server asks for could not be had in time."
        )
    }

    fileprivate static func noEntry(_ credential: Credential) -> LocalResponse {
        LocalResponse(
            502,
            .httpRequestDenied,
            "credential.no-entry",
            "The credential '\(credential.name)' has no login for this server."
        )
    }

    fileprivate static func unusable(_ credential: Credential) -> LocalResponse {
        LocalResponse(
            502,
            .httpRequestDenied,
            "credential.unusable",
            "The credential '\(credential.name)' can't be written for this challenge."
        )
    }

    fileprivate static func insufficientScope(_ credential: Credential) -> LocalResponse {
        LocalResponse(
            502,
            .httpRequestDenied,
            "bearer.insufficient-scope",
            "The token of '\(credential.name)' doesn't cover what was asked for."
        )
    }
}
