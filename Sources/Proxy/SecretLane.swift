internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import HTTP
internal import Tokens

/// The lane for secrets that are fetched: what was fetched, who waits, and a thread with a loop of its own.
///
/// The thread begins with the first question. However many ask, one fetch at a time is under way for a credential, for
/// a helper or netrc for each server.
final class SecretLane: Sendable {
    /// Is called once, on any thread, and possibly before `fetch` has returned.
    typealias Told = @Sendable (SecretAnswer) -> Void

    /// What a fetch is for; those who wait for the same place share it.
    struct Place: Hashable, Sendable {
        /// The ledger's key of the deferred credential: another definition under the same name is another place.
        let key: CredentialKey
        /// Whom the secret depends on, where it does.
        let server: Origin?
        let isProxy: Bool
        /// Tells those apart who may share nothing.
        let number: UInt64
    }

    /// A question on its way to the thread.
    struct Errand: Sendable {
        let place: Place
        let question: SecretQuestion
        let policy: Policy
        /// What was obtained before was refused.
        let isRefused: Bool
    }

    enum Message: Sendable {
        case fetch(Errand)
        case verdict(SecretVerdict)
        /// These credentials are those of the rule file from now on.
        case adopt(Set<CredentialKey>)
        /// A file was read.
        case read(UInt64, Result<Secret, SystemError>)
        case end
    }

    /// Those who wait for one fetch.
    static let mostWaiting = 10_000
    /// Places that are known; beyond, those without a fetch under way are forgotten.
    static let mostPlaces = 4096

    private struct Entry {
        var lifetime: SecretLifetime
        var answer: SecretAnswer?
        var failure: SecretAnswer?
        var waiting: [Told] = []
        /// The one that a helper was told is right.
        var stored: Credential?

        func answer(to advice: SecretLifetime.Advice) -> SecretAnswer? {
            switch advice {
            case .use, .useAndFetch: answer
            case .failed: failure
            case .fetch, .wait: nil
            }
        }

        /// Whether `refused` is what would be answered now; with none fetched yet that is the source itself.
        func isRefused(_ refused: Credential?, of source: Credential) -> Bool {
            guard let refused else { return false }
            guard case .fetched(let current) = answer else { return answer == nil && refused === source }
            return refused === current
        }
    }

    private struct State {
        var entries: [Place: Entry] = [:]
        var lastNumber: UInt64 = 0
        var running: LaneLoop<Message>?
        var hasEnded = false
    }

    private let state = Locked(State())
    private let ledger: SharedLedger
    private let means: SecretMeans

    init(ledger: SharedLedger, means: SecretMeans) {
        self.ledger = ledger
        self.means = means
    }

    // MARK: exchanges

    /// What is known without waiting; nil: it has to be fetched.
    ///
    /// It may have the next secret fetched ahead of this one's end.
    func known(_ question: SecretQuestion, under policy: Policy, now: Instant) -> SecretAnswer? {
        guard question.refused == nil, let place = sharedPlace(of: question, under: policy) else { return nil }
        let (answer, mailbox) = state.withLock { state -> (SecretAnswer?, Mailbox<Message>?) in
            guard let entry = state.entries[place] else {
                // A token of the rule file is used as it is, until it is refused.
                return (question.credential.deferred == nil ? .fetched(question.credential) : nil, nil)
            }
            let advice = entry.lifetime.advice(at: now)
            let answer = entry.answer(to: advice)
            guard advice == .useAndFetch, !state.hasEnded, let mailbox = started(&state) else { return (answer, nil) }
            _ = state.entries[place]?.lifetime.ask(at: now)
            return (answer, mailbox)
        }
        mailbox?.send(.fetch(Errand(place: place, question: question, policy: policy, isRefused: false)))
        return answer
    }

