internal import Authentication
internal import Bytes
internal import HTTP

extension Explanation {
    /// What would be done about the challenges that were asked about.
    package static func decisionLines(of side: Side, isProxy: Bool) -> [Line] {
        guard let decision = side.decision else { return [] }
        var lines: [Line] = []
        for (index, challenge) in side.challenges.enumerated() where !side.offers.contains(where: { $0.index == index })
        {
            lines.append(Line(topic: "challenge", text: "\(words(for: challenge)): passed over, \(reason(challenge))"))
        }
        for passed in decision.passedOver {
            let challenge = side.challenges[side.offers[passed.offer].index]
            let rule = passed.rule.map { " by \($0.name)" } ?? ""
            lines.append(
                Line(topic: "challenge", text: "\(words(for: challenge)): passed over\(rule), \(passed.reason.code)")
            )
        }
        for (number, step) in decision.steps.enumerated() {
            lines.append(Line(topic: number == 0 ? "answer" : "then", text: text(of: step, side, isProxy: isProxy)))
        }
        return lines
    }

    private static func words(for challenge: AuthenticationChallenge) -> String {
        let scheme = challenge.method?.name ?? printable(Array(challenge.schemeName.prefix(40)))
        guard let realm = challenge.realm else { return scheme }
        return "\(scheme) of realm \(quoted(realm))"
    }

    private static func reason(_ challenge: AuthenticationChallenge) -> String {
        guard challenge.method != nil else { return "method.unknown" }
        guard challenge.isReadable, challenge.method == .digest else {
            return AuthenticationError.challengeUnreadable.reason
        }
        do throws(AuthenticationError) {
            _ = try DigestChallenge.read(challenge)
            return AuthenticationError.challengeUnreadable.reason
        } catch {
            return error.reason
        }
    }

    private static func text(of step: Decision.Step, _ side: Side, isProxy: Bool) -> String {
        switch step {
        case .answer(let offer, let rule):
            let challenge = side.challenges[side.offers[offer].index]
            let field = isProxy ? "Proxy-Authorization" : "Authorization"
            return "\(words(for: challenge)) by \(rule.name): \(field): \(value(for: challenge, rule))"
        case .performDefaultHandling(let rule?): return "\(rule.name) leaves the challenge to the client"
        case .performDefaultHandling(rule: nil): return "the 401 goes to the client as it came"
        case .cancel(let rule?): return "\(rule.name) ends the exchange with 502"
        case .cancel(rule: nil): return "the exchange ends with 502"
        }
    }
}
