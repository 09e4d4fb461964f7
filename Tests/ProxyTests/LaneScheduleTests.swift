import Bytes
import Testing

@testable import Proxy

/// Which call of a lane is next, without threads and clock.
struct LaneScheduleTests {
    private static let end = Instant(nanoseconds: 10)
    private static let later = Instant(nanoseconds: 20)

    /// Calls of nobody's, each of which is put in and taken by a thread.
    private func running(_ jobs: ClosedRange<LaneSchedule.Job>, login: LaneSchedule.Login? = nil) -> LaneSchedule {
        var schedule = LaneSchedule()
        for job in jobs {
            #expect(schedule.submit(job, login: login, deadline: Self.end) == .waitsForNewThread)
            #expect(schedule.next() == job)
        }
        return schedule
    }

    @Test("C-3 there are four threads, and what comes then waits for one")
    func fourThreads() {
        var schedule = running(1...4)
        #expect(schedule.submit(5, login: nil, deadline: Self.end) == .waits)
        #expect(schedule.finished(2) == true)
        #expect(schedule.next() == 5)
        #expect(schedule.finished(5) == true)
        #expect(schedule.next() == nil)
        #expect(schedule.threadCount == 3)
        #expect(schedule.submit(6, login: nil, deadline: Self.end) == .waitsForNewThread)
    }

    @Test("C-3 a login has one call under way, and those that wait for it hold no thread")
    func oneCallOfALogin() {
        var schedule = running(1...1, login: 7)
        #expect(schedule.submit(2, login: 7, deadline: Self.end) == .waits)
        #expect(schedule.submit(3, login: 8, deadline: Self.end) == .waitsForNewThread)
        #expect(schedule.next() == 3)
        #expect(schedule.finished(3) == true)
        #expect(schedule.next() == nil)
        #expect(schedule.threadCount == 1)
        #expect(schedule.finished(1) == true)
        #expect(schedule.next() == 2)
    }

    @Test("C-3 a deadline frees the exchange and not the thread, which another stands in for")
    func stuck() {
        var schedule = running(1...1)
        #expect(schedule.nextDeadline == Self.end)
        #expect(schedule.expire(at: Instant(nanoseconds: 9)) == .init(late: [], refused: []))
        #expect(schedule.expire(at: Self.end) == .init(late: [1], refused: []))
        #expect(schedule.expire(at: Self.end) == .init(late: [], refused: []), "each is told once")
        #expect(schedule.nextDeadline == nil)
        #expect(schedule.submit(2, login: nil, deadline: Self.later) == .waitsForNewThread)
        #expect(schedule.next() == 2)
        #expect(schedule.finished(1) == false, "nobody waits for it any more")
        #expect(schedule.finished(2) == true)
    }

    @Test("C-3 with four stuck calls the next fails at once, and so do those that wait, until one returns")
    func busy() {
        var schedule = running(1...4)
        #expect(schedule.submit(5, login: nil, deadline: Self.later) == .waits)
        #expect(schedule.expire(at: Self.end) == .init(late: [1, 2, 3, 4], refused: [5]))
        #expect(schedule.submit(6, login: nil, deadline: Self.later) == .refused)
        #expect(schedule.finished(3) == false)
        #expect(schedule.next() == nil)
        #expect(schedule.submit(7, login: nil, deadline: Self.later) == .waitsForNewThread)
    }

    @Test("C-3 a login whose call is stuck is refused, and takes no further thread")
    func stuckLogin() {
        var schedule = running(1...1, login: 7)
        #expect(schedule.submit(2, login: 7, deadline: Self.later) == .waits)
        #expect(schedule.expire(at: Self.end) == .init(late: [1], refused: [2]))
        #expect(schedule.submit(3, login: 7, deadline: Self.later) == .refused)
        #expect(schedule.submit(4, login: 8, deadline: Self.later) == .waitsForNewThread)
        #expect(schedule.finished(1) == false)
        #expect(schedule.submit(5, login: 7, deadline: Self.later) == .waitsForNewThread)
    }

    @Test("C-3 a call whose time is up before its turn is told so, and never runs")
    func lateInTheQueue() {
        var schedule = running(1...1, login: 7)
        #expect(schedule.submit(2, login: 7, deadline: Instant(nanoseconds: 5)) == .waits)
        #expect(schedule.nextDeadline == Instant(nanoseconds: 5))
        #expect(schedule.expire(at: Instant(nanoseconds: 5)) == .init(late: [2], refused: []))
        #expect(schedule.finished(1) == true)
        #expect(schedule.next() == nil)
    }

    @Test("C-3 where no thread can be started, nobody waits for one")
    func noThread() {
        var schedule = LaneSchedule()
        #expect(schedule.submit(1, login: nil, deadline: Self.end) == .waitsForNewThread)
        #expect(schedule.failedToStartThread() == [1])
        #expect(schedule.threadCount == 0)
        #expect(schedule.submit(2, login: nil, deadline: Self.end) == .waitsForNewThread)
    }

    @Test("C-3 a silent KDC is left alone for thirty seconds, then asked by one")
    func silentRealms() {
        let start = Instant(nanoseconds: 100)
        let end = start.adding(nanoseconds: .seconds(30))
        var realms = SilentRealms()
        #expect(realms.mayAsk("A", at: start) == true)
        realms.failed("A", at: start)
        #expect(realms.mayAsk("A", at: Instant(nanoseconds: end.nanoseconds - 1)) == false)
        #expect(realms.mayAsk("B", at: start) == true)
        #expect(realms.mayAsk("A", at: end) == true)
        #expect(realms.mayAsk("A", at: end) == false, "one call is enough to see")
        realms.answered("A")
        #expect(realms.mayAsk("A", at: end) == true)
    }
}
