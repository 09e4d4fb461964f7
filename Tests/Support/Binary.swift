internal import Glibc

/// The built `countersign` beside the test bundle.
package enum Binary {
    /// What a command gave.
    package struct Outcome: Sendable {
        package let status: Int32
        package let output: String
        package let errors: String
    }

    /// Its path; `COUNTERSIGN_BINARY` names another.
    package static func path() throws -> String {
        if let other = unsafe getenv("COUNTERSIGN_BINARY") { return unsafe String(cString: other) }
        var target = [UInt8](repeating: 0, count: 4096)
        let count = unsafe target.withUnsafeMutableBytes {
            unsafe readlink("/proc/self/exe", $0.baseAddress!, $0.count)
        }
        let bundle = String(decoding: target.prefix(max(0, count)), as: UTF8.self)
        let folder = bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let path = "\(folder)/countersign"
        guard unsafe access(path, X_OK) == 0 else { throw TestFailure("there is no \(path); build the package first") }
        return path
    }

    /// Starts it and leaves it running.
    package static func start(
        _ arguments: [String],
        environment: [String: String] = [:],
        workingFolder: String? = nil
    ) throws -> TestProcess {
        try TestProcess(path(), arguments, environment: environment, workingFolder: workingFolder)
    }

    /// Runs it to its end, which a signal may not be.
    package static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        workingFolder: String? = nil,
        input: String = "",
        within limit: Duration = .seconds(30)
    ) throws -> Outcome {
        let process = try TestProcess(
            path(),
            arguments,
            environment: environment,
            workingFolder: workingFolder,
            input: input
        )
        guard case .status(let status) = try process.waitForExit(within: limit) else {
            throw TestFailure("countersign \(arguments) was ended by a signal:\n\(process.errors)")
        }
        return Outcome(status: status, output: process.output, errors: process.errors)
    }
}
