internal import Glibc

/// A `countersign run` with a rule file of its own; it is ended with its last owner.
package final class RunningProxy: Sendable {
    /// Holds the rule file `countersign.yaml`, the folder `state` and what the test puts there.
    package let folder: ScratchFolder
    /// The port of its first listener.
    package let port: UInt16
    /// The program.
    package let process: TestProcess

    /// Starts a proxy under `rules` and waits until it accepts connections.
    ///
    /// Without a line `version:` the rules get one, a listener on a free port and a `state` folder put before them.
    /// With one they stand as they are, but `$PORT` is the free port. `files` are written beside the rule file first, readable
    /// by their owner only. With the `folder` of an earlier proxy, its state goes on.
    package init(
        _ rules: String,
        workers: Int? = nil,
        files: [String: String] = [:],
        folder: ScratchFolder? = nil,
        environment: [String: String] = [:]
    ) throws {
        self.folder = try folder ?? ScratchFolder("proxy")
        port = try FreePort.reserve()
        for (name, text) in files { try self.folder.write(text, to: name, mode: 0o600) }
        try self.folder.write(RunningProxy.complete(rules, port: port), to: "countersign.yaml", mode: 0o600)
        let arguments = ["run", "--config", self.folder("countersign.yaml")]
        process = try Binary.start(
            arguments + (workers.map { ["--workers", "\($0)"] } ?? []),
            environment: environment
        )
        try waitUntilAccepting(port, of: process, within: .seconds(10))
    }

    private static func complete(_ rules: String, port: UInt16) -> String {
        let isWhole = rules.hasPrefix("version:") || rules.contains("\nversion:")
        guard !isWhole else {
            return rules.split(separator: "$PORT", omittingEmptySubsequences: false).joined(separator: "\(port)")
        }
        return """
            version: 1
            listeners: [{ address: "127.0.0.1:\(port)" }]
            state: state

            """ + rules
    }

    /// The proxy as clients are told it.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// All that it has logged so far.
    package var log: String { process.output + process.errors }

    /// Returns once the log contains `text`, and fails at the limit with the log.
    package func waitForLog(_ text: String, within limit: Duration = .seconds(10)) throws {
        try eventually("'\(text)' in the log:\n\(log)", within: limit) { log.contains(text) }
    }

    /// Puts other rules in place of the file's, at once as a whole; they are completed as at the start.
    package func rewrite(_ rules: String) throws {
        try folder.write(RunningProxy.complete(rules, port: port), to: "countersign.yaml.new", mode: 0o600)
        unsafe rename(folder("countersign.yaml.new"), folder("countersign.yaml"))
    }

    /// Asks it to read its rules again.
    package func reload() { process.send(signal: SIGHUP) }

    /// Connects to its first listener, from the address `source` where it is given.
    package func connect(
        from source: String? = nil,
        limit: Duration = .seconds(20),
        receiveBuffer: Int? = nil
    ) throws -> HTTPClient {
        try HTTPClient(port: port, source: source, limit: limit, receiveBuffer: receiveBuffer)
    }

    /// Sends one request on a connection of its own, `Connection: close` put in, and takes the response.
    package func get(_ url: String, _ fields: [String] = [], method: String = "GET") throws -> HTTPResponse {
        let client = try connect()
        let authority = url.split(separator: "/").dropFirst().first?.split(separator: "@").last ?? ""
        let lines = ["\(method) \(url) HTTP/1.1", "Host: \(authority)", "Connection: close"] + fields + ["", ""]
        return try client.exchange(lines.joined(separator: "\r\n"))
    }

    /// Ends it by SIGTERM and gives how it ended.
    @discardableResult
    package func stop() -> TestProcess.Exit { process.stop() }
}

/// Returns once something accepts connections on `port`, and fails when `process` ends before, or at the limit.
func waitUntilAccepting(_ port: UInt16, of process: TestProcess, within limit: Duration = .seconds(20)) throws {
    try eventually(
        "\(process.name) to accept connections; it wrote:\n\(process.output)\(process.errors)",
        within: limit
    ) {
        if let exit = process.exit {
            throw TestFailure("\(process.name) ended at once (\(exit)):\n\(process.output)\(process.errors)")
        }
        return (try? Socket.connected(port: port, by: Deadline(.seconds(1)))) != nil
    }
}
