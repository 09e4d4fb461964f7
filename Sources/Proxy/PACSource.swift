internal import Bytes
internal import Events
internal import HTTP
internal import PAC
internal import Rules

/// One PAC file: where it is had from, the process that runs it, and who asks it; used on the lane's loop.
final class PACSource {
    /// What is asked, and what it is asked by.
    struct Question {
        let origin: Origin
        let url: [UInt8]
        /// When it has waited long enough.
        let end: Instant
        /// Its process ended once already.
        var isAskedAgain = false
    }

    /// What a file and its process need of the lane.
    struct Means {
        let program: [String]
        let connecting: DirectConnection.Means
        let files: WorkLane
        let mailbox: Mailbox<PACLane.Message>
        let log: ProxyLog
        let lane: PACLane
    }

    /// How long a question waits at most.
    static let patience: Nanoseconds = .seconds(10)
    /// How often its process is killed or ends, without an answer between, before nobody asks it for a while.
    static let mostEndings = 8
    /// How long that is, at first and at most.
    static let rests: (first: Nanoseconds, longest: Nanoseconds) = (.seconds(5), .seconds(60))
    /// How long after a fetch that failed the next one comes, at first; `refresh` is the longest.
    static let firstPause: Nanoseconds = .seconds(10)
    private static let mostTold = 64

    let configuration: PACConfiguration
    private let means: Means
    private var policy: Policy
    /// The last good one.
    private var script: [UInt8]?
    private var stamp: PACFile.Stamp?
    private var child: PACChild?
    /// Runs a newer script, which isn't good before that is over.
    private var candidate: (child: PACChild, script: [UInt8])?
    /// The eldest first, without the one that is asked.
    private var waiting: [Question] = []
    private var asked: Question?
    /// The process is asked, or begins.
    private var isAsking = false
    private var patienceTimer: Timer?
    private var isLoading = false
    /// Something that keeps it from being had was told, and none was had since.
    private var hasTold = false
    /// A call that failed was told, since this script is the one.
    private var hasToldMistake = false
    /// The same of a process that was killed or ended.
    private var hasToldEnding = false
    /// Items of answers that were told to be passed over.
    private var told: Set<String> = []
    private var endings = 0
    private var restsUntil: Instant?
    private var pauses = 0
    private var download: PACDownload?
    private var timer: Timer?

    init(_ configuration: PACConfiguration, under policy: Policy, by means: Means) {
        self.configuration = configuration
        self.policy = policy
        self.means = means
    }

    private var loop: EventLoop { means.connecting.loop }

    /// Begins to have it, and to look for changes.
    func start() {
        if case .file = configuration.location {
            timer = Timer(loop, after: .seconds(1), repeats: true) { [unowned self] in load() }
        }
        load()
    }

    /// The trust policies are these from now on.
    func adopt(_ policy: Policy) {
        self.policy = policy
        networkChanged()
    }

    /// What was fetched may come from elsewhere now.
    func networkChanged() {
        guard case .url = configuration.location, !isLoading else { return }
        load()
    }

    /// Ends it; who waits is answered by the lane.
    func end() {
        timer = nil
        patienceTimer = nil
        download?.cancel()
        child?.end()
        candidate?.child.end()
        waiting = []
        asked = nil
    }

    // MARK: the file

    private func load() {
        guard !isLoading else { return }
        isLoading = true
        switch configuration.location {
        case .file(let path):
            let (mailbox, configuration, stamp) = (means.mailbox, configuration, stamp)
            let isTaken = means.files.submit {
                mailbox.send(.read(configuration, PACFile.read(path, unless: stamp)))
            }
            if !isTaken { wasRead(.failed(SystemError(.thread, code: 11))) }
        case .url(let url, _):
            timer = nil
            let download = PACDownload(url, under: policy.configuration, by: means.connecting) {
                [unowned self] result in
                wasFetched(result)
            }
            self.download = download
            download.start()
        }
    }

    func wasRead(_ outcome: PACFile.Outcome) {
        isLoading = false
        switch outcome {
        case .unchanged: return
        case .failed(let error):
            // Once it can be read again, it is looked at whatever its stamp.
            stamp = nil
            cannotBeHad(error.reason)
        case .read(let bytes, let stamp):
            self.stamp = stamp
            take(bytes, charset: nil)
        }
    }

    private func wasFetched(_ result: Result<(bytes: [UInt8], charset: String?), PACFailure>) {
        isLoading = false
        download = nil
        guard case .url(_, let refresh) = configuration.location else { return }
        switch result {
        case .success(let got):
            pauses = 0
            take(got.bytes, charset: got.charset)
            timer = Timer(loop, after: refresh) { [unowned self] in load() }
        case .failure(let failure):
            let pause = min(refresh, Self.firstPause << UInt64(min(pauses, 20)))
            pauses += 1
            timer = Timer(loop, after: pause) { [unowned self] in load() }
            cannotBeHad(failure.text)
        }
    }

    private func take(_ bytes: [UInt8], charset: String?) {
        guard let text = PACText.script(bytes, charset: charset) else { return cannotBeHad("there is a NUL in it") }
        guard text != script else { return hasTold = false }
        candidate?.child.end()
        candidate = nil
        do throws(SystemError) {
            let child = try PACChild(loop, means.program, script: text) { [unowned self] failure in
                judge(failure)
            }
            candidate = (child, text)
        } catch {
            cannotBeHad("there can't be a process that runs it: \(error.reason)")
        }
    }

    /// The newer script ran, or didn't.
    private func judge(_ failure: PACChild.Failure?) {
        guard let candidate else { return }
        self.candidate = nil
        if let failure {
            candidate.child.end()
            return cannotBeHad(failure.text)
        }
        hasTold = false
        script = candidate.script
        replaceChild(candidate.child)
        hasToldMistake = false
        hasToldEnding = false
        endings = 0
        restsUntil = nil
        means.lane.renewed(configuration)
        askNext()
    }

