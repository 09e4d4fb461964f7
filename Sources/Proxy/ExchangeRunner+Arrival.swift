internal import Exchange
internal import Rules

/// What has to be known of a request before it begins, question by question.
struct Arrival {
    /// In this order, since each is worth asking only where those before it let the request go on.
    enum Question: CaseIterable {
        /// Who asks.
        case login
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
    /// The way that a PAC file gives; nil where the route has none.
    var via: [NextHop]?
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
        case .login: .passed
        case .route: .passed
        case .destination: .passed
        }
    }

    /// Nobody waits for the answer any more.
    func forgetArrival() {
        arrival.isUnderWay = false
    }
}
