package import Bytes
internal import Glibc

/// Writes lines to a descriptor on a thread of its own, so that whoever logs never waits for it (O-11).
///
/// What the descriptor doesn't take in time waits up to a limit; beyond it lines are dropped, counted, and told of when
/// there is room again.
@safe package final class LogWriter: @unchecked Sendable {
    // Unchecked since all that varies is touched under the lock only.

    /// The pause in which lines gather, so that under load a line costs its loop no system call.
    private static let gathering = 50_000_000
    /// So much waiting ends a pause early, in bytes.
    private static let plenty = 256 * 1024

    private let descriptor: Int32
    private let limit: Int
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var waiting = ByteBuffer()
    private var droppedCount: UInt64 = 0
    private var untoldDrops: UInt64 = 0
    private var isAsleep = false
    private var isFinishing = false
    private var isFinished = false

    /// Starts the thread; at most `limit` bytes wait. The descriptor stays the caller's. Nil if no thread can be had.
    package init?(descriptor: Int32 = 1, limit: Int = 4 * 1024 * 1024) {
        self.descriptor = descriptor
        self.limit = limit
        unsafe lock = .allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_mutex_t())
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        guard unsafe pthread_mutex_init(lock, nil) == 0, unsafe Self.makeCondition(condition) else { return nil }
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(self)
        guard unsafe pthread_create(&thread, nil, runLogWriter, context.toOpaque()) == 0 else {
            unsafe context.release()
            return nil
        }
        pthread_detach(thread)
    }

    deinit {
        _ = unsafe pthread_cond_destroy(condition)
        _ = unsafe pthread_mutex_destroy(lock)
        unsafe condition.deallocate()
        unsafe lock.deallocate()
    }

    private static func makeCondition(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Bool {
        var attributes = pthread_condattr_t()
        guard unsafe pthread_condattr_init(&attributes) == 0 else { return false }
        defer { _ = unsafe pthread_condattr_destroy(&attributes) }
        // A jump of the wall clock would stretch or end a pause.
        _ = unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        return unsafe pthread_cond_init(condition, &attributes) == 0
    }

    /// Takes a whole line, its newline included, or drops it.
    package func write(_ line: Span<UInt8>) {
        _ = unsafe pthread_mutex_lock(lock)
        if waiting.count + line.count > limit || isFinished {
            droppedCount += 1
            untoldDrops += 1
        } else {
            waiting.append(line)
        }
        let wakes = isAsleep || waiting.count > Self.plenty
        isAsleep = false
        _ = unsafe pthread_mutex_unlock(lock)
        if wakes { _ = unsafe pthread_cond_broadcast(condition) }
    }

    /// How many lines were dropped since the start.
    package var dropped: UInt64 {
        _ = unsafe pthread_mutex_lock(lock)
        defer { _ = unsafe pthread_mutex_unlock(lock) }
        return droppedCount
    }

    /// Writes what waits, if the descriptor takes it within `nanoseconds`, and ends the thread.
    package func finish(within nanoseconds: Nanoseconds = .seconds(1)) {
        _ = unsafe pthread_mutex_lock(lock)
        isFinishing = true
        _ = unsafe pthread_cond_broadcast(condition)
        var end = Self.time(in: Int(clamping: nanoseconds))
        while !isFinished, unsafe pthread_cond_timedwait(condition, lock, &end) == 0 {}
        _ = unsafe pthread_mutex_unlock(lock)
    }

    fileprivate func run() {
        var writing = ByteBuffer()
        _ = unsafe pthread_mutex_lock(lock)
        while true {
            while !hasWork() { _ = unsafe pthread_cond_wait(condition, lock) }
            guard let untold = take(&writing) else { break }
            _ = unsafe pthread_mutex_unlock(lock)
            let lost = writeOut(&writing, untold)
            _ = unsafe pthread_mutex_lock(lock)
            note(lost)
            gather()
        }
        end()
        _ = unsafe pthread_cond_broadcast(condition)
        _ = unsafe pthread_mutex_unlock(lock)
    }

    // The parts of `run` that touch what the lock guards are functions of their own and not inlined: merged over its
    // loop, an access is begun twice and ended once, and its run-time check then goes round for ever.

    @inline(never) private func hasWork() -> Bool {
        let hasWork = !waiting.isEmpty || untoldDrops > 0 || isFinishing
        isAsleep = !hasWork
        return hasWork
    }

    /// Takes what waits, and how many lines were dropped; nil at the end.
    @inline(never) private func take(_ writing: inout ByteBuffer) -> UInt64? {
        if waiting.isEmpty && untoldDrops == 0 { return nil }
        swap(&waiting, &writing)
        let untold = untoldDrops
        untoldDrops = 0
        return untold
    }

    @inline(never) private func note(_ lost: UInt64) { droppedCount += lost }

    @inline(never) private func end() { isFinished = true }

    /// Waits for more lines to come together; called with the lock held.
    private func gather() {
        guard !isFinishing else { return }
        var end = Self.time(in: Self.gathering)
        _ = unsafe pthread_cond_timedwait(condition, lock, &end)
    }

    private static func time(in nanoseconds: Int) -> timespec {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let sum = time.tv_nsec + nanoseconds % 1_000_000_000
        time.tv_sec += nanoseconds / 1_000_000_000 + sum / 1_000_000_000
        time.tv_nsec = sum % 1_000_000_000
        return time
    }

    /// Writes `lines` and how many were dropped behind them, and empties it; gives the number of those lost.
    private func writeOut(_ lines: inout ByteBuffer, _ untold: UInt64) -> UInt64 {
        if untold > 0 {
            lines.append("countersign: log lines dropped: ")
            lines.append(decimal: untold)
            lines.append(UInt8(ascii: "\n"))
        }
        var lost: UInt64 = 0
        while !lines.isEmpty {
            let count = unsafe lines.readable.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                lines.consume(count)
            } else if errno == EAGAIN {
                var interest = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&interest, 1, 1000)
            } else if errno != EINTR {
                // Nobody reads it any more, or the disk is full.
                lost += Self.countLines(lines.readable)
                lines.removeAll()
            }
        }
        lines.shrink(to: Self.plenty)
        return lost
    }

    private static func countLines(_ bytes: Span<UInt8>) -> UInt64 {
        var count: UInt64 = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") { count += 1 }
        return count
    }
}

private func runLogWriter(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    unsafe Unmanaged<LogWriter>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
