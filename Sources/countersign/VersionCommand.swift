import Proxy

/// `countersign version`.
enum VersionCommand {
    /// Writes the version; returns the exit code.
    static func showVersion(out: (String) -> Void) -> Int32 {
        out("countersign \(Version.text)")
        return 0
    }
}