    private func replaceChild(_ new: PACChild) {
        child?.end()
        child = new
        isAsking = false
        // What the older one was asked is asked again.
        if let asked = asked.take() { waiting.insert(asked, at: 0) }
    }

    private func cannotBeHad(_ why: String) {
        if !hasTold {
            hasTold = true
            let outcome = script == nil ? "its routes go by 'via' meanwhile" : "the last good one is kept"
            means.log.warn("the PAC file \(configuration.text) can't be used: \(why); \(outcome)")
        }
        guard script == nil else { return }
        means.lane.unavailable(configuration)
        answerAll()
    }

    // MARK: questions

    /// Asks it, or has the lane answer that there is none.
    func ask(_ origin: Origin, url: [UInt8]) {
        waiting.append(Question(origin: origin, url: url, end: loop.now.adding(nanoseconds: Self.patience)))
        if patienceTimer == nil { awaitEnd(of: Self.patience) }
        askNext()
    }

    private func awaitEnd(of time: Nanoseconds) {
        patienceTimer = Timer(loop, after: time) { [unowned self] in dropLate() }
    }

    /// Who has waited long enough has no answer for now; an answer that comes yet is kept.
    private func dropLate() {
        let now = loop.now
        let late = waiting.prefix { $0.end <= now }
        waiting.removeFirst(late.count)
        if let asked, asked.end <= now { means.lane.unanswered(PACLane.Question(configuration, asked.origin)) }
        for question in late { means.lane.unanswered(PACLane.Question(configuration, question.origin)) }
        patienceTimer = nil
        if let next = waiting.first { awaitEnd(of: next.end.since(now)) }
    }

    private func askNext() {
        guard !isAsking, !waiting.isEmpty else { return }
        if let restsUntil, loop.now < restsUntil { return answerAll() }
        guard let script else {
            // The first one is under way.
            if !isLoading, candidate == nil { answerAll() }
            return
        }
        guard let child, !child.hasEnded else { return restart(script) }
        let question = waiting.removeFirst()
        asked = question
        isAsking = true
        child.ask(url: question.url, host: Array(question.origin.host.utf8)) { [unowned self] result in
            isAsking = false
            asked = nil
            answered(question, result)
        }
    }

    private func restart(_ script: [UInt8]) {
        isAsking = true
        do throws(SystemError) {
            child = try PACChild(loop, means.program, script: script) { [unowned self] failure in
                isAsking = false
                if let failure { broke(failure) } else { askNext() }
            }
        } catch {
            isAsking = false
            broke(.refused("there can't be a process that runs it: \(error.reason)"))
        }
    }

    private func answered(_ question: Question, _ result: Result<[UInt8], PACChild.Failure>) {
        let host = question.origin.host
        let key = PACLane.Question(configuration, question.origin)
        switch result {
        case .success(let text):
            endings = 0
            let result = PACResult(text.span)
            tellOfPassedOver(result.passedOver)
            means.lane.answered(key, result, now: loop.now)
            askNext()
        case .failure(.refused(let words)):
            endings = 0
            if !hasToldMistake {
                hasToldMistake = true
                means.log.warn(
                    "the PAC file \(configuration.text) has no answer for \(host), by 'via' instead: \(words)"
                )
            }
            means.lane.answered(key, nil, now: loop.now)
            askNext()
        case .failure(.ended) where !question.isAskedAgain:
            // Whoever ended it, this question or somebody else.
            var question = question
            question.isAskedAgain = true
            waiting.insert(question, at: 0)
            broke(.ended)
        case .failure(let failure):
            if !hasToldEnding {
                hasToldEnding = true
                means.log.warn("the PAC file \(configuration.text) \(failure.text) at \(host), by 'via' instead")
            }
            means.lane.answered(key, nil, now: loop.now)
            broke(failure)
        }
    }

    /// Its process was killed or ended: another one takes its place, and where that goes on nobody asks for a while that
    /// doubles.
    private func broke(_ failure: PACChild.Failure) {
        child?.end()
        child = nil
        endings += 1
        guard endings >= Self.mostEndings else { return askNext() }
        let times = endings - Self.mostEndings
        let rest = min(Self.rests.longest, Self.rests.first << UInt64(min(times, 10)))
        if times == 0 {
            means.log.warn("the PAC file \(configuration.text) \(failure.text); its routes go by 'via' meanwhile")
        }
        let until = loop.now.adding(nanoseconds: rest)
        restsUntil = until
        means.lane.rests(configuration, until: until)
        answerAll()
    }

    private func tellOfPassedOver(_ items: [String]) {
        for item in items where told.count < Self.mostTold && told.insert(item).inserted {
            means.log.warn("the PAC file \(configuration.text) names a way that can't be gone, passed over: \(item)")
        }
    }

    private func answerAll() {
        for question in waiting { means.lane.unanswered(PACLane.Question(configuration, question.origin)) }
        waiting = []
    }
}

extension PACChild.Failure {
    /// What happened, in one clause.
    var text: String {
        switch self {
        case .late: "took longer than two seconds and was stopped"
        case .ended: "ended the process that runs it"
        case .refused(let words): words.isEmpty ? "has a mistake" : words
        }
    }
}

extension PACConfiguration {
    /// Where it is had from, for the log; of a URL the origin alone, since what stands behind it may be secret.
    var text: String {
        switch location {
        case .file(let path): path
        case .url(let url, _): ResourceURL(url)?.text ?? "at a URL that is none"
        }
    }
}
