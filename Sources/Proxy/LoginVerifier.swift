internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Rules

/// Checks logins at the proxy on a thread of its own, which begins with the first.
///
/// A pair that was found right is known from then on. A wrong one is told a second later, with no thread waiting for that;
/// one whose name isn't there costs as much.
final class LoginVerifier: Sendable {
    enum Verdict: Sendable {
        /// The name is the one that was written.
        case right(String)
        case wrong
        /// Too many wait already, or there can't be a thread.
        case busy
    }

    /// Is called once, on the verifier's thread.
    typealias Told = @Sendable (Verdict) -> Void

    private struct Question: Hashable {
        let file: ObjectIdentifier
        let pair: LoginFile.Pair
    }

    private struct Job {
        let login: BasicLogin
        let file: LoginFile
        let pair: LoginFile.Pair
        var told: [Told]
    }

    private struct State {
        var queue = LoginQueue()
        var jobs: [LoginQueue.Job: Job] = [:]
        /// The job of each question that waits or is being looked at, for who asks the same.
        var underWay: [Question: LoginQueue.Job] = [:]
        var lastNumber: LoginQueue.Job = 0
        var running: (signal: LaneSignal, thread: SystemThread)?
        var hasEnded = false
    }

    /// Those who ask the same, at most.
    private static let mostTold = 1024

    private let key = Secret(RandomBytes.bytes(count: 32).span)
    private let state = Locked(State())

    /// What stands for the token of a Basic value; `digest` is the calling thread's.
    func pair(of token: Span<UInt8>, _ digest: MessageDigest) -> LoginFile.Pair {
        digest.begin(.sha256)
        key.withBytes { digest.update($0) }
        digest.update(token)
        var result = [64 of UInt8](repeating: 0)
        _ = digest.finish(into: &result)
        var words = [4 of UInt64](repeating: 0)
        for index in 0..<32 { words[index / 8] = words[index / 8] << 8 | UInt64(result[index]) }
        return LoginFile.Pair(words: words)
    }

    /// Has a login checked by `file`; `client` is who sent it, before it is known by the login.
    func verify(
        _ login: BasicLogin,
        _ pair: LoginFile.Pair,
        by file: LoginFile,
        from client: Client,
        told: @escaping Told
    ) {
        let question = Question(file: ObjectIdentifier(file), pair: pair)
        let signal = state.withLock { state -> LaneSignal? in
            guard !state.hasEnded, let signal = started(&state) else { return nil }
            if let number = state.underWay[question], let count = state.jobs[number]?.told.count {
                guard count < Self.mostTold else { return nil }
                state.jobs[number]?.told.append(told)
                return signal
            }
            state.lastNumber += 1
            guard state.queue.submit(state.lastNumber, of: client) else { return nil }
            state.jobs[state.lastNumber] = Job(login: login, file: file, pair: pair, told: [told])
            state.underWay[question] = state.lastNumber
            return signal
        }
        guard let signal else { return told(.busy) }
        signal.raise()
    }

    /// Ends the thread; who waits is told that it is too late.
    func stop() {
        let running = state.withLock { state in
            state.hasEnded = true
            return state.running.take()
        }
        running?.signal.stop()
        running?.thread.join()
        let left = state.withLock { state in
            let left = state.jobs.values.flatMap(\.told)
            state.jobs.removeAll()
            return left
        }
        for told in left { told(.busy) }
    }

    // MARK: the thread

    private func started(_ state: inout State) -> LaneSignal? {
        if let running = state.running { return running.signal }
        guard let signal = try? LaneSignal() else { return nil }
        let thread = try? SystemThread("logins") { [self] in
            LaneSignal.blockSignals()
            run(signal)
        }
        guard let thread else { return nil }
        state.running = (signal, thread)
        return signal
    }

    private func run(_ signal: LaneSignal) {
        while !signal.isStopping {
            let now = Instant.monotonic
            for job in due(at: now) { for told in job.told { told(.wrong) } }
            if lookAtNext(now) { continue }
            let next = state.withLock { $0.queue.nextDue }
            signal.wait(milliseconds: next.map { Int32(clamping: $0.since(now) / 1_000_000 + 1) } ?? -1)
        }
    }

    private func due(at now: Instant) -> [Job] {
        state.withLock { state in state.queue.takeDue(at: now).compactMap { state.jobs.removeValue(forKey: $0) } }
    }

    /// Looks at the login whose turn it is; false where there is none.
    private func lookAtNext(_ now: Instant) -> Bool {
        let next = state.withLock { state -> (number: LoginQueue.Job, client: Client, job: Job)? in
            guard let (number, client) = state.queue.next(), let job = state.jobs[number] else { return nil }
            return (number, client, job)
        }
        guard let next else { return false }
        let isRight = next.job.file.admits(next.job.login)
        if isRight { next.job.file.remember(next.job.pair, of: next.job.login.name) }
        let told = state.withLock { state -> [Told] in
            state.underWay[Question(file: ObjectIdentifier(next.job.file), pair: next.job.pair)] = nil
            guard isRight else {
                state.queue.failed(next.number, of: next.client, began: now)
                return []
            }
            state.queue.passed(of: next.client)
            return state.jobs.removeValue(forKey: next.number)?.told ?? []
        }
        for one in told { one(.right(next.job.login.name)) }
        return true
    }
}
