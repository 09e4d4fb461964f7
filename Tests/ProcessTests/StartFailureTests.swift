import Glibc
import Support
import Testing

/// What keeps a proxy from starting: each is one line with the reason, and an exit code.
@Suite struct StartFailureTests {
    /// Without a right to what others own, also where the tests run as root.
    private static func run(_ folder: ScratchFolder, _ rules: String) throws -> (status: Int32, errors: String) {
        try folder.write("version: 1\n" + rules, to: "rules.yaml")
        return try start(["run", "--config", "rules.yaml"], folder)
    }

    private static func start(_ arguments: [String], _ folder: ScratchFolder) throws -> (status: Int32, errors: String)
    {
        var words = [try Binary.path()] + arguments
        if getuid() == 0 { words = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] + words }
        let process = try TestProcess(words[0], Array(words.dropFirst()), workingFolder: folder.path)
        guard case .status(let status) = try process.waitForExit() else {
            throw TestFailure("ended by a signal:\n\(process.errors)")
        }
        return (status, process.errors)
    }

    private static func listener(_ address: String) -> String {
        "listeners: [{ address: '\(address)' }]\n"
    }

    @Test("O-10 a listener that can't be had ends the start with 1 and one line that says which and why")
    func listeners() throws {
        let folder = try ScratchFolder("start")
        let busy = try ScriptedPeer { _ in [] }
        var rows = [
            ("127.0.0.1:\(busy.port)", "127.0.0.1:\(busy.port): Address already in use"),
            ("192.0.2.77:8080", "192.0.2.77:8080: Cannot assign requested address"),
            ("unix:missing/socket", "missing/socket: No such file or directory"),
            ("unix:rules.yaml", "rules.yaml: Address already in use"),
            ("systemd:none", "systemd:none: no listening stream socket was passed on"),
        ]
        if getuid() == 0 {
            // Owned by somebody else, since root's own would be root's to write.
            try folder.folder("others")
            #expect(unsafe chown(folder("others"), 12_345, 12_345) == 0)
            unsafe chmod(folder("others"), 0o755)
            rows.append(("unix:others/socket", "others/socket: Permission denied"))
        }
        let lowest = String(
            decoding: contents(of: "/proc/sys/net/ipv4/ip_unprivileged_port_start") ?? [],
            as: UTF8.self
        )
        if (Int(lowest.filter(\.isNumber)) ?? 0) > 87 {
            rows.append(("127.0.0.1:87", "127.0.0.1:87: Permission denied"))
        }
        for (address, reason) in rows {
            let outcome = try Self.run(folder, Self.listener(address))
            #expect(outcome.status == 1, "\(address): \(outcome.errors)")
            // Before it stand the warnings that the rules themselves deserve.
            let last = outcome.errors.split(separator: "\n").last ?? ""
            #expect(last.hasPrefix("countersign: can't listen on ") && last.contains(reason), "\(outcome.errors)")
        }
        let long = try Self.run(folder, Self.listener("unix:" + String(repeating: "x", count: 120)))
        #expect(long.status == 1)
        #expect(long.errors.hasPrefix("rules.yaml:2:24: the path of a socket has at most 107 bytes"), "\(long.errors)")
    }

    @Test("O-10 a rule file that can't be read ends the start with 2 and one line that says why") func ruleFile() throws
    {
        let folder = try ScratchFolder("start")
        try folder.write("version: 1\n", to: "shut.yaml", mode: 0)
        if getuid() == 0 { #expect(unsafe chown(folder("shut.yaml"), 12_345, 12_345) == 0) }
        for (path, reason) in [
            ("none.yaml", "there is no such file"), ("shut.yaml", "the right to read it is missing"),
            (".", "it isn't a file"), ("none/rules.yaml", "there is no such file"), ("/dev/null", "it isn't a file"),
        ] {
            let outcome = try Self.start(["run", "--config", path], folder)
            #expect(outcome.status == 2, "\(path): \(outcome.errors)")
            #expect(outcome.errors == "\(path): the rule file can't be read: \(reason)\n")
        }
    }

    @Test("O-10 a secret's file that can't be read ends the start with 1, at its place in the rule file")
    func secret() throws {
        let folder = try ScratchFolder("start")
        try folder.write("secret", to: "shut", mode: 0)
        if getuid() == 0 { #expect(unsafe chown(folder("shut"), 12_345, 12_345) == 0) }
        for (path, reason) in [
            ("none", "no such file"), ("shut", "the right to read it is missing"), (".", "isn't a file"),
        ] {
            let rules = "credentials: { key: { header: { X-Key: { file: \(path) } } } }\n"
            let outcome = try Self.run(folder, rules + "rules: [{ space: { host: a.test }, use: key }]\n")
            #expect(outcome.status == 1, "\(path): \(outcome.errors)")
            #expect(outcome.errors.hasPrefix("rules.yaml:2:") && outcome.errors.contains(reason), "\(outcome.errors)")
        }
    }

    @Test("O-10 a folder for the state that can't be made is told in one line, and the ledger is in memory")
    func state() throws {
        let folder = try ScratchFolder("start")
        try folder.write("", to: "file")
        let rules = "state: file/state\nlisteners: [{ address: '127.0.0.1:\(try FreePort.reserve())' }]\n"
        try folder.write("version: 1\n" + rules, to: "rules.yaml")
        let process = try Binary.start(["run", "--config", "rules.yaml"], workingFolder: folder.path)
        try eventually("the proxy to listen:\n\(process.errors)") { process.output.contains("listening on") }
        #expect(process.output.split(separator: "\n").contains { $0.contains("memory") && $0.contains("file/state") })
        process.send(signal: SIGTERM)
        #expect(try process.waitForExit() == .status(0))
    }
}
