/// `countersign version`.
enum VersionCommand {
    static let version = "0.1.0"

    /// Writes the version; returns the exit code.
    static func showVersion(out: (String) -> Void) -> Int32 {
        out("countersign \(version)")
        return 0
    }
}
