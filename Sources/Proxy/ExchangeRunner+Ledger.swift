internal import Authentication
internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules

extension ExchangeRunner {
    /// Asks the ledger; nil while its word is awaited.
    func ask(_ side: Side) -> ExchangeStateMachine.Step? {
        guard let question = exchange.question(side) else {
            return exchange.machine.ledgerAnswered(side, .go(isSettled: false, isScout: false), version: 0)
        }
        if phase == .head { phase = .held }
        let ledger = worker.shared.ledger
        let version = ledger.version
        let use = CredentialUse(
            isHeavy: isHeavy,
            isSentAheadUnchallenged: question.isUnchallenged,
            maxFailures: question.maxFailures
        )
        guard let key = key(of: question.credential) else {
            return exchange.machine.ledgerAnswered(side, .go(isSettled: false, isScout: false), version: 0)
        }
        var answer = ledger.ask(key, question.place, worker.waiter(self), use: use, now: worker.loop.now)
        if case .withheld(let withholding) = answer, withholding.extent == .replaced {
            // Dropped by later reloads; this exchange ends with what it began with.
            ledger.readmit(key, question.credential)
            answer = ledger.ask(key, question.place, worker.waiter(self), use: use, now: worker.loop.now)
        }
        // A token that was just fetched is no password that could lock an account: nobody has to show that it is right.
        if case .wait = answer, question.credential.isFetchedToken {
            ledger.noVerdict(key, worker.waiter(self))
            answer = .go(isScout: false)
        }
        switch answer {
        case .go(let isScout):
            askedSide = nil
            let isSettled = ledger.isClear(key, at: question.place.server)
            return exchange.machine.ledgerAnswered(
                side,
                .go(isSettled: isSettled, isScout: isScout),
                version: version
            )
        case .wait(let until):
            wait(side, until: until)
            return nil
        case .withheld(let withholding):
            askedSide = nil
            return exchange.machine.ledgerAnswered(
                side,
                .withheld(LocalResponse(withheld: question.credential, withholding)),
                version: version
            )
        }
    }

    /// The ledger's key of a credential of the rules that the exchange runs under, or of what was fetched for one.
    private func key(of credential: Credential) -> CredentialKey? { credential.key ?? policy.keys[credential.name] }

    private func wait(_ side: Side, until: Instant) {
        if askedSide == nil { waitLimit = worker.loop.now.adding(nanoseconds: worker.timeouts.responseHead) }
        askedSide = side
        awaitWaking(until: min(until, waitLimit))
    }

    private func awaitWaking(until: Instant) {
        worker.waiting[number] = self
        isWaitingForLedger = true
        deadline?.set(to: until)
    }

    /// Waits until the rejection that was told is in the ledger's file; nil while it isn't (A-7b).
    func awaitRecord() -> ExchangeStateMachine.Step? {
        if let end = worker.shared.ledger.recordingEnd(of: worker.waiter(self)) {
            guard end <= worker.loop.now else {
                awaitWaking(until: end)
                return nil
            }
            worker.shared.log.warn("writing the ledger of withheld credentials takes too long; nobody waits for it")
        }
        return exchange.rejectionRecorded()
    }

    /// Woken by another exchange's verdict or by the file, or by the time at which a second scout may go.
    func askAgain() {
        worker.waiting[number] = nil
        isWaitingForLedger = false
        if exchange.machine.state == .recordingRejection {
            if let step = awaitRecord() { perform(step) }
            return
        }
        guard let side = askedSide, exchange.machine.state == .askingLedger else { return }
        guard worker.loop.now < waitLimit else { return perform(exchange.machine.deadlinePassed()) }
        if let step = ask(side) { perform(step) }
    }

    /// The body is too large for a scout while another waits.
    private var isHeavy: Bool {
        switch exchange.request.bodyLength {
        case .none, .untilClose: false
        case .fixed(let length): length > UInt64(policy.configuration.limits.replayMemory)
        case .chunked: true
        }
    }

    /// Carries the verdicts to the ledger before anything else happens.
    func tellLedger() {
        let reports = exchange.machine.reports
        exchange.machine.reports.removeAll(keepingCapacity: true)
        let ledger = worker.shared.ledger
        let waiter = worker.waiter(self)
        let now = worker.loop.now
        for report in reports {
            if report.credential.isHeader { tellSource(of: report) }
            guard !report.credential.isHeader, let key = key(of: report.credential) else { continue }
            tellSource(of: report)
            switch report.verdict {
            case .confirmed(let basis):
                ledger.confirmed(key, report.place, waiter, basis: basis)
            case .rejected:
                record.rejected = report.credential.name
                ledger.rejected(key, report.place, waiter, withholdFor: report.withholdFor, now: now)
            case .none:
                ledger.noVerdict(key, waiter)
            }
        }
    }
}

extension ExchangeRunner {
    /// Who gave a secret that was fetched learns what became of it.
    private func tellSource(of report: LedgerReport) {
        guard report.credential.source != nil, let destination = exchange.machine.destination else { return }
        let isProxy = report.side == .parent
        let parent = destination.hop.parent ?? destination.hop.socks?.parent
        guard let server = isProxy ? parent?.origin : destination.origin else { return }
        let secrets = worker.shared.secrets
        switch report.verdict {
        case .confirmed: secrets.confirmed(report.credential, by: server, isProxy: isProxy, under: policy)
        case .rejected:
            let now = worker.loop.now
            secrets.rejected(report.credential, by: server, isProxy: isProxy, under: policy, now: now)
        case .none: return
        }
    }
}

extension LocalResponse {
    /// A credential that was refused before and is not tried again.
    init(withheld credential: Credential, _ withholding: Withholding) {
        let extent =
            switch withholding.extent {
            case .everywhere: "everywhere"
            case .server: "at this server"
            case .target: "for this target"
            case .replaced: "since it was replaced"
            }
        self.init(
            502,
            .httpRequestDenied,
            "credential.withheld",
            "The credential '\(credential.name)' was refused before and is withheld \(extent) until it changes or is "
                + "released with 'countersign release \(credential.name)'."
        )
    }
}
