internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules

/// Requests on connections that the kernel redirected to us.
extension ExchangeRunner {
    /// Whether the address that the connection was going to is one of the host's that the request names, by our own
    /// resolution: if not, it is dialled all the same, and gets no credential of ours.
    func judgeRedirection(of client: ClientConnection) -> Arrival.Outcome {
        guard var redirection = client.redirection, arrival.redirection == nil else { return .passed }
        let host = exchange.host
        if let address = IPAddress(host) {
            redirection.isDoubtful = address.unmapped != redirection.address
        } else if policy.configuration.rules.rules.isEmpty {
            redirection.isDoubtful = true
        } else {
            return resolve(host, redirection)
        }
        arrival.redirection = redirection
        return .passed
    }

    private func resolve(_ host: String, _ redirection: Redirection) -> Arrival.Outcome {
        let tell: @Sendable (Redirection) -> Void = awaitArrival { $0.arrival.redirection = $1 }
        let resolution = worker.resolver.resolve(host, within: worker.timeouts.dns) { answer in
            // One family may do; that it isn't there only both can say.
            let judged = redirection.judged(by: answer)
            if answer.isWhole || !judged.isDoubtful { tell(judged) }
        }
        switch resolution {
        case .pending:
            return .pending
        case .known(let answer):
            forgetArrival()
            arrival.redirection = redirection.judged(by: answer)
            return .passed
        }
    }
}

extension Redirection {
    /// The same, known to lead to a host with these addresses or not.
    fileprivate func judged(by answer: NameAnswer) -> Redirection {
        var judged = self
        judged.isDoubtful = !answer.addresses.contains { $0.unmapped == address }
        return judged
    }
}

extension ExchangeInProgress {
    /// The host of the request's target, as `Origin` keeps it.
    var host: String {
        Origin(scheme: .http, host: String(copying: request.bytes(request.target.host))).host
    }
}
