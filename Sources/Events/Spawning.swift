internal import CEvent
// For `environ`, which is changed at the start only, while there is one thread.
@unsafe @preconcurrency internal import Glibc

/// Two ends of a pipe, ours without blocking.
struct PipeEnds: ~Copyable {
    private(set) var readEnd: Descriptor
    private(set) var writeEnd: Descriptor

    /// Both numbers lie above those of standard input, output and error, even where these are closed.
    init() throws(SystemError) {
        var pair: [Int32] = [-1, -1]
        let result = unsafe pipe2(&pair, O_CLOEXEC)
        guard result == 0 else { throw SystemError(.pipe) }
        let lower = Descriptor(owning: pair[0])
        let upper = Descriptor(owning: pair[1])
        let reading = try Self.raised(lower)
        let writing = try Self.raised(upper)
        readEnd = reading
        writeEnd = writing
    }

    private static func raised(_ descriptor: consuming Descriptor) throws(SystemError) -> Descriptor {
        if descriptor.rawValue > STDERR_FILENO { return descriptor }
        let rawValue = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard rawValue >= 0 else { throw SystemError(.pipe) }
        return Descriptor(owning: rawValue)
    }

    /// The reading end alone, without blocking.
    consuming func takeReadEnd() -> Descriptor {
        _ = fcntl(readEnd.rawValue, F_SETFL, O_NONBLOCK)
        return readEnd
    }

    /// The writing end alone, without blocking.
    consuming func takeWriteEnd() -> Descriptor {
        _ = fcntl(writeEnd.rawValue, F_SETFL, O_NONBLOCK)
        return writeEnd
    }
}

/// A child that was just started: our ends of its standard input and output, without blocking, and the process itself.
struct StartedChild: ~Copyable {
    let process: pid_t
    let processDescriptor: Descriptor
    let inputEnd: Descriptor
    let outputEnd: Descriptor

    /// Starts a program; its environment is ours where none is given.
    static func start(_ arguments: [String], environment: [String]? = nil) throws(SystemError) -> StartedChild {
        let toChild = try PipeEnds()
        let fromChild = try PipeEnds()
        let process = try Spawning.spawn(
            arguments,
            environment: environment,
            input: toChild.readEnd.rawValue,
            output: fromChild.writeEnd.rawValue
        )
        let descriptor = pidfd_open(process, 0)
        guard descriptor >= 0 else {
            let error = SystemError(.pidfd)
            Spawning.killAndForget(process)
            throw error
        }
        return StartedChild(
            process: process,
            processDescriptor: Descriptor(owning: descriptor),
            inputEnd: toChild.takeWriteEnd(),
            outputEnd: fromChild.takeReadEnd()
        )
    }
}

/// Starting children and taking them away.
enum Spawning {
    /// Starts a program whose standard input and output are these descriptors; its environment is ours where none is given.
    static func spawn(
        _ arguments: [String],
        environment: [String]? = nil,
        input: Int32,
        output: Int32
    ) throws(SystemError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // All of ours are closed on exec, but a library's may not be.
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        // POSIX_SPAWN_SETSIGDEF, _SETSIGMASK and _SETSID, which Glibc's module lacks in part.
        unsafe posix_spawnattr_setflags(&attributes, 0x04 | 0x08 | 0x80)
        var process: pid_t = 0
        let words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe words.forEach { word in
                guard let word = unsafe word else { return }
                unsafe explicit_bzero(word, strlen(word))
                unsafe free(word)
            }
        }
        let variables = unsafe environment.map { given in unsafe given.map { unsafe strdup($0) } + [nil] }
        defer { unsafe variables?.forEach { unsafe free($0) } }
        guard let name = unsafe words.first ?? nil else { throw SystemError(.spawn, code: ENOENT) }
        let code =
            if let variables = unsafe variables {
                unsafe posix_spawnp(&process, name, &actions, &attributes, words, variables)
            } else {
                unsafe posix_spawnp(&process, name, &actions, &attributes, words, environ)
            }
        guard code == 0 else { throw SystemError(.spawn, code: code) }
        return process
    }

    /// Takes a child away that has ended and says how; nil where it hasn't within so many milliseconds.
    @discardableResult
    static func reap(_ descriptor: Int32, waiting milliseconds: Int) -> ChildProcess.Ending? {
        for turn in 0...milliseconds {
            var information = unsafe siginfo_t()
            // P_PIDFD, which Glibc's module lacks.
            let result = unsafe waitid(idtype_t(3), id_t(descriptor), &information, WEXITED | WNOHANG)
            if result == 0, unsafe information._sifields._sigchld.si_pid != 0 {
                let status = unsafe information._sifields._sigchld.si_status
                return unsafe information.si_code == CLD_EXITED ? .exited(status) : .signalled(status)
            }
            if result != 0, errno != EINTR { return .exited(-1) }
            if turn < milliseconds { usleep(1000) }
        }
        return nil
    }

    /// Ends a child that can't be watched.
    static func killAndForget(_ process: pid_t) {
        _ = kill(-process, SIGKILL)
        var status: Int32 = 0
        _ = unsafe waitpid(process, &status, 0)
    }
}

extension ProcessSettings {
    /// The process's environment, each variable as `NAME=VALUE`.
    package static var environment: [String] {
        var entries: [String] = []
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            entries.append(unsafe String(cString: entry))
            unsafe next = next.advanced(by: 1)
        }
        return entries
    }
}
