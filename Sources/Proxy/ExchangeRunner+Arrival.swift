internal import Bytes
internal import Exchange
internal import Rules

/// What has to be known of a request before it begins, question by question.
struct Arrival {
    /// In this order, since each is worth asking only where those before it let the request go on.
    enum Question: CaseIterable {
        /// Who asks.
        case login
        /// Whether the address that its connection was going to is the host's.
        case place
        /// Which way it goes: a PAC file says so.
        case route
        /// Whether the destination may be reached.
        case destination
    }

    /// What came of one question.
    enum Outcome {
        /// It is answered, and the request may go on.
        case passed
        /// The answer comes later, and then `admit` is called again, which asks the same question.
        case pending
        /// The request ends here.
        case refused(LocalResponse)
    }

    /// The question that comes next; nil where all are answered.
    fileprivate(set) var next: Question? = .login
    /// The answer to one is waited for.
    fileprivate(set) var isUnderWay = false
    /// Under which the worker knows who waits for an answer.
    fileprivate var number: UInt64 = 0
    /// What the login that the request brings is worth, once that has been looked at.
    var login: LoginVerifier.Verdict?
    /// Where its connection was going, once that has been compared with the host's addresses.
    var redirection: Redirection?
    /// A PAC file was asked; `via` is its answer, nil where it had none.
    var isRouteKnown = false
    /// The way that a PAC file gives; nil where the route has none.
    var via: [NextHop]?
    /// The addresses of the destination's name, once they are known; none where it can't be resolved.
    var addresses: [IPAddress]?
}

extension ExchangeRunner {
    /// Goes through the questions that are left, and begins the exchange behind the last.
    func admit() {
        guard let client else { return }
        arrival.isUnderWay = false
        while let question = arrival.next {
            switch answer(to: question, client) {
            case .passed:
                let all = Arrival.Question.allCases
                arrival.next = all.firstIndex(of: question).flatMap { $0 + 1 < all.count ? all[$0 + 1] : nil }
            case .pending:
                arrival.isUnderWay = true
                return perform(exchange.machine.awaitAdmission())
            case .refused(let response):
                return refuse(response)
            }
        }
        start(client)
    }

    private func answer(to question: Arrival.Question, _ client: ClientConnection) -> Arrival.Outcome {
        switch question {
        case .login: judgeLogin(of: client)
        case .place: judgeRedirection(of: client)
        case .route: findRoute(of: client)
        case .destination: judgeDestination(of: client)
        }
    }

    /// Waits for an answer; gives what takes it in and goes on, on the exchange's own loop, whoever calls it.
    func awaitArrival<Answer: Sendable>(
        _ take: @escaping @Sendable (ExchangeRunner, Answer) -> Void
    ) -> @Sendable (Answer) -> Void {
        worker.lastArriving += 1
        let (peers, index, number) = (worker.shared.peers, worker.index, worker.lastArriving)
        arrival.number = number
        worker.arriving[number] = self
        return { answer in
            peers.send(to: index) { worker in
                guard let runner = worker.arriving.removeValue(forKey: number) else { return }
                take(runner, answer)
                runner.admit()
            }
        }
    }

    /// Nobody waits for the answer any more.
    func forgetArrival() {
        arrival.isUnderWay = false
        worker.arriving[arrival.number] = nil
    }
}
