internal import Authentication
internal import Bytes
internal import HTTP
internal import Rules

extension ExchangeStateMachine {
    /// Keeps what a confirmed answer taught, to send it ahead from now on.
    mutating func learn(_ side: Side, _ head: borrowing RequestHead) {
        guard let prepared = self[side].prepared, let rule = prepared.rule, let destination else { return }
        guard rule.preempt != .never, prepared.credential.persistence == .session else { return }
        guard !self[side].isConfirmed else { return }
        let path = head.rulePath
        guard side == .origin else {
            guard destination.hop.teacher.learned.learn(prepared, rule, path) else { return }
            destination.hop.teacher.settled = Settled()
            hasLearned = true
            return
        }
        guard destination.learned.learn(prepared, rule, path) else { return }
        destination.settled = Settled()
        hasLearned = true
    }
}

extension LearnedSpaces {
    /// Learns that the answer was confirmed for `path`; false where nothing new is known by it.
    fileprivate mutating func learn(_ answer: PreparedAnswer, _ rule: Rule, _ path: Span<UInt8>) -> Bool {
        switch answer.value {
        case .basic(let value), .bearer(let value):
            _ = learn(
                credential: answer.credential,
                ruleIndex: rule.index,
                realm: answer.realm,
                value: value,
                of: answer.method,
                path: path
            )
        case .digest(let challenge):
            _ = learn(credential: answer.credential, ruleIndex: rule.index, challenge: challenge, path: path)
        case .handshake:
            return learn(credential: answer.credential, ruleIndex: rule.index, handshake: answer.method).isNew
        case .deferred:
            return false
        }
        return true
    }
}
