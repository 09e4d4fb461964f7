internal import Bytes

/// Which call of a lane is next, which have lasted too long, and for whom there is no room (C-3); without threads or a
/// clock of its own.
///
/// A call that has lasted too long is stuck: nobody waits for it any more, but its thread isn't free before it returns.
struct LaneSchedule {
    typealias Job = UInt64
    /// Whose calls go one at a time.
    typealias Login = UInt64

    /// How many threads there may be, the stuck ones included.
    static let largestThreadCount = 4
    /// How many calls may wait.
    static let largestQueue = 1024

    /// What a new call means.
    enum Admission: Equatable {
        /// It waits for a thread that is there.
        case waits
        /// It waits for a thread that has to be started.
        case waitsForNewThread
        /// It fails at once.
        case refused
    }

    private struct Call {
        let job: Job
        let login: Login?
        let deadline: Instant
        var isStuck = false
    }

    private var waiting: [Call] = []
    private var running: [Call] = []
    private(set) var threadCount = 0

    /// Whether every thread that there may be is stuck.
    private var isFull: Bool { running.count { $0.isStuck } == Self.largestThreadCount }

    /// Takes a call that has to be answered by `deadline`; those of one login go one after another.
    mutating func submit(_ job: Job, login: Login?, deadline: Instant) -> Admission {
        guard !isFull, waiting.count < Self.largestQueue, !isStuck(login) else { return .refused }
        waiting.append(Call(job: job, login: login, deadline: deadline))
        return startsThread() ? .waitsForNewThread : .waits
    }

    /// Counts a new thread in where a call waits that none of the others will take.
    mutating func startsThread() -> Bool {
        guard threadCount < Self.largestThreadCount, waiting.contains(where: isFree) else { return false }
        threadCount += 1
        return true
    }

    /// The thread that was counted in couldn't be started; gives the calls that nobody will take then.
    mutating func failedToStartThread() -> [Job] {
        threadCount -= 1
        guard threadCount == 0 else { return [] }
        defer { waiting.removeAll() }
        return waiting.map(\.job)
    }

    /// The call that a thread without one goes on with; nil ends the thread.
    mutating func next() -> Job? {
        guard let place = waiting.firstIndex(where: isFree) else {
            threadCount -= 1
            return nil
        }
        let call = waiting.remove(at: place)
        running.append(call)
        return call.job
    }

    /// A call has returned; false where it was stuck, so that nobody waits for what it gave.
    mutating func finished(_ job: Job) -> Bool {
        guard let place = running.firstIndex(where: { $0.job == job }) else { return false }
        return !running.remove(at: place).isStuck
    }

    /// What the time does to calls.
    struct Expired: Equatable {
        /// Their time is up.
        let late: [Job]
        /// They fail with those, since their turn would never come.
        let refused: [Job]
    }

    /// Takes out the calls that have nothing to wait for at `now`.
    mutating func expire(at now: Instant) -> Expired {
        var late: [Job] = []
        for place in running.indices where !running[place].isStuck && running[place].deadline <= now {
            running[place].isStuck = true
            late.append(running[place].job)
        }
        late += waiting.filter { $0.deadline <= now }.map(\.job)
        waiting.removeAll { $0.deadline <= now }
        let isHopeless = { [isFull, self] (call: Call) in isFull || isStuck(call.login) }
        let refused = waiting.filter(isHopeless).map(\.job)
        waiting.removeAll(where: isHopeless)
        return Expired(late: late, refused: refused)
    }

    /// When a call's time is up next.
    var nextDeadline: Instant? {
        let runningEnd = running.lazy.filter { !$0.isStuck }.map(\.deadline).min()
        guard let waitingEnd = waiting.lazy.map(\.deadline).min() else { return runningEnd }
        return min(waitingEnd, runningEnd ?? .distantFuture)
    }

    /// Whether no other call of its login is under way.
    private func isFree(_ call: Call) -> Bool {
        guard let login = call.login else { return true }
        return !running.contains { $0.login == login }
    }

    private func isStuck(_ login: Login?) -> Bool {
        login != nil && running.contains { $0.login == login && $0.isStuck }
    }
}

/// Which realms' KDCs didn't answer a short time ago (C-3).
struct SilentRealms {
    /// How long nobody asks again.
    static let pause: Nanoseconds = .seconds(30)

    private var ends: [String: Instant] = [:]

    /// Whether the KDC of a realm may be asked; behind the pause one call is let through, and the pause begins again for all
    /// others.
    mutating func mayAsk(_ realm: String, at now: Instant) -> Bool {
        guard let end = ends[realm] else { return true }
        guard end <= now else { return false }
        ends[realm] = now.adding(nanoseconds: Self.pause)
        return true
    }

    /// It didn't answer.
    mutating func failed(_ realm: String, at now: Instant) {
        ends[realm] = now.adding(nanoseconds: Self.pause)
    }

    /// A call that might ask it went well.
    mutating func answered(_ realm: String) { ends[realm] = nil }
}
