internal import Authentication
internal import Bytes
package import HTTP
internal import Rules

/// The ledger's word on a credential that an exchange wants to use.
package enum LedgerWord: Equatable, Sendable {
    /// It may be used; `isSettled` where nothing speaks against using it unasked from now on, `isScout` where this
    /// exchange is the one that shows whether it is right.
    case go(isSettled: Bool, isScout: Bool)
    /// Another exchange tries it; the word comes later.
    case wait
    /// It may not be used, with what is told.
    case withheld(LocalResponse)
}

extension ExchangeStateMachine {
    /// What the ledger is asked for one side.
    package func question(_ side: Side, _ head: borrowing RequestHead) -> LedgerQuestion? {
        guard let credential = credential(side) else { return nil }
        return LedgerQuestion(
            credential: credential,
            place: place(side, head),
            isUnchallenged: self[side].plan == .ahead,
            maxFailures: rule(side)?.maxFailures ?? 1
        )
    }

    /// The ledger answered the question about one side.
    package mutating func ledgerAnswered(_ side: Side, _ word: LedgerWord, version: UInt64) -> Step {
        switch state {
        case .askingLedger:
            return carryOn(side, word, version)
        case .idle, .admitting, .obtaining, .verifying, .recordingRejection, .collectingBody, .acquiring, .negotiating,
            .securing,
            .awaitingContinue, .awaitingHead,
            .draining, .relaying, .tunnelling, .looking, .welcoming, .finished:
            return .wait
        }
    }

    private mutating func carryOn(_ side: Side, _ word: LedgerWord, _ version: UInt64) -> Step {
        switch word {
        case .wait:
            return .wait
        case .go(_, let isScout) where isScout && isLearnedDigest(side):
            startFromChallenge(side)
            return proceed()
        case .go(let isSettled, let isScout):
            self[side].permission = .granted
            self[side].isScout = isScout
            if isSettled, case .learned(let space) = self[side].plan {
                let settled = Settled(version: version, space: space)
                if side == .origin {
                    destination?.settled = settled
                } else {
                    destination?.hop.teacher.settled = settled
                }
            } else {
                self[side].isKnownToLedger = true
            }
            return proceed()
        case .withheld(let reason):
            self[side].reason = reason
            self[side].permission = .notNeeded
            let wasAnswer = self[side].plan == .answer
            self[side].plan = .none
            self[side].prepared = nil
            return wasAnswer ? answerNextOffer(side) : proceed()
        }
    }

    private func isLearnedDigest(_ side: Side) -> Bool {
        guard case .learned(let index) = self[side].plan else { return false }
        return learned(side)?[index]?.method == .digest
    }

    /// A scout sends no digest value ahead: its refusal would be no verdict, and cost an attempt all the same
    /// (A-7c). The role goes back; the answer to the challenge asks for it anew.
    private mutating func startFromChallenge(_ side: Side) {
        if let credential = credential(side), let rule = rule(side) {
            let nowhere = LedgerPlace(server: "", target: "", path: "")
            reports.append(
                LedgerReport(
                    side: side,
                    credential: credential,
                    place: nowhere,
                    verdict: .none,
                    maxFailures: rule.maxFailures,
                    withholdFor: nil
                )
            )
        }
        self[side].plan = .none
        self[side].permission = .notNeeded
    }

    func credential(_ side: Side) -> Credential? {
        switch self[side].plan {
        case .none: nil
        case .learned(let index): learned(side)?[index]?.credential
        case .answer, .ahead: self[side].prepared?.credential
        }
    }

    func rule(_ side: Side) -> Rule? {
        switch self[side].plan {
        case .none:
            return nil
        case .learned(let index):
            guard let space = learned(side)?[index] else { return nil }
            return candidates(side)?.rule(at: space.ruleIndex)
        case .answer, .ahead:
            return self[side].prepared?.rule
        }
    }

    func learned(_ side: Side) -> LearnedSpaces? {
        side == .origin ? destination?.learned : destination?.hop.teacher.learned
    }

    /// Server and target of one side: for an origin its directory, for a parent the origin asked for.
    func place(_ side: Side, _ head: borrowing RequestHead) -> LedgerPlace {
        guard let destination else { return LedgerPlace(server: "", target: "", path: "") }
        if side == .parent {
            return LedgerPlace(
                server: destination.hop.serverName,
                target: destination.origin.text,
                path: ""
            )
        }
        let path = head.rulePath
        var end = path.count
        while end > 0 && path[end - 1] != UInt8(ascii: "/") { end -= 1 }
        let directory = end == 0 ? "/" : String(copying: path.extracting(0..<end))
        return LedgerPlace(
            server: destination.serverName,
            target: destination.origin.text + directory,
            path: path.isEmpty ? "/" : String(copying: path)
        )
    }

    /// Notes a verdict for the ledger on what one side sent.
    mutating func report(_ side: Side, _ verdict: LedgerReport.Verdict, _ head: borrowing RequestHead) {
        guard let credential = credential(side), let rule = rule(side) else { return }
        reports.append(
            LedgerReport(
                side: side,
                credential: credential,
                place: place(side, head),
                verdict: verdict,
                maxFailures: rule.maxFailures,
                withholdFor: rule.withholdFor
            )
        )
        self[side].isKnownToLedger = false
        self[side].isScout = false
    }

    /// Gives back whatever role or place in the queue the exchange still has.
    mutating func releaseLedger() {
        if origin.isKnownToLedger || parent.isKnownToLedger || state == .askingLedger { holdsLedgerPlace = true }
    }
}

extension String {
    /// The text of these bytes, for names in the ledger and the log.
    package init(copying bytes: Span<UInt8>) {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in 0..<bytes.count { copy.append(bytes[index]) }
        self = String(decoding: copy, as: UTF8.self)
    }
}
