package import Bytes

/// A loop's way to the addresses of names, without blocking; equal names under way are looked up once.
package final class Resolver {
    /// What can be said at once.
    package enum Resolution {
        /// The answer; the completion is not called.
        case known(ResolverThreads.Answer)
        /// The completion will be called, unless the query is cancelled.
        case pending(Query)
    }

    /// How long addresses are remembered; the system's resolver doesn't tell how long they hold.
    private static let positiveLifetime: Nanoseconds = .seconds(30)
    /// How long a missing name is remembered: enough for one page's requests.
    private static let negativeLifetime: Nanoseconds = .seconds(1)
    private static let largestCache = 1024

    private struct Remembered {
        let answer: ResolverThreads.Answer
        let end: Instant
    }

    private struct Reply: Sendable {
        let host: String
        let answer: ResolverThreads.Answer
    }

    fileprivate let loop: EventLoop
    private let threads: ResolverThreads
    private let mailbox: Mailbox<Reply>
    private var receiver: MailReceiver<Reply>?
    private var remembered: [String: Remembered] = [:]
    private var underWay: [String: [UInt64: Query]] = [:]
    private var lastNumber: UInt64 = 0

    /// Makes the resolver of a loop; fails where descriptors are used up.
    package init(_ loop: EventLoop, threads: ResolverThreads) throws(SystemError) {
        self.loop = loop
        self.threads = threads
        mailbox = try Mailbox()
        receiver = loop.receive(from: mailbox) { [unowned self] reply in finish(reply.host, reply.answer) }
    }

    /// Looks up `host`: a literal address (without brackets) or a remembered name at once, else within `limit`.
    ///
    /// The deadline frees the asker; the system's call goes on and is remembered.
    package func resolve(
        _ host: String,
        within limit: Nanoseconds,
        _ completion: @escaping (ResolverThreads.Answer) -> Void
    ) -> Resolution {
        if let address = IPAddress(host) { return .known(.success([address])) }
        if let known = remembered[host] {
            if known.end > loop.now { return .known(known.answer) }
            remembered[host] = nil
        }
        if underWay[host] == nil {
            let mailbox = mailbox
            let isTaken = threads.ask(.init(host: host) { mailbox.send(Reply(host: host, answer: $0)) })
            guard isTaken else { return .known(.failure(.busy)) }
        }
        lastNumber += 1
        let query = Query(self, host, lastNumber, completion)
        underWay[host, default: [:]][lastNumber] = query
        query.start(until: loop.now.adding(nanoseconds: limit))
        return .pending(query)
    }

    /// Forgets what it remembers.
    package func forgetAll() {
        remembered.removeAll()
    }

    /// A name that is being looked up.
    package final class Query: DeadlineObserver {
        private let host: String
        private let number: UInt64
        private var completion: ((ResolverThreads.Answer) -> Void)?
        private unowned let resolver: Resolver
        private var deadline: Deadline?

        fileprivate init(
            _ resolver: Resolver,
            _ host: String,
            _ number: UInt64,
            _ completion: @escaping (ResolverThreads.Answer) -> Void
        ) {
            self.resolver = resolver
            self.host = host
            self.number = number
            self.completion = completion
        }

        fileprivate func start(until moment: Instant) {
            let deadline = Deadline(resolver.loop, observer: self)
            deadline.set(to: moment)
            self.deadline = deadline
        }

        /// Makes sure that the completion isn't called any more.
        package func cancel() {
            deadline?.clear()
            deadline = nil
            completion = nil
            // Those whose time is up don't pile up behind a call that hangs; the name stays under way.
            resolver.underWay[host]?[number] = nil
        }

        package func deadlinePassed() {
            complete(.failure(.timedOut))
        }

        fileprivate func complete(_ answer: ResolverThreads.Answer) {
            let completion = completion
            cancel()
            completion?(answer)
        }
    }

    private func finish(_ host: String, _ answer: ResolverThreads.Answer) {
        remember(host, answer)
        guard let queries = underWay.removeValue(forKey: host) else { return }
        for query in queries.values { query.complete(answer) }
    }

    private func remember(_ host: String, _ answer: ResolverThreads.Answer) {
        let lifetime: Nanoseconds
        switch answer {
        case .success: lifetime = Self.positiveLifetime
        case .failure(.notFound): lifetime = Self.negativeLifetime
        case .failure: return
        }
        if remembered.count >= Self.largestCache {
            let now = loop.now
            remembered = remembered.filter { $0.value.end > now }
            if remembered.count >= Self.largestCache { remembered.removeAll() }
        }
        remembered[host] = Remembered(answer: answer, end: loop.now.adding(nanoseconds: lifetime))
    }
}
