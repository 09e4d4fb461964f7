import Bytes
import Glibc

@testable import Telemetry

/// A pipe that a writer writes to and a test reads from.
final class LogReader {
    private let readEnd: Int32
    let writeEnd: Int32

    init(capacity: Int32? = nil) {
        var pair: [Int32] = [-1, -1]
        _ = unsafe pipe(&pair)
        readEnd = pair[0]
        writeEnd = pair[1]
        // F_SETPIPE_SZ
        if let capacity { _ = fcntl(writeEnd, 1031, capacity) }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// What has been written until now.
    func text() -> String {
        var result: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 65536)
        var interest = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&interest, 1, 0) == 1 {
            let count = unsafe read(readEnd, &bytes, bytes.count)
            guard count > 0 else { break }
            result += bytes[..<count]
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Stops to read for good.
    func hangUp() {
        close(readEnd)
    }
}

/// The text that `body` logs.
func logged(_ body: (LogWriter) -> Void) throws -> String {
    let reader = LogReader()
    guard let writer = LogWriter(descriptor: reader.writeEnd) else { throw NoWriter() }
    body(writer)
    writer.finish()
    return reader.text()
}

struct NoWriter: Error {}
