internal import Glibc

/// Writes one line to standard error.
func writeError(_ line: String) {
    write(line + "\n", to: STDERR_FILENO)
}

/// Writes one line to standard output.
func writeOutput(_ line: String) {
    write(line + "\n", to: STDOUT_FILENO)
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
