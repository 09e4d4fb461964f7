internal import Events
internal import Glibc
internal import Synchronization

/// Wakes one thread that does what may block, from any other.
final class LaneSignal: Sendable {
    private let readEnd: Descriptor
    private let writeEnd: Descriptor
    private let isRaised = Atomic(false)
    private let hasStopped = Atomic(false)

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        guard unsafe socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else {
            throw SystemError(.socket, code: errno)
        }
        readEnd = Descriptor(owning: ends[0])
        writeEnd = Descriptor(owning: ends[1])
    }

    /// The descriptor that is readable while there is something to do.
    var descriptor: Int32 { readEnd.rawValue }

    /// Whether the thread has to come to its end.
    var isStopping: Bool { hasStopped.load(ordering: .acquiring) }

    /// There is something to do.
    func raise() {
        guard !isRaised.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var byte: UInt8 = 0
        _ = unsafe write(writeEnd.rawValue, &byte, 1)
    }

    /// Come to an end.
    func stop() {
        hasStopped.store(true, ordering: .releasing)
        raise()
    }

    /// Waits for a signal, at most so many milliseconds (-1: without end), and takes it.
    func wait(milliseconds: Int32) {
        var event = pollfd(fd: readEnd.rawValue, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&event, 1, milliseconds)
        take()
    }

    /// Takes the signal; what is raised from now on comes again.
    func take() {
        var bytes: UInt64 = 0
        _ = unsafe read(readEnd.rawValue, &bytes, 8)
        isRaised.store(false, ordering: .releasing)
    }

    /// Keeps signals for the process away from the calling thread: they belong to the loop that watches for them.
    static func blockSignals() {
        var set = sigset_t()
        _ = unsafe sigfillset(&set)
        _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }
}
