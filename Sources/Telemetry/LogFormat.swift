/// How log lines are written.
package enum LogFormat: Sendable {
    /// Words and `key=value`, quoted where needed.
    case text
    /// One object a line, with stable keys.
    case json
}

/// How much the diagnostics log tells, from least to most.
package enum LogLevel: UInt8, Comparable, Sendable {
    case error, warning, info, debug

    /// The word in a line.
    package var name: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .info: "info"
        case .debug: "debug"
        }
    }

    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}
