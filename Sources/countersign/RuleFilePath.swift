internal import Configuration
internal import Glibc
internal import Rules

/// The rule file that a command works with.
enum RuleFilePath {
    static let nearby = "./countersign.yaml"
    static let ofSystem = "/etc/countersign/countersign.yaml"

    /// Why there is no configuration; the user has been told.
    struct Failure: Error {
        let exitCode: Int32
    }

    /// The file of a command without `--config`.
    static func usual(exists: (String) -> Bool = { unsafe access($0, F_OK) == 0 }) -> String {
        exists(nearby) ? nearby : ofSystem
    }

    /// Reads the file, or the usual one, and tells `problem` what is wrong with it.
    static func load(
        _ config: String?,
        readsSecrets: Bool,
        problem: (String) -> Void
    ) -> Result<ServerConfiguration, Failure> {
        let path = config ?? usual()
        let result = RuleFile.load(path: path, environment: EnvironmentSecrets(), readsSecrets: readsSecrets)
        if let configuration = result.configuration { return .success(configuration) }
        for diagnostic in result.diagnostics { problem(diagnostic.rendered) }
        return .failure(Failure(exitCode: result.isUnreadable ? 2 : 1))
    }
}
