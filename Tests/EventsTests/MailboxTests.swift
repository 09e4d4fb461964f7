import Bytes
import Testing

@testable import Events

@Suite struct MailboxTests {
    @Test("messages arrive in the order they were sent, also those sent before the receiver was there")
    func order() throws {
        let loop = try EventLoop()
        let mailbox = try Mailbox<Int>()
        mailbox.send(1)
        mailbox.send(2)
        var got: [Int] = []
        let receiver = loop.receive(from: mailbox) { got.append($0) }
        mailbox.send(3)
        loop.runOnce()
        #expect(got == [1, 2, 3])
        mailbox.send(4)
        loop.runOnce()
        #expect(got == [1, 2, 3, 4])
        withExtendedLifetime(receiver) {}
    }

    @Test("a message's work may send to its own mailbox and end its receiver")
    func reentrant() throws {
        let loop = try EventLoop()
        let mailbox = try Mailbox<Int>()
        var got: [Int] = []
        var receiver: MailReceiver<Int>?
        receiver = loop.receive(from: mailbox) { message in
            got.append(message)
            if message == 1 { mailbox.send(2) } else { receiver = nil }
        }
        mailbox.send(1)
        for _ in 0..<3 { loop.runOnce() }
        #expect(got == [1, 2])
        mailbox.send(3)
        loop.runOnce()
        #expect(got == [1, 2])
        #expect(receiver == nil)
    }

    @Test("two loops that send to each other while others send lose nothing")
    func load() throws {
        let count = 20_000
        let boxes = [try Mailbox<Int>(), try Mailbox<Int>()]
        let sums = Locked([0, 0])
        let failures = Locked<[SystemError]>([])
        let group = try EventLoopGroup(
            count: 2,
            name: "mail",
            { index, loop in
                var received = 0
                // Each passes on what comes from outside, once; so both get everything.
                let receiver = loop.receive(from: boxes[index]) { message in
                    received += 1
                    sums.withLock { $0[index] += abs(message) }
                    if message > 0 { boxes[1 - index].send(-message) }
                    if received == 4 * count { loop.stop() }
                }
                loop.run()
                withExtendedLifetime(receiver) {}
            },
            failed: { error in failures.withLock { $0.append(error) } }
        )
        let senders = try (0..<4).map { sender in
            try SystemThread("sender") {
                for number in 1...count { boxes[sender % 2].send(number) }
            }
        }
        for sender in senders { sender.join() }
        group.join()
        let expected = 4 * (count * (count + 1) / 2)
        #expect(sums.withLock { $0 } == [expected, expected])
        #expect(failures.withLock { $0 }.isEmpty)
    }

    @Test("a loop runs the jobs sent to it on its thread and stops when told from another one")
    func jobs() throws {
        let ran = Locked(0)
        let mailbox = Locked<Mailbox<EventLoop.Job>?>(nil)
        let group = try EventLoopGroup(
            count: 1,
            name: "jobs",
            { _, loop in
                mailbox.withLock { $0 = loop.mailbox }
                loop.run()
                ran.withLock { $0 += 100 }
            },
            failed: { _ in }
        )
        var box: Mailbox<EventLoop.Job>?
        while box == nil { box = mailbox.withLock { $0 } }
        for _ in 0..<10 { box?.send { _ in ran.withLock { $0 += 1 } } }
        box?.send { $0.stop() }
        group.join()
        #expect(ran.withLock { $0 } == 110)
    }
}

@Suite struct TimerTests {
    @Test("a timer fires once, a repeating one until it is cancelled by itself")
    func timers() throws {
        let loop = try EventLoop()
        var once = 0
        var again = 0
        let single = Timer(loop, after: .milliseconds(20)) { once += 1 }
        var repeating: Timer?
        repeating = Timer(loop, after: .milliseconds(10), repeats: true) {
            again += 1
            if again == 5 {
                repeating?.cancel()
                repeating = nil
            }
        }
        #expect(run(loop) { again == 5 && once == 1 })
        run(loop, milliseconds: 60)
        #expect(again == 5)
        #expect(once == 1)
        withExtendedLifetime(single) {}
    }

    @Test("the loop's time stands still within a turn and goes on with the next")
    func time() throws {
        let loop = try EventLoop()
        let first = loop.now
        run(loop, milliseconds: 5)
        #expect(loop.now.since(first) >= Nanoseconds.milliseconds(4))
        #expect(loop.now == loop.now)
        #expect(loop.unixSeconds > 1_700_000_000)
        #expect(loop.unixMilliseconds / 1000 == loop.unixSeconds)
    }
}
