internal import Bytes
internal import Events
package import Rules
package import Telemetry

/// The proxy's way to the log: diagnostics from any thread, and a line for each exchange from its loop.
package final class ProxyLog: Sendable {
    let writer: LogWriter?
    private let logger: Locked<Logger?>

    /// Writes to `writer`; nil drops everything.
    package init(_ configuration: LogConfiguration, writer: LogWriter?) {
        self.writer = writer
        logger = Locked(Self.logger(configuration, writer))
    }

    private static func logger(_ configuration: LogConfiguration, _ writer: LogWriter?) -> Logger? {
        writer.map { Logger($0, format: configuration.format.telemetry, level: configuration.level.telemetry) }
    }

    /// Writes as other rules say from now on.
    func adopt(_ configuration: LogConfiguration) {
        let next = Self.logger(configuration, writer)
        logger.withLock { $0 = next }
    }

    /// Something an operator should look at.
    package func warn(_ text: String) {
        logger.withLock { $0 }?.warning("proxy", LogField("what", text))
    }

    /// Something an operator may want to know.
    package func tell(_ text: String) {
        logger.withLock { $0 }?.info("proxy", LogField("what", text))
    }

    /// The access log of one loop; nil where there is none.
    func accessLog(_ configuration: LogConfiguration) -> AccessLog? {
        writer.map { AccessLog($0, format: configuration.format.telemetry, tellsQuery: configuration.query) }
    }

    /// Writes what waits, then ends.
    package func finish() { writer?.finish() }
}

extension LogConfiguration.Format {
    fileprivate var telemetry: LogFormat { self == .json ? .json : .text }
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
