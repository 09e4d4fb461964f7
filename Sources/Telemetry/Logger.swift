internal import Glibc

/// One thing that varies in a diagnostic line.
package struct LogField: Sendable {
    package enum Value: Sendable {
        case text(String)
        case number(UInt64)
    }

    let key: String
    let value: Value

    /// Text, escaped when it is written.
    package init(_ key: String, _ text: String) {
        self.key = key
        value = .text(text)
    }

    /// A number; a negative one is written as 0.
    package init(_ key: String, _ number: some BinaryInteger) {
        self.key = key
        value = .number(UInt64(clamping: number))
    }
}

/// The diagnostics log: a constant message and fields, from any thread.
package final class Logger: Sendable {
    private let writer: LogWriter
    private let format: LogFormat
    private let level: LogLevel

    /// Logs what is at most `level` to `writer`.
    package init(_ writer: LogWriter, format: LogFormat, level: LogLevel) {
        self.writer = writer
        self.format = format
        self.level = level
    }

    /// Whether lines of `level` are written, for fields that are dear to make.
    package func isEnabled(_ level: LogLevel) -> Bool { level <= self.level }

    /// Something that the operator has to mend.
    package func error(_ message: StaticString, _ fields: LogField...) { log(.error, message, fields) }

    /// Something that the operator should know.
    package func warning(_ message: StaticString, _ fields: LogField...) { log(.warning, message, fields) }

    /// What has been done.
    package func info(_ message: StaticString, _ fields: LogField...) { log(.info, message, fields) }

    /// What helps to find a fault.
    package func debug(_ message: StaticString, _ fields: LogField...) { log(.debug, message, fields) }

    /// A line of any level.
    package func log(_ level: LogLevel, _ message: StaticString, _ fields: [LogField]) {
        guard isEnabled(level) else { return }
        var line = LogLine(format)
        line.begin(Timestamp(unixMilliseconds: Self.unixMilliseconds()), kind: level.name)
        line.message(message)
        for field in fields {
            switch field.value {
            case .text(let text):
                let utf8 = text.utf8
                line.field(field.key, utf8.span)
            case .number(let number): line.field(field.key, number)
            }
        }
        line.end(writer)
    }

    private static func unixMilliseconds() -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
