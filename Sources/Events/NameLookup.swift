internal import Bytes

/// One name that is being looked up, and who waits for it.
final class NameLookup {
    let host: String
    /// What its askers know by now.
    var answer = NameAnswer(addresses: [], isWhole: false)
    var queries: [UInt64: Resolver.Query] = [:]
    /// The absolute names that it may stand for, and which of them is asked for.
    var forms: [String] = []
    var form = 0
    /// Where it is asked; kept, since a change of the settings brings another one.
    var channel: NameServerChannel?
    private var v6: NameServerChannel.Outcome?
    private var v4: NameServerChannel.Outcome?
    private var number: UInt64 = 0

    init(_ host: String) { self.host = host }

    /// The next form is asked for under this number.
    func begin(_ number: UInt64) {
        self.number = number
        v6 = nil
        v4 = nil
    }

    func take(_ part: NameServerChannel.Answer) {
        guard part.number == number else { return }
        if part.family == .v6 { v6 = part.outcome } else { v4 = part.outcome }
    }

    /// Both families are known; that a name doesn't exist is said of one alone by servers that have the other [RFC 4074].
    var isAnswered: Bool { v6 != nil && v4 != nil }

    /// It is certain that there is no address under this form of the name.
    var hasNoAddress: Bool {
        guard isAnswered else { return false }
        let hasNone = { (outcome: NameServerChannel.Outcome?) in outcome == .noName || outcome == .noAddress }
        return hasNone(v6) && hasNone(v4)
    }

    /// How long all of it holds, in seconds; nil where nothing was found.
    var seconds: Int? {
        var seconds: Int?
        for case .found(_, let own) in [v6, v4] { seconds = min(seconds ?? own, own) }
        return seconds
    }

    /// The answer as far as it is known.
    func parts(order: ([IPAddress]) -> [IPAddress]) -> NameAnswer {
        var addresses: [IPAddress] = []
        for case .found(let own, _) in [v6, v4] { addresses += own.filter { !addresses.contains($0) } }
        guard addresses.isEmpty else { return NameAnswer(addresses: order(addresses), isWhole: isAnswered) }
        guard isAnswered else { return NameAnswer(addresses: [], isWhole: false) }
        return NameAnswer(addresses: [], error: hasNoAddress ? .notFound : .failed)
    }
}

extension Resolver {
    /// Somebody who waits for a name.
    package final class Query: DeadlineObserver {
        private let lookup: NameLookup
        private let number: UInt64
        private var told: ((NameAnswer) -> Void)?
        private var deadline: Deadline?

        init(_ lookup: NameLookup, _ number: UInt64, _ loop: EventLoop, _ told: @escaping (NameAnswer) -> Void) {
            self.lookup = lookup
            self.number = number
            self.told = told
            deadline = Deadline(loop, observer: self)
        }

        func start(until moment: Instant) { deadline?.set(to: moment) }

        /// What is known already.
        package var answer: NameAnswer { lookup.answer }

        /// Makes sure that nothing is told any more.
        package func cancel() {
            deadline?.clear()
            deadline = nil
            told = nil
            // Those whose time is up don't pile up behind a name that hangs, which stays under way.
            lookup.queries[number] = nil
        }

        package func deadlinePassed() {
            let known = answer.addresses
            tell(NameAnswer(addresses: known, error: known.isEmpty ? .timedOut : nil))
        }

        func tell(_ answer: NameAnswer) {
            let told = told
            if answer.isWhole { cancel() }
            told?(answer)
        }
    }
}
