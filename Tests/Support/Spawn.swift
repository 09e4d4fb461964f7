internal import CGNU
internal import Glibc

/// The start of a program through posix_spawn.
struct Spawn {
    let path: String
    let arguments: [String]
    let environment: [String]
    var workingFolder: String?

    /// Starts it in a process group of its own, with three files as its standard streams and no other descriptor of
    /// ours, and gives its id.
    func start(input: String, output: String, errors: String) throws -> pid_t {
        try unsafe start { actions in
            unsafe posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
            unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o644)
            unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        }
    }

    /// Starts it with `input` as its standard input and nothing as its outputs.
    func start(input: CInt) throws -> pid_t {
        try unsafe start { actions in
            unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
            unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
            unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
    }

    private func start(_ streams: (inout posix_spawn_file_actions_t) -> Void) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe streams(&actions)
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        if let workingFolder { unsafe posix_spawn_file_actions_addchdir_np(&actions, workingFolder) }

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // A test runner blocks and ignores signals that the program must see.
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        var pid: pid_t = 0
        let error = unsafe withStrings(arguments) { arguments in
            unsafe withStrings(environment) { environment in
                unsafe posix_spawn(&pid, path, &actions, &attributes, arguments, environment)
            }
        }
        guard error == 0 else { throw TestFailure("\(path): \(systemError(error))") }
        return pid
    }

    private func withStrings<Result>(
        _ strings: [String],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
            // There is always the nil at the end.
            unsafe body(buffer.baseAddress!)
        }
    }
}

/// Ends the programs that tests started when the tests' own process is gone without having done so.
///
/// It is a shell that reads which groups there are from a pipe; the pipe ends with this process, however that ends.
final class Reaper: Sendable {
    static let shared = try? Reaper()

    private let pipe: CInt

    private init() throws {
        var ends: [CInt] = [0, 0]
        guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw TestFailure("pipe2: \(systemError())") }
        pipe = ends[1]
        let script = """
            trap '' INT TERM HUP
            groups=' '
            while read -r change group; do
                case $change in
                    +) groups="$groups$group " ;;
                    -) groups="${groups%% $group *} ${groups#* $group }" ;;
                esac
            done
            for group in $groups; do kill -TERM -$group 2>/dev/null; done
            [ "$groups" = ' ' ] || sleep 3
            for group in $groups; do kill -KILL -$group 2>/dev/null; done
            """
        defer { close(ends[0]) }
        _ = try Spawn(path: "/bin/sh", arguments: ["sh", "-c", script], environment: ["PATH=/usr/bin:/bin"]).start(
            input: ends[0]
        )
    }

    func watch(_ group: Int32) { tell("+ \(group)\n") }

    func forget(_ group: Int32) { tell("- \(group)\n") }

    private func tell(_ line: String) {
        let bytes = Array(line.utf8)
        // Far below PIPE_BUF, so lines of several threads don't mix.
        _ = unsafe bytes.withUnsafeBytes { unsafe write(pipe, $0.baseAddress, $0.count) }
    }
}
