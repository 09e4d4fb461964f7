package import Rules

/// The proxy's way to the log.
package final class ProxyLog: Sendable {
    package init(_ configuration: LogConfiguration) {}

    package func warn(_ text: String) {}

    func access(_ runner: ExchangeRunner) {}
}
