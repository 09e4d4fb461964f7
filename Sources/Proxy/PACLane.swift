internal import Bytes
internal import Events
internal import HTTP
internal import PAC
internal import Rules

/// The lane for PAC files: their answers, who waits for one, and a thread with a loop of its own that has each file run by
/// a process (C-3, R-3).
///
/// The thread begins with the first rule file that names one.
final class PACLane: Sendable {
    /// Is called once, on the lane's thread; nil: the PAC file has no answer.
    typealias Told = @Sendable ([PACResult.Item]?) -> Void

    struct Question: Hashable, Sendable {
        let configuration: PACConfiguration
        let origin: Origin

        init(_ configuration: PACConfiguration, _ origin: Origin) {
            self.configuration = configuration
            self.origin = origin
        }
    }

    /// What is known without waiting.
    enum Known {
        case items([PACResult.Item])
        /// The PAC file has no answer.
        case none
        /// It has to be asked.
        case unknown
    }

    enum Message: Sendable {
        case adopt(Policy)
        case ask(Question, url: [UInt8])
        /// A file was looked at.
        case read(PACConfiguration, PACFile.Outcome)
        case end
    }

    /// How long an answer holds.
    static let lifetime: Nanoseconds = .seconds(60)
    /// Answers that are kept at most.
    static let mostAnswers = 8192
    /// Requests that wait at most, over all questions.
    static let mostWaiting = 10_000

    fileprivate struct Answer {
        /// nil: there is none.
        let items: [PACResult.Item]?
        let end: Instant
    }

    fileprivate struct State {
        var answers: [Question: Answer] = [:]
        var waiting: [Question: [Told]] = [:]
        var waitingCount = 0
        /// PAC files that can't be had.
        var unavailable: Set<PACConfiguration> = []
        /// PAC files that nobody asks until then.
        var resting: [PACConfiguration: Instant] = [:]
        var running: LaneLoop<Message>?
        var hasEnded = false
    }

    private let state = Locked(State())
    private let program: [String]
    private let means: SecretMeans
    private let files = WorkLane("pac files")
    let parents = PACParents()

    /// A lane whose processes are started by `program`.
    init(program: [String] = ["/proc/self/exe", PACEvaluator.argument], means: SecretMeans) {
        self.program = program
        self.means = means
    }

    // MARK: exchanges

    func known(_ question: Question, now: Instant) -> Known {
        state.withLock { state in
            if let answer = state.answers[question], now < answer.end { return answer.items.map(Known.items) ?? .none }
            if state.hasEnded || state.unavailable.contains(question.configuration) { return .none }
            if let end = state.resting[question.configuration], now < end { return .none }
            return .unknown
        }
    }

    /// Asks, or joins who asked the same; `path` is the one of the request, in the order of which the first counts.
    func find(_ question: Question, path: Span<UInt8>, told: @escaping Told) {
        let url = Self.url(question.origin, path)
        let (mailbox, isTaken) = state.withLock { state -> (Mailbox<Message>?, Bool) in
            guard let running = state.running, !state.hasEnded, state.waitingCount < Self.mostWaiting else {
                return (nil, false)
            }
            state.waitingCount += 1
            state.waiting[question, default: []].append(told)
            return (state.waiting[question]?.count == 1 ? running.mailbox : nil, true)
        }
        if !isTaken { return told(nil) }
        mailbox?.send(.ask(question, url: url))
    }

    /// The URL that a PAC file is given: no query, no login, and for https no path.
    static func url(_ origin: Origin, _ path: Span<UInt8>) -> [UInt8] {
        let start = Array("\(origin.scheme.text)://\(origin.authority)".utf8)
        guard origin.scheme == .http, path.count > 0, path[0] == UInt8(ascii: "/") else {
            return start + [UInt8(ascii: "/")]
        }
        return start + path.indices.map { path[$0] }
    }

    // MARK: reload and end

