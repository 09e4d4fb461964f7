internal import Bytes
package import Rules
package import Telemetry

/// The proxy's way to the log: diagnostics from any thread, and a line for each exchange from its loop.
package final class ProxyLog: Sendable {
    let writer: LogWriter?
    private let logger: Logger?
    private let format: LogFormat

    /// Writes to `writer`; nil drops everything.
    package init(_ configuration: LogConfiguration, writer: LogWriter?) {
        self.writer = writer
        format = configuration.format == .json ? .json : .text
        logger = writer.map {
            Logger($0, format: configuration.format == .json ? .json : .text, level: configuration.level.telemetry)
        }
    }

    /// Something an operator should look at.
    package func warn(_ text: String) {
        logger?.warning("proxy", LogField("what", text))
    }

    /// Something an operator may want to know.
    package func tell(_ text: String) {
        logger?.info("proxy", LogField("what", text))
    }

    /// The access log of one loop; nil where there is none.
    func accessLog(tellsQuery: Bool) -> AccessLog? {
        writer.map { AccessLog($0, format: format, tellsQuery: tellsQuery) }
    }

    /// Writes what waits, then ends.
    package func finish() { writer?.finish() }
}

extension LogConfiguration.Level {
    fileprivate var telemetry: LogLevel {
        switch self {
        case .error: .error
        case .warning: .warning
        case .info: .info
        case .debug: .debug
        }
    }
}
