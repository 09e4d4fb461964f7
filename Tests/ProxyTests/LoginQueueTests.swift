import Bytes
import Rules
import Testing

@testable import Proxy

struct LoginQueueTests {
    /// A queue that expectations may change.
    private final class Subject {
        private var queue = LoginQueue()

        func submit(_ job: LoginQueue.Job, of client: UInt8) -> Bool { queue.submit(job, of: Self.client(client)) }
        func next() -> LoginQueue.Job? { queue.next()?.job }
        func passed(of client: UInt8) { queue.passed(of: Self.client(client)) }
        func failed(_ job: LoginQueue.Job, of client: UInt8, began: Instant) {
            queue.failed(job, of: Self.client(client), began: began)
        }
        func takeDue(at now: Instant) -> [LoginQueue.Job] { queue.takeDue(at: now) }
        var nextDue: Instant? { queue.nextDue }

        private static func client(_ number: UInt8) -> Client { Client(address: IPAddress("192.0.2.\(number)")) }
    }

    private let now = Instant(nanoseconds: 1_000_000_000_000)
    private let queue = Subject()

    @Test("R-9 clients take turns, whatever one of them has waiting")
    func turns() {
        for job in 0..<50 { #expect(queue.submit(UInt64(job), of: 1)) }
        #expect(queue.submit(100, of: 2))
        #expect(queue.next() == 0)
        #expect(queue.next() == 100)
        #expect(queue.next() == 1)
    }

    @Test("R-9 a wrong login is told a second after it was looked at, and counts as under way until then")
    func delay() {
        for job in 0..<50 { #expect(queue.submit(UInt64(job), of: 1)) }
        for job in 0..<LoginQueue.mostHeld {
            #expect(queue.next() == UInt64(job))
            queue.failed(UInt64(job), of: 1, began: now)
        }
        #expect(queue.next() == nil)
        #expect(queue.nextDue == now.adding(nanoseconds: LoginQueue.delay))
        #expect(queue.takeDue(at: now.adding(nanoseconds: LoginQueue.delay - 1)) == [])
        let due = queue.takeDue(at: now.adding(nanoseconds: LoginQueue.delay))
        #expect(due == (0..<UInt64(LoginQueue.mostHeld)).map(\.self))
        #expect(queue.nextDue == nil)
        #expect(queue.next() == UInt64(LoginQueue.mostHeld))
    }

    @Test("right logins make way for the next at once")
    func right() {
        for job in 0..<50 { #expect(queue.submit(UInt64(job), of: 1)) }
        for job in 0..<50 {
            #expect(queue.next() == UInt64(job))
            queue.passed(of: 1)
        }
        #expect(queue.next() == nil)
    }

    @Test("S-2 one client has only so many waiting, and all together too")
    func bounds() {
        for job in 0..<LoginQueue.mostWaiting { #expect(queue.submit(UInt64(job), of: 1)) }
        #expect(!queue.submit(1000, of: 1))
        var taken = LoginQueue.mostWaiting
        for number in 2...200 {
            for _ in 0..<LoginQueue.mostWaiting where queue.submit(1, of: UInt8(number)) { taken += 1 }
        }
        #expect(taken == LoginQueue.most)
        #expect(queue.next() == 0)
    }
}
