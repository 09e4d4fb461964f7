import Configuration
import Crypto
import Rules

/// A file system of a test's own.
struct MemoryFiles: FileReading {
    var texts: [String: String] = [:]
    var failures: [String: FileError] = [:]
    var readableByOthers: Set<String> = []
    var inMemory: Set<String> = []

    func contents(of path: String, limit: Int) throws(FileError) -> [UInt8] {
        if let failure = failures[path] { throw failure }
        guard let text = texts[path] else { throw .missing }
        guard text.utf8.count <= limit else { throw .tooLarge(limit: limit) }
        return Array(text.utf8)
    }

    func names(in folder: String) throws(FileError) -> [String] {
        let prefix = folder.isEmpty ? "" : folder + "/"
        let names = texts.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        guard !names.isEmpty else { throw .missing }
        return names.filter { !$0.contains("/") }
    }

    func isReadableByOthers(_ path: String) -> Bool { readableByOthers.contains(path) }

    func isInMemory(_ path: String) -> Bool { inMemory.contains(path) }
}

extension EnvironmentSecrets {
    /// An environment with these variables and nothing else but HOME.
    static func fixed(_ variables: [String: String] = [:]) -> EnvironmentSecrets {
        let all = variables.merging(["HOME": "/home/test"]) { own, _ in own }
        return EnvironmentSecrets(look: { all[$0] }, take: { all[$0].map { Secret($0) } })
    }
}

/// Reads a text as `/etc/countersign.yaml`, with whatever other files there are, on a machine with a user alice and a group
/// staff.
func load(
    _ text: String,
    files: [String: String] = [:],
    environment: [String: String] = [:],
    readsSecrets: Bool = true,
    change: (inout MemoryFiles) -> Void = { _ in }
) -> LoadResult {
    var memory = MemoryFiles(texts: files.merging(["/etc/countersign.yaml": text]) { own, _ in own })
    change(&memory)
    return RuleFile.load(
        path: "/etc/countersign.yaml",
        environment: .fixed(environment),
        readsSecrets: readsSecrets,
        files: memory,
        accounts: Accounts(user: { $0 == "alice" ? 1000 : nil }, group: { $0 == "staff" ? 50 : nil }),
        now: 1_798_761_600  // 2027-01-01
    )
}

/// What is said of a text: `line:column message`, warnings with their word.
func said(
    _ text: String,
    files: [String: String] = [:],
    environment: [String: String] = [:],
    readsSecrets: Bool = true,
    change: (inout MemoryFiles) -> Void = { _ in }
) -> [String] {
    load(text, files: files, environment: environment, readsSecrets: readsSecrets, change: change).diagnostics.map {
        "\($0.line):\($0.column) \($0.severity == .warning ? "warning: " : "")\($0.message)"
    }
}

/// A rule file with a credential `staff` and one rule, into which a test puts its own line.
func withRule(_ rule: String, credential: String = "{ username: alice, password: { file: /run/pw } }") -> String {
    """
    version: 1
    credentials:
      staff: \(credential)
    rules:
      - \(rule)
    """
}
