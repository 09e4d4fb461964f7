internal import Authentication
internal import Proxy
internal import Rules
internal import Telemetry

extension DoctorWalk {
    /// One answer that would be tried.
    struct Answer {
        let method: AuthenticationMethod
        let credential: Credential
        let rule: Rule
    }

    /// Tells what the rules would do about a challenge, what the ledger says to that, and what each answer would be made of.
    func judge(
        _ side: Explanation.Side,
        _ challenged: Challenged,
        _ step: inout DoctorStep,
        on way: ProbeConnection,
        isPersistent: Bool
    ) {
        for line in Explanation.decisionLines(of: side, isProxy: challenged.isProxy) {
            step.lines.append("\(line.topic): \(line.text)")
        }
        let answers = answers(side)
        if answers.isEmpty { tellUnanswered(side, challenged, &step) }
        tellWithheld(answers, challenged, &step)
        tell(step)
        tellLogins(answers, challenged, on: way, isPersistent: isPersistent)
    }

    private func answers(_ side: Explanation.Side) -> [Answer] {
        (side.decision?.steps ?? []).compactMap { step in
            guard case .answer(let offer, let rule) = step, let credential = rule.credential,
                let method = side.challenges[side.offers[offer].index].method
            else { return nil }
            return Answer(method: method, credential: credential, rule: rule)
        }
    }

    private func tellUnanswered(_ side: Explanation.Side, _ challenged: Challenged, _ step: inout DoctorStep) {
        if case .performDefaultHandling(let rule?)? = side.decision?.steps.first {
            return step.lower(to: .warn, "\(rule.name) leaves it to the client")
        }
        let passed = side.decision?.passedOver.map(\.reason) ?? []
        if !challenged.isProxy, passed.contains(.noRule) {
            for line in explanation.lines.filter({ $0.topic == "not" }).prefix(3) {
                step.lines.append("not \(line.text)")
            }
        }
        let cure =
            passed.contains(.cleartext)
            ? "ask by https; or let the rule's 'cleartext' name the method, which then can be read on the way"
            : challenged.isProxy
                ? "give the parent a credential under 'use'"
                : "a rule whose space is this host, with a credential under 'use'"
        step.lower(
            to: .fail,
            "nothing answers: \(challenged.isProxy ? "the request ends with 502" : "the client gets the 401")",
            cure: cure
        )
    }

    private func tellWithheld(_ answers: [Answer], _ challenged: Challenged, _ step: inout DoctorStep) {
        guard !answers.isEmpty else { return }
        var ledger = LedgerOperator(at: configuration.state)
        let accounts = ledger.accounts()
        var left = answers.count
        for answer in answers {
            let name = answer.credential.name
            let held = accounts.first { $0.name == name }?.withholdings.first { withholding in
                withholding.extent == .everywhere || withholding.server == challenged.server
            }
            guard let held else { continue }
            left -= 1
            let since = UniversalTime(unixSeconds: held.since).text
            let cure = "correct its secret, or `countersign release \(name)`"
            step.lower(
                to: .warn,
                "credential.withheld: '\(name)' was rejected by \(held.server) at \(since)",
                cure: cure
            )
        }
        if left == 0 { step.verdict = .fail }
        for problem in ledger.problems { step.lines.append(problem) }
    }
}