    /// Fetches what `question` asks for, or joins who waits for it, and calls `told` once.
    ///
    /// It ends with `failed` at its deadline at the latest, which is within a minute.
    func fetch(_ question: SecretQuestion, under policy: Policy, now: Instant, told: @escaping Told) {
        let shared = sharedPlace(of: question, under: policy)
        let (answer, errand, mailbox) = state.withLock { state -> (SecretAnswer?, Errand?, Mailbox<Message>?) in
            let name = question.credential.name
            guard !state.hasEnded else { return (.unavailable(name, "the proxy is ending"), nil, nil) }
            guard let mailbox = started(&state) else {
                return (.unavailable(name, "there can't be a thread that fetches it"), nil, nil)
            }
            makeRoom(&state)
            let place = shared ?? nextPlace(of: question, under: policy, &state)
            var entry = state.entries[place] ?? Entry(lifetime: SecretLifetime(question.credential.terms))
            defer { state.entries[place] = entry }
            guard entry.waiting.count < Self.mostWaiting else {
                return (.unavailable(name, "too many requests wait for it"), nil, nil)
            }
            if entry.isRefused(question.refused, of: question.credential) { entry.lifetime.refused(at: now) }
            let isRefused = entry.lifetime.isRefused(at: now)
            let advice = entry.lifetime.ask(at: now)
            let answer = entry.answer(to: advice)
            if answer == nil { entry.waiting.append(told) }
            guard advice == .fetch || advice == .useAndFetch else { return (answer, nil, nil) }
            return (answer, Errand(place: place, question: question, policy: policy, isRefused: isRefused), mailbox)
        }
        if let errand { mailbox?.send(.fetch(errand)) }
        if let answer { told(answer) }
    }

    /// A server accepted what was fetched; a helper is told once.
    func confirmed(_ credential: Credential, by server: Origin, isProxy: Bool, under policy: Policy) {
        tell(credential, isRight: true, by: server, isProxy: isProxy, under: policy)
    }

    /// A server refused what was fetched, so that it is of no use any more; a helper is told.
    func rejected(_ credential: Credential, by server: Origin, isProxy: Bool, under policy: Policy, now: Instant) {
        guard let source = credential.source else { return }
        let question = SecretQuestion(credential: source, server: server, isProxy: isProxy)
        if let place = sharedPlace(of: question, under: policy) {
            state.withLock { state in
                guard state.entries[place]?.isRefused(credential, of: source) == true else { return }
                state.entries[place]?.lifetime.refused(at: now)
                state.entries[place]?.stored = nil
            }
        }
        tell(credential, isRight: false, by: server, isProxy: isProxy, under: policy)
    }

    private func tell(
        _ credential: Credential,
        isRight: Bool,
        by server: Origin,
        isProxy: Bool,
        under policy: Policy
    ) {
        guard let source = credential.source else { return }
        let question = SecretQuestion(credential: source, server: server, isProxy: isProxy)
        let place = sharedPlace(of: question, under: policy)
        let mailbox = state.withLock { state -> Mailbox<Message>? in
            if let place, isRight {
                state.entries[place]?.lifetime.confirmed()
                guard state.entries[place]?.stored !== credential else { return nil }
                state.entries[place]?.stored = credential
            }
            guard case .helper = source.deferred, !state.hasEnded else { return nil }
            return started(&state)
        }
        guard let key = policy.keys[source.name] else { return }
        mailbox?.send(
            .verdict(SecretVerdict(credential: credential, key: key, server: server, isRight: isRight))
        )
    }

    // MARK: reload and end

    /// The credentials of `policy` are those of the rule file from now on; what was fetched for one that did not change
    /// is kept.
    func adopt(_ policy: Policy) {
        let keys = Set(policy.keys.values)
        let mailbox = state.withLock { state in
            state.entries = state.entries.filter { keys.contains($0.key.key) || $0.value.lifetime.isFetching }
            return state.running?.mailbox
        }
        mailbox?.send(.adopt(keys))
    }

    /// Ends the thread; whoever waits is told that there is nothing.
    func stop() {
        let (running, waiting) = state.withLock { state in
            state.hasEnded = true
            let waiting = state.entries.flatMap { place, entry in entry.waiting.map { (place.key.name, $0) } }
            state.entries.removeAll()
            return (state.running.take(), waiting)
        }
        running?.end(by: .end)
        means.files.stop()
        for (name, told) in waiting { told(.unavailable(name, "the proxy is ending")) }
    }

