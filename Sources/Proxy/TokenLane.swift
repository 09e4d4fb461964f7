internal import Bytes
internal import Events
internal import Exchange
internal import GSS

/// Threads for calls into GSSAPI, which block (C-3): as `LaneSchedule` has it, and one more that watches the deadlines.
///
/// None of them is there before the first call.
final class TokenLane: Sendable {
    /// What a call gave.
    struct Outcome: Sendable {
        let answer: TokenAnswer
        /// The realm whose KDC didn't answer.
        var silentRealm: String?
    }

    /// A call, and who is told of it on a thread of the lane's.
    struct Job: Sendable {
        /// Whose calls go one at a time.
        let login: LaneSchedule.Login?
        /// The realm that it may have to ask; nil where that isn't known.
        var realm: String?
        /// Blocks; it is told whether it may ask the KDC.
        let call: @Sendable (_ mayAskKDC: Bool) -> Outcome
        let told: @Sendable (Outcome) -> Void
    }

    private struct State {
        var schedule = LaneSchedule()
        var realms = SilentRealms()
        var jobs: [LaneSchedule.Job: Job] = [:]
        var lastNumber: LaneSchedule.Job = 0
        var watch: LaneSignal?
        var hasEnded = false
    }

    private let name: String
    private let limit: Nanoseconds
    private let state = Locked(State())

    /// A lane whose threads show in ps and top by `name`, and whose calls are answered within `limit`.
    init(_ name: String, limit: Nanoseconds) {
        self.name = name
        self.limit = limit
    }

    /// Puts a call behind those that wait; where there is no room for it, it is told so at once.
    func submit(_ job: Job) {
        let admission = state.withLock { state -> LaneSchedule.Admission in
            guard !state.hasEnded, let watch = watching(&state) else { return .refused }
            state.lastNumber += 1
            let deadline = Self.now.adding(nanoseconds: limit)
            let admission = state.schedule.submit(state.lastNumber, login: job.login, deadline: deadline)
            guard admission != .refused else { return .refused }
            state.jobs[state.lastNumber] = job
            watch.raise()
            return admission
        }
        switch admission {
        case .waits: return
        case .waitsForNewThread: startThread()
        case .refused: job.told(Self.busy)
        }
    }

    /// Fails what waits, and gives what is under way two seconds.
    func stop() {
        let (jobs, watch) = state.withLock { state in
            state.hasEnded = true
            let jobs = state.schedule.expire(at: .distantFuture).late.compactMap { state.jobs.removeValue(forKey: $0) }
            return (jobs, state.watch.take())
        }
        watch?.stop()
        for job in jobs { job.told(Self.busy) }
        for _ in 0..<400 where state.withLock({ $0.schedule.threadCount > 0 }) { SystemThread.sleep(.milliseconds(5)) }
    }

    // MARK: Threads

    private func startThread() {
        do throws(SystemError) {
            _ = try SystemThread(name) { [self] in
                LaneSignal.blockSignals()
                serve()
            }
        } catch {
            let jobs = state.withLock { state in
                state.schedule.failedToStartThread().compactMap { state.jobs.removeValue(forKey: $0) }
            }
            for job in jobs { job.told(Self.busy) }
        }
    }

    private func serve() {
        while let (number, job, mayAsk) = next() {
            let outcome = job.call(mayAsk)
            if finished(number, job, outcome, mayAsk) { job.told(outcome) }
        }
    }

    private func next() -> (LaneSchedule.Job, Job, mayAsk: Bool)? {
        state.withLock { state in
            guard let number = state.schedule.next(), let job = state.jobs[number] else { return nil }
            let mayAsk = job.realm.map { state.realms.mayAsk($0, at: Self.now) } ?? true
            return (number, job, mayAsk)
        }
    }

    /// Notes what became of a call; whether somebody waits for it.
    private func finished(_ number: LaneSchedule.Job, _ job: Job, _ outcome: Outcome, _ mayAsk: Bool) -> Bool {
        state.withLock { state in
            state.jobs[number] = nil
            if mayAsk {
                if let silent = outcome.silentRealm {
                    state.realms.failed(silent, at: Self.now)
                } else if let realm = job.realm {
                    state.realms.answered(realm)
                }
            }
            return state.schedule.finished(number)
        }
    }

    // MARK: Deadlines

    private func watching(_ state: inout State) -> LaneSignal? {
        if let watch = state.watch { return watch }
        do throws(SystemError) {
            let watch = try LaneSignal()
            _ = try SystemThread("\(name) watch") { [self] in
                LaneSignal.blockSignals()
                while !watch.isStopping {
                    watch.wait(milliseconds: pause)
                    expire()
                }
            }
            state.watch = watch
            return watch
        } catch {
            return nil
        }
    }

    /// How long no call's time is up, in milliseconds; -1 where there is none.
    private var pause: Int32 {
        guard let end = state.withLock({ $0.schedule.nextDeadline }) else { return -1 }
        return Int32(clamping: end.since(Self.now) / 1_000_000 + 1)
    }

    private func expire() {
        let (late, refused, startsThread) = state.withLock { state -> ([Job], [Job], Bool) in
            guard !state.hasEnded else { return ([], [], false) }
            let now = Self.now
            let expired = state.schedule.expire(at: now)
            let late = expired.late.compactMap { state.jobs.removeValue(forKey: $0) }
            for realm in late.compactMap(\.realm) { state.realms.failed(realm, at: now) }
            let refused = expired.refused.compactMap { state.jobs.removeValue(forKey: $0) }
            return (late, refused, state.schedule.startsThread())
        }
        for job in late { job.told(Self.late) }
        for job in refused { job.told(Self.busy) }
        if startsThread { startThread() }
    }

    private static var now: Instant { Instant.monotonic }

    private static let late = Outcome(
        answer: .failed(
            TokenFailure(
                .unavailable,
                code: "lane.timeout",
                message: "GSSAPI gave no token in time; look whether the KDC answers"
            )
        )
    )

    private static let busy = Outcome(
        answer: .failed(
            TokenFailure(
                .unavailable,
                code: "lane.busy",
                message: "as many calls of GSSAPI are stuck or waiting as there may be; look whether the KDC answers"
            )
        )
    )
}
