package import Bytes
internal import CEvent
internal import Glibc

/// One thread's loop over readiness, timers and mail; made and used on that thread only.
@safe package final class EventLoop {
    /// What is sent to a loop's own mailbox: work to be done on its thread.
    package typealias Job = @Sendable (EventLoop) -> Void

    /// What one read takes unless told otherwise, in bytes.
    package static let usualReadLimit = 64 * 1024
    /// The most that one read can take, in bytes.
    package static let largestReadLimit = 1024 * 1024

    let base: OpaquePointer
    /// The buffer that all sockets of the loop read into. Its untouched pages cost no memory.
    let buffer: UnsafeMutableRawBufferPointer
    var receivedCount = 0
    private var joined = ByteBuffer()

    /// Other threads send work here.
    package let mailbox: Mailbox<Job>
    /// The deadlines of everything on the loop.
    package let deadlines: DeadlineWheel

    private var mailReceiver: MailReceiver<Job>?
    private var isStopping = false
    private var isInTurn = false
    private var cachedNow: Instant?
    private var cachedUnixTime: timespec?
    private var graveyard: [AnyObject] = []
    private var burying: [AnyObject] = []
    /// Asked in each turn, and mostly false.
    private var hasBuried = false

    /// Makes a loop for the calling thread; fails where descriptors are used up.
    package init() throws(SystemError) {
        mailbox = try Mailbox()
        guard let base = unsafe Self.makeBase() else { throw SystemError(.eventLoop) }
        unsafe self.base = base
        unsafe buffer = .allocate(byteCount: Self.largestReadLimit, alignment: 4096)
        deadlines = DeadlineWheel()
        deadlines.attach(to: self)
        mailReceiver = receive(from: mailbox) { [unowned self] job in job(self) }
    }

    deinit {
        mailReceiver = nil
        deadlines.detach()
        unsafe event_base_free(base)
        unsafe buffer.deallocate()
    }

    private static func makeBase() -> OpaquePointer? {
        guard let configuration = unsafe event_config_new() else { return nil }
        defer { unsafe event_config_free(configuration) }
        // One thread per base, so no lock; and the environment is no business of ours.
        let flags = EVENT_BASE_FLAG_NOLOCK.rawValue | EVENT_BASE_FLAG_IGNORE_ENV.rawValue
        _ = unsafe event_config_set_flag(configuration, Int32(flags))
        return unsafe event_base_new_with_config(configuration)
    }

    /// Serves events until `stop`.
    package func run() {
        while !isStopping, turn(EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY) {}
    }

    /// Serves what is due now without waiting; for tests.
    package func runOnce() {
        _ = turn(EVLOOP_ONCE | EVLOOP_NONBLOCK)
    }

    /// False if the system's readiness call fails, which only a fault of our own can bring about.
    private func turn(_ flags: Int32) -> Bool {
        forgetTime()
        isInTurn = true
        let result = unsafe event_base_loop(base, flags)
        isInTurn = false
        if hasBuried { emptyGraveyard() }
        return result >= 0
    }

    /// Ends `run` when the current turn is done.
    package func stop() {
        isStopping = true
        _ = unsafe event_base_loopbreak(base)
    }

    /// Delivers the messages of `mailbox` on this loop as long as the result is kept.
    package func receive<Message: Sendable>(
        from mailbox: Mailbox<Message>,
        _ body: @escaping (Message) -> Void
    ) -> MailReceiver<Message> {
        MailReceiver(mailbox, loop: self, body)
    }

    /// Has `fill` put at most `limit` bytes where `received` finds them.
    func receive(limit: Int, _ fill: (inout MutableSpan<UInt8>) -> ReadResult) -> ReadResult {
        let bytes = unsafe UnsafeMutableBufferPointer(
            rebasing: buffer.assumingMemoryBound(to: UInt8.self)[..<min(limit, buffer.count)]
        )
        var span = unsafe MutableSpan(_unsafeElements: bytes)
        let result = fill(&span)
        if case .bytes(let count) = result { receivedCount = count }
        return result
    }

    /// Has `use` take two parts as one, neither of which came from here.
    func join(_ first: Span<UInt8>, _ second: Span<UInt8>, _ use: (Span<UInt8>) -> WriteResult) -> WriteResult {
        var both = ByteBuffer()
        swap(&both, &joined)
        both.removeAll()
        both.append(first)
        both.append(second)
        let result = use(both.readable)
        swap(&both, &joined)
        return result
    }

    /// The bytes of the loop's last read; valid until the next one.
    package var received: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let bytes = unsafe UnsafeRawBufferPointer(buffer).assumingMemoryBound(to: UInt8.self)
            let span = unsafe Span(_unsafeElements: bytes).extracting(first: receivedCount)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Keeps `object` to the end of this turn, for code up the stack that still works with it.
    func keepToEndOfTurn(_ object: AnyObject) {
        // Between turns nothing of ours is up the stack, and what is buried might hold the loop for ever.
        guard isInTurn else { return }
        graveyard.append(object)
        hasBuried = true
    }

    // Not inlined: the checks of the loop's accesses would move out of it, and be made where nothing is buried.
    @inline(never)
    private func emptyGraveyard() {
        // What goes may bury others, so the array that is emptied is not the one that is filled.
        while hasBuried {
            hasBuried = false
            swap(&graveyard, &burying)
            burying.removeAll(keepingCapacity: true)
        }
    }
}

extension EventLoop {
    /// The monotonic time of this turn of the loop.
    package var now: Instant {
        if let cachedNow { return cachedNow }
        let now = Instant.monotonic
        cachedNow = now
        return now
    }

    /// Seconds since 1970 in this turn of the loop.
    package var unixSeconds: Int64 { Int64(unixTime.tv_sec) }

    /// Milliseconds since 1970 in this turn of the loop.
    package var unixMilliseconds: Int64 { Int64(unixTime.tv_sec) * 1000 + Int64(unixTime.tv_nsec) / 1_000_000 }

    private var unixTime: timespec {
        if let cachedUnixTime { return cachedUnixTime }
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        cachedUnixTime = time
        return time
    }

    /// Makes the next look at a clock a fresh one; a turn that took long may want it.
    package func forgetTime() {
        cachedNow = nil
        cachedUnixTime = nil
    }
}

@available(*, unavailable)
extension EventLoop: Sendable {}

extension Instant {
    /// This moment by the clock that loops go by.
    package static var monotonic: Instant {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }
}
