import Bytes
import Testing

@testable import Events

/// Notes when its deadlines pass.
private final class Log {
    var names: [String] = []
}

private final class Subscriber: DeadlineObserver {
    let name: String
    let log: Log
    var onPassed: () -> Void = {}
    private(set) var deadline: Deadline!

    init(_ loop: EventLoop, _ name: String = "", _ log: Log = Log()) {
        self.name = name
        self.log = log
        deadline = Deadline(loop, observer: self)
    }

    func deadlinePassed() {
        log.names.append(name)
        onPassed()
    }
}

@Suite struct DeadlineWheelTests {
    @Test("deadlines pass in their order, not before their time, on the running loop")
    func order() throws {
        let loop = try EventLoop()
        let log = Log()
        let start = loop.now
        let subscribers = [350, 50, 250, 260].map { (milliseconds: UInt64) -> Subscriber in
            let subscriber = Subscriber(loop, "\(milliseconds)", log)
            subscriber.deadline.set(to: start.adding(nanoseconds: .milliseconds(milliseconds)))
            subscriber.onPassed = {
                #expect(loop.now.since(start) >= Nanoseconds.milliseconds(milliseconds))
            }
            return subscriber
        }
        #expect(run(loop) { log.names.count == subscribers.count })
        #expect(log.names == ["50", "250", "260", "350"])
        #expect(loop.deadlines.count == 0)
    }

    @Test("a deadline that is put off passes at its new time only")
    func putOff() throws {
        let loop = try EventLoop()
        let subscriber = Subscriber(loop)
        let start = loop.now
        subscriber.deadline.set(to: start.adding(nanoseconds: .seconds(1)))
        subscriber.deadline.set(to: start.adding(nanoseconds: .seconds(3)))
        loop.deadlines.advance(to: start.adding(nanoseconds: .milliseconds(2900)))
        #expect(subscriber.log.names.isEmpty)
        loop.deadlines.advance(to: start.adding(nanoseconds: .milliseconds(3200)))
        #expect(subscriber.log.names.count == 1)
        #expect(!subscriber.deadline.isSet)
        loop.deadlines.advance(to: start.adding(nanoseconds: .seconds(100)))
        #expect(subscriber.log.names.count == 1)
    }

    @Test("a deadline that is moved nearer passes at its new time")
    func movedNearer() throws {
        let loop = try EventLoop()
        let subscriber = Subscriber(loop)
        let start = loop.now
        subscriber.deadline.set(to: start.adding(nanoseconds: .seconds(20)))
        subscriber.deadline.set(to: start.adding(nanoseconds: .seconds(1)))
        #expect(loop.deadlines.count == 1)
        loop.deadlines.advance(to: start.adding(nanoseconds: .milliseconds(1200)))
        #expect(subscriber.log.names.count == 1)
        #expect(loop.deadlines.count == 0)
    }

    @Test("a deadline beyond the ring waits its whole time")
    func farAway() throws {
        let loop = try EventLoop()
        let subscriber = Subscriber(loop)
        let start = loop.now
        subscriber.deadline.set(to: start.adding(nanoseconds: .seconds(120)))
        for second in 1...119 { loop.deadlines.advance(to: start.adding(nanoseconds: .seconds(UInt64(second)))) }
        #expect(subscriber.log.names.isEmpty)
        loop.deadlines.advance(to: start.adding(nanoseconds: .milliseconds(120_200)))
        #expect(subscriber.log.names.count == 1)
    }

    @Test("what stood still for longer than the ring passes once, in order")
    func standstill() throws {
        let loop = try EventLoop()
        let log = Log()
        let start = loop.now
        let subscribers = [40, 10, 30].map { (seconds: UInt64) -> Subscriber in
            let subscriber = Subscriber(loop, "\(seconds)", log)
            subscriber.deadline.set(to: start.adding(nanoseconds: .seconds(seconds)))
            return subscriber
        }
        loop.deadlines.advance(to: start.adding(nanoseconds: .seconds(1000)))
        #expect(log.names == ["10", "30", "40"])
        #expect(subscribers.allSatisfy { !$0.deadline.isSet })
    }

    @Test("a cleared deadline doesn't pass and isn't kept, also when another clears it in the same tick")
    func cleared() throws {
        let loop = try EventLoop()
        let log = Log()
        let start = loop.now
        let first = Subscriber(loop, "first", log)
        let second = Subscriber(loop, "second", log)
        let third = Subscriber(loop, "third", log)
        first.deadline.set(to: start.adding(nanoseconds: .milliseconds(510)))
        second.deadline.set(to: start.adding(nanoseconds: .milliseconds(520)))
        third.deadline.set(to: start.adding(nanoseconds: .milliseconds(400)))
        third.deadline.clear()
        #expect(loop.deadlines.count == 2)
        first.onPassed = { second.deadline.clear() }
        loop.deadlines.advance(to: start.adding(nanoseconds: .seconds(2)))
        #expect(log.names == ["first"])
        #expect(loop.deadlines.count == 0)
    }

    @Test("a deadline set again while it passes comes again")
    func setAgain() throws {
        let loop = try EventLoop()
        let subscriber = Subscriber(loop)
        let start = loop.now
        subscriber.onPassed = { [unowned subscriber] in
            guard subscriber.log.names.count < 3 else { return }
            subscriber.deadline.set(to: start)
        }
        subscriber.deadline.set(to: start)
        for tick in 1...6 {
            loop.deadlines.advance(to: start.adding(nanoseconds: .milliseconds(UInt64(tick) * 100)))
        }
        #expect(subscriber.log.names.count == 3)
    }

    @Test("a hundred thousand deadlines that are put off all the time cost little")
    func many() throws {
        let loop = try EventLoop()
        let start = loop.now
        let subscribers = (0..<100_000).map { _ in Subscriber(loop) }
        let elapsed = ContinuousClock().measure {
            for round in 0..<100 {
                let limit = start.adding(nanoseconds: .seconds(75) + .milliseconds(UInt64(round) * 100))
                if round % 10 == 0 {
                    for subscriber in subscribers { subscriber.deadline.set(to: limit) }
                }
                loop.deadlines.advance(to: start.adding(nanoseconds: .milliseconds(UInt64(round) * 100)))
            }
        }
        #expect(loop.deadlines.count == subscribers.count)
        // A million stores and a hundred ticks; far above what even a sanitizer needs, far below a call for each.
        #expect(elapsed < .seconds(20))
        for subscriber in subscribers { subscriber.deadline.clear() }
        #expect(loop.deadlines.count == 0)
    }
}
