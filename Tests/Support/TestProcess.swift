internal import Glibc

/// A program that a test started, with what it wrote; it is ended with its last owner.
///
/// It leads a process group of its own, so that what it started ends with it.
package final class TestProcess: Sendable {
    /// How a program ended.
    package enum Exit: Sendable, Equatable {
        case status(Int32)
        case signal(Int32)
    }

    private struct State {
        var exit: Exit?
    }

    /// The program's name, for messages.
    package let name: String
    /// Its process id.
    package let pid: Int32
    private let folder: ScratchFolder
    private let stopSignal: Int32
    private let state = Locked(State())

    /// Starts `program`, a path or a name that is looked up in PATH and the folders of system programs.
    ///
    /// Its environment is `environment` and little else; standard input is `input`, which is empty by default.
    /// `stopSignal` is what ends it in good order.
    package init(
        _ program: String,
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        workingFolder: String? = nil,
        input: String = "",
        stopSignal: Int32 = 15
    ) throws {
        let path = try TestProcess.find(program)
        name = String(program.split(separator: "/").last ?? "")
        self.stopSignal = stopSignal
        folder = try ScratchFolder("process")
        let variables = TestProcess.baseEnvironment(home: folder.path).merging(environment) { $1 }
        let spawn = Spawn(
            path: path,
            arguments: [program] + arguments,
            environment: variables.map { "\($0)=\($1)" },
            workingFolder: workingFolder
        )
        try folder.write(input, to: "input")
        pid = try spawn.start(input: folder("input"), output: folder("output"), errors: folder("errors"))
        Reaper.shared?.watch(pid)
    }

    deinit { stop() }

    /// The path of a program; a missing one is a failure that says what to do.
    package static func find(_ program: String) throws -> String {
        guard !program.contains("/") else { return program }
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        for folder in path.split(separator: ":") + ["/usr/sbin", "/sbin", "/usr/bin", "/bin"] {
            let candidate = "\(folder)/\(program)"
            if unsafe access(candidate, X_OK) == 0 { return candidate }
        }
        throw TestFailure("\(program) is not installed; `make setup` installs what the tests need")
    }

    private static func baseEnvironment(home: String) -> [String: String] {
        var environment = ["HOME": home, "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"]
        for name in [
            "PATH", "TMPDIR", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS",
        ] {
            if let value = unsafe getenv(name) { environment[name] = unsafe String(cString: value) }
        }
        return environment
    }

    /// What it wrote to standard output so far.
    package var output: String { folder.text(of: "output") }

    /// The bytes that it wrote to standard output so far.
    package var outputBytes: [UInt8] { contents(of: folder("output")) ?? [] }

    /// What it wrote to standard error so far.
    package var errors: String { folder.text(of: "errors") }

    /// How it ended, or nil while it runs.
    package var exit: Exit? {
        state.withLock { state in
            if state.exit == nil {
                var status: CInt = 0
                if unsafe waitpid(pid, &status, WNOHANG) == pid {
                    let signal = status & 0x7f
                    state.exit = signal == 0 ? .status((status >> 8) & 0xff) : .signal(signal)
                    Reaper.shared?.forget(pid)
                }
            }
            return state.exit
        }
    }

    /// Whether it has not ended.
    package var isRunning: Bool { exit == nil }

    /// Returns how it ended, once it has, and fails at the limit with what it wrote.
    package func waitForExit(within limit: Duration = .seconds(30)) throws -> Exit {
        try eventually("\(name) to end; it wrote:\n\(output)\(errors)", within: limit) { exit != nil }
        return exit ?? .status(-1)
    }

    /// Sends a signal, unless it has ended.
    package func send(signal: Int32) {
        state.withLock { state in
            // Until it is waited for, the number is its own.
            if state.exit == nil { kill(pid, signal) }
        }
    }

    /// Stops it, runs `body`, and lets it go on: what came meanwhile is there all at once, in the order in which it came.
    package func standingStill(_ body: () throws -> Void) throws {
        send(signal: SIGSTOP)
        defer { send(signal: SIGCONT) }
        try eventually("\(name) to stand still") { try isStopped }
        try body()
    }

    private var isStopped: Bool {
        get throws {
            let text = String(decoding: contents(of: "/proc/\(pid)/status") ?? [], as: UTF8.self)
            return text.contains("\nState:\tT")
        }
    }

    /// Ends it by its stop signal, or with all that it started by SIGKILL at the limit, and gives how it ended.
    @discardableResult
    package func stop(within limit: Duration = .seconds(5)) -> Exit {
        if let exit { return exit }
        if stopSignal != SIGKILL {
            send(signal: stopSignal)
            if let ended = try? waitForExit(within: limit) { return ended }
        }
        // What it started first: the group is known by its number only while the leader is there.
        state.withLock { state in
            if state.exit == nil { kill(-pid, SIGKILL) }
        }
        return (try? waitForExit(within: limit)) ?? .signal(SIGKILL)
    }

    /// A line of /proc/PID/status in kB, such as VmRSS (resident now) or VmHWM (at most so far).
    package func memory(_ key: String = "VmRSS") throws -> Int {
        let text = String(decoding: contents(of: "/proc/\(pid)/status") ?? [], as: UTF8.self)
        for line in text.split(separator: "\n") where line.hasPrefix("\(key):") {
            if let kilobytes = line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap({ Int($0) })
            {
                return kilobytes
            }
        }
        throw TestFailure("\(name) has no \(key); it ended as \(exit.map { "\($0)" } ?? "-")")
    }

    /// How long it has run on a processor so far, in its own code and the kernel's.
    package var processorTime: Duration {
        get throws {
            let text = String(decoding: contents(of: "/proc/\(pid)/stat") ?? [], as: UTF8.self)
            // The name, in parentheses, may have blanks; utime and stime are the 14th and 15th field (proc(5)).
            let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
            guard fields.count > 13, let user = Int(fields[12]), let system = Int(fields[13]) else {
                throw TestFailure("\(name) has no times; it ended as \(exit.map { "\($0)" } ?? "-")")
            }
            return .milliseconds((user + system) * 1000 / sysconf(CInt(_SC_CLK_TCK)))
        }
    }

    /// How many kB may be resident where `mebibytes` are allowed: a sanitizer's shadow takes its part of each byte.
    ///
    /// That is known by the address space, of which a shadow takes more than any program.
    package func bound(mebibytes: Int) throws -> Int {
        (try isInstrumented ? 3 : 1) * mebibytes * 1024
    }

    /// Whether it runs under a sanitizer.
    package var isInstrumented: Bool {
        get throws { try memory("VmSize") > 1 << 30 }
    }

    /// The process that traces it, 0 for none.
    package var tracer: Int32 {
        get throws { Int32(try memory("TracerPid")) }
    }

    /// What its descriptors are open on, as the kernel names it.
    package var openFiles: [String] {
        names(in: "/proc/\(pid)/fd").compactMap { name in
            var target = [UInt8](repeating: 0, count: 4096)
            let count = unsafe target.withUnsafeMutableBytes {
                unsafe readlink("/proc/\(pid)/fd/\(name)", $0.baseAddress!, $0.count)
            }
            return count > 0 ? String(decoding: target.prefix(count), as: UTF8.self) : nil
        }
    }

    /// How many descriptors it has open.
    package var descriptorCount: Int {
        guard let folder = unsafe opendir("/proc/\(pid)/fd") else { return 0 }
        defer { unsafe closedir(folder) }
        return unsafe names(in: folder).count
    }
}
