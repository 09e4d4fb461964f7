internal import Glibc
internal import Telemetry

/// Writes one line to standard error.
func writeError(_ line: String) {
    write(line + "\n", to: STDERR_FILENO)
}

/// Writes one line to standard output.
func writeOutput(_ line: String) {
    write(line + "\n", to: STDOUT_FILENO)
}

/// Standard error of a process that serves: written on a thread of its own, so that a pipe that nobody reads holds up nothing
/// (O-11).
struct ErrorLines {
    private let writer = LogWriter(descriptor: STDERR_FILENO)

    /// Writes one line, or some.
    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        writer?.write(bytes.span)
    }

    /// Waits a moment for what isn't written yet.
    func finish() { writer?.finish() }
}

private func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return }
        bytes = bytes.dropFirst(count)
    }
}

/// Ends the process with this status.
func exitProcess(_ status: Int32) -> Never {
    exit(status)
}
