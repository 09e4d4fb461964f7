internal import Glibc

/// Standard output and standard error, a line at a time and never buffered.
enum Terminal {
    static func print(_ line: String) { write(line, to: STDOUT_FILENO) }

    static func complain(_ line: String) { write(line, to: STDERR_FILENO) }

    private static func write(_ line: String, to descriptor: Int32) {
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            // Nobody reads any more, so there is nobody to tell.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