    // MARK: the thread

    /// An attempt that began at `sent` brought a secret, or that there is none; `lifetime` is nil where that holds until
    /// it is refused.
    func obtained(_ kind: Credential.Kind?, for errand: Errand, sent: Instant, lifetime: Nanoseconds?) {
        let credential = kind.map { errand.question.credential.fetched($0, errand.place.key, ledger) }
        let answer = credential.map(SecretAnswer.fetched) ?? .none
        let waiting = state.withLock { state -> [Told] in
            guard var entry = state.entries[errand.place] else { return [] }
            let waiting = entry.waiting
            entry.waiting = []
            entry.answer = answer
            entry.failure = nil
            entry.lifetime.obtained(sent: sent, lifetime: lifetime)
            state.entries[errand.place] = errand.place.number == 0 ? entry : nil
            return waiting
        }
        for told in waiting { told(answer) }
    }

    /// An attempt failed; when the same errand is to be tried again, nil for not at all.
    func failed(_ failure: SecretFailure, for errand: Errand, now: Instant) -> Instant? {
        let answer = SecretAnswer.failed(failure.response)
        let (next, waiting) = state.withLock { state -> (Instant?, [Told]) in
            guard var entry = state.entries[errand.place] else { return (nil, []) }
            defer { state.entries[errand.place] = errand.place.number == 0 || !entry.waiting.isEmpty ? entry : nil }
            switch entry.lifetime.failed(failure.kind, retryAfter: failure.retryAfter, at: now) {
            case .retry(let moment): return (moment, [])
            case .given:
                let waiting = entry.waiting
                entry.waiting = []
                entry.failure = answer
                return (nil, waiting)
            }
        }
        for told in waiting { told(answer) }
        return next
    }

    private func started(_ state: inout State) -> Mailbox<Message>? {
        // Where it can't be started, the next question tries again.
        if state.running == nil {
            state.running = try? LaneLoop("secrets", connectingBy: means.connecting) { [self] error in
                means.log.warn("secrets can't be fetched: \(error.description)")
                giveUp()
            } serve: { [self] connecting, mailbox in
                let fetcher = SecretFetcher(
                    lane: self,
                    connecting: connecting,
                    shared: means,
                    ledger: ledger,
                    mailbox: mailbox
                )
                return { fetcher.received($0) }
            }
        }
        return state.running?.mailbox
    }

    private func giveUp() {
        let waiting = state.withLock { state in
            state.running = nil
            let waiting = state.entries.flatMap { place, entry in entry.waiting.map { (place.key.name, $0) } }
            state.entries.removeAll()
            return waiting
        }
        for (name, told) in waiting { told(.unavailable(name, "there can't be a loop that fetches it")) }
    }

    // MARK: places

    /// The place that all share who ask the same; nil where each has to ask for itself.
    private func sharedPlace(of question: SecretQuestion, under policy: Policy) -> Place? {
        let credential = question.credential
        if case .helper = credential.deferred, credential.persistence == .none { return nil }
        return place(of: question, under: policy, number: 0)
    }

    private func nextPlace(of question: SecretQuestion, under policy: Policy, _ state: inout State) -> Place {
        state.lastNumber += 1
        return place(of: question, under: policy, number: state.lastNumber)
    }

    private func place(of question: SecretQuestion, under policy: Policy, number: UInt64) -> Place {
        let name = question.credential.name
        let key = policy.keys[name] ?? CredentialKey(name: name)
        switch question.credential.deferred {
        case .helper, .netrc: return Place(key: key, server: question.server, isProxy: question.isProxy, number: number)
        case .programs, .oauth2, nil: return Place(key: key, server: nil, isProxy: false, number: number)
        }
    }

    private func makeRoom(_ state: inout State) {
        guard state.entries.count >= Self.mostPlaces else { return }
        state.entries = state.entries.filter { $0.value.lifetime.isFetching }
    }
}