    /// The PAC files are those of `policy` from now on.
    func adopt(_ policy: Policy) {
        let mailbox = state.withLock { state -> Mailbox<Message>? in
            guard !state.hasEnded else { return nil }
            return policy.asksPAC ? started(&state) : state.running?.mailbox
        }
        mailbox?.send(.adopt(policy))
    }

    /// Ends the thread and the processes; whoever waits is told that there is no answer.
    func stop() {
        let (running, waiting) = state.withLock { state in
            state.hasEnded = true
            let waiting = state.waiting.values.flatMap(\.self)
            state.waiting = [:]
            return (state.running.take(), waiting)
        }
        running?.end(by: .end)
        files.stop()
        for told in waiting { told(nil) }
    }

    // MARK: the thread

    /// A PAC file answered a question; nil: it has no answer, which holds as long.
    func answered(_ question: Question, _ result: PACResult?, now: Instant) {
        let items = result.flatMap { $0.items.isEmpty ? nil : $0.items }
        let waiting = state.withLock { state in
            if state.answers.count >= Self.mostAnswers { state.dropAnswers(now) }
            state.answers[question] = Answer(items: items, end: now.adding(nanoseconds: Self.lifetime))
            return state.take(question)
        }
        for told in waiting { told(items) }
    }

    /// A question has no answer for now.
    func unanswered(_ question: Question) {
        let waiting = state.withLock { $0.take(question) }
        for told in waiting { told(nil) }
    }

    /// A PAC file is another, or can be had again.
    func renewed(_ configuration: PACConfiguration) {
        state.withLock { state in
            state.unavailable.remove(configuration)
            state.resting[configuration] = nil
            state.answers = state.answers.filter { $0.key.configuration != configuration }
        }
    }

    /// Answers may be others in another network.
    func networkChanged() { state.withLock { $0.answers = [:] } }

    func unavailable(_ configuration: PACConfiguration) {
        state.withLock { _ = $0.unavailable.insert(configuration) }
    }

    func rests(_ configuration: PACConfiguration, until end: Instant) {
        state.withLock { $0.resting[configuration] = end }
    }

    /// The lane knows nothing of a PAC file any more.
    func forgot(_ configuration: PACConfiguration) {
        renewed(configuration)
        let waiting = state.withLock { state in
            state.waiting.keys.filter { $0.configuration == configuration }.flatMap { state.take($0) }
        }
        for told in waiting { told(nil) }
    }

    private func started(_ state: inout State) -> Mailbox<Message>? {
        if let running = state.running { return running.mailbox }
        do throws(SystemError) {
            let running = try LaneLoop("pac", connectingBy: means.connecting) { [self] in
                giveUp($0)
            } serve: { [self] connecting, mailbox in
                let desk = PACDesk(
                    PACSource.Means(
                        program: program,
                        connecting: connecting,
                        files: files,
                        mailbox: mailbox,
                        log: means.log,
                        lane: self
                    )
                )
                return { desk.received($0) }
            }
            state.running = running
            return running.mailbox
        } catch {
            means.log.warn("PAC files can't be asked: \(error.description)")
            return nil
        }
    }

    private func giveUp(_ error: SystemError) {
        means.log.warn("PAC files can't be asked: \(error.description)")
        let waiting = state.withLock { state in
            state.hasEnded = true
            return state.waiting.keys.flatMap { state.take($0) }
        }
        for told in waiting { told(nil) }
    }
}

extension PACLane.State {
    fileprivate mutating func take(_ question: PACLane.Question) -> [PACLane.Told] {
        let waiting = self.waiting.removeValue(forKey: question) ?? []
        waitingCount -= waiting.count
        return waiting
    }

    /// Makes room: what is over goes first, else everything.
    fileprivate mutating func dropAnswers(_ now: Instant) {
        answers = answers.filter { now < $0.value.end }
        if answers.count >= PACLane.mostAnswers { answers = [:] }
    }
}
