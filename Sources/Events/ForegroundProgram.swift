internal import CEvent
// For `environ`, which is changed at the start only, while there is one thread.
@unsafe @preconcurrency internal import Glibc

/// A program that runs in this process's place: it has its terminal, process group, standard streams and open files.
///
/// What a key at the terminal sends reaches it without us; this process survives that, and passes on what is sent to it
/// alone. Its `Surroundings` are taken before the first thread.
@safe package final class ForegroundProgram {
    /// What this process was started with and then changes, which the program is to find as it was.
    @safe package struct Surroundings {
        fileprivate let mask: sigset_t
        /// The signals that had their usual effect.
        fileprivate let changed: sigset_t
        /// Each `NAME=VALUE` where it lies, so that a secret that is taken out is gone here too.
        fileprivate let environment: [UnsafeMutablePointer<CChar>]

        /// Blocks `signals` for a `SignalSource`, and leaves the terminal's other signals and a broken pipe without effect.
        package init(blocking signals: [SignalSource.Signal]) {
            var mask = sigset_t()
            _ = unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
            self.mask = mask
            SignalSource.block(signals)
            var changed = sigset_t()
            unsafe sigemptyset(&changed)
            // While a shell runs we are in the background of its terminal, and may write to it only so.
            for number in [SIGQUIT, SIGTTOU, SIGTTIN, SIGPIPE] {
                let before = unsafe unsafeBitCast(signal(number, SIG_IGN), to: Int.self)
                let ignored = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
                if before != ignored { _ = unsafe sigaddset(&changed, number) }
            }
            self.changed = changed
            var entries = unsafe [UnsafeMutablePointer<CChar>]()
            var next = unsafe environ
            while let entry = unsafe next.pointee {
                unsafe entries.append(entry)
                unsafe next = next.advanced(by: 1)
            }
            unsafe environment = entries
        }
    }

    /// Is called once, on the loop, with how it ended.
    package typealias Ended = (ChildProcess.Ending) -> Void

    private let process: pid_t
    private let descriptor: Descriptor
    private let ended: Ended
    private var registration: EventRegistration?

    /// Starts the program that the last `count` arguments of this process's command line name, found in PATH.
    ///
    /// Its environment is that of `surroundings`, with `variables` in it in place of those of the same names. Throws why it can't be started,
    /// such as ENOENT.
    package init(
        _ loop: EventLoop,
        lastArguments count: Int,
        variables: [(name: String, value: String)],
        in surroundings: Surroundings,
        ended: @escaping Ended
    ) throws(SystemError) {
        process = try Self.spawn(count, variables, surroundings)
        let rawValue = pidfd_open(process, 0)
        guard rawValue >= 0 else {
            let error = SystemError(.pidfd)
            _ = kill(process, SIGKILL)
            throw error
        }
        descriptor = Descriptor(owning: rawValue)
        self.ended = ended
        registration = unsafe EventRegistration(
            loop,
            descriptor: rawValue,
            events: EV_READ | EV_PERSIST,
            context: Unmanaged.passUnretained(self).toOpaque(),
            callback: programEnded
        )
        registration?.add()
    }

    /// Sends it a signal, unless it has ended.
    package func send(_ signal: SignalSource.Signal) {
        // Until it is taken away its number is nobody else's.
        if registration != nil { _ = kill(process, signal.number) }
    }

    fileprivate func hasEnded() {
        guard let ending = Spawning.reap(descriptor.rawValue, waiting: 0) else { return }
        registration = nil
        ended(ending)
    }

    private static func spawn(
        _ count: Int,
        _ variables: [(name: String, value: String)],
        _ surroundings: Surroundings
    ) throws(SystemError) -> pid_t {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var (mask, changed) = (surroundings.mask, surroundings.changed)
        unsafe posix_spawnattr_setsigmask(&attributes, &mask)
        unsafe posix_spawnattr_setsigdefault(&attributes, &changed)
        // POSIX_SPAWN_SETSIGDEF and _SETSIGMASK, which Glibc's module lacks in part.
        unsafe posix_spawnattr_setflags(&attributes, 0x04 | 0x08)
        // As they were given: a String would mend what isn't UTF-8.
        let arguments = unsafe CommandLine.unsafeArgv.advanced(by: Int(CommandLine.argc) - count)
        guard count > 0, let name = unsafe arguments.pointee else { throw SystemError(.spawn, code: ENOENT) }
        let added = unsafe variables.map { unsafe strdup("\($0.name)=\($0.value)") }
        defer {
            unsafe added.forEach { entry in
                guard let entry = unsafe entry else { return }
                unsafe explicit_bzero(entry, strlen(entry))
                unsafe free(entry)
            }
        }
        let names = Set(variables.map(\.name))
        let kept = unsafe surroundings.environment.filter { entry in
            unsafe !names.contains(String(String(cString: entry).prefix { $0 != "=" }))
        }
        let environment: [UnsafeMutablePointer<CChar>?] = unsafe kept + added + [nil]
        var process: pid_t = 0
        let code = unsafe posix_spawnp(&process, name, nil, &attributes, arguments, environment)
        guard code == 0 else { throw SystemError(.spawn, code: code) }
        return process
    }
}

private func programEnded(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<ForegroundProgram>.fromOpaque(context).takeUnretainedValue().hasEnded()
}

@available(*, unavailable)
extension ForegroundProgram: Sendable {}
