import Glibc
import Support
import Testing

/// Which changes a running proxy notices by itself, and what follows them.
@Suite struct ReloadTests {
    /// A rule that has `value` come with each request.
    private static func key(_ value: String) -> String {
        """
        credentials: { key: { header: { X-Key: { value: \(value) } } } }
        rules: [{ space: { host: 127.0.0.1, port: any }, use: key }]

        """
    }

    private static let head = "version: 1\nstate: state\nlisteners: [{ address: \"127.0.0.1:$PORT\" }]\n"

    private func echoing() throws -> ScriptedPeer {
        try ScriptedPeer { [.response(body: $0["X-Key"] ?? "none")] }
    }

    private func expect(_ value: String, _ proxy: RunningProxy, _ origin: ScriptedPeer) throws {
        try eventually("\(value) to be in force:\n\(proxy.log)") { try proxy.get("\(origin.url)/").text == value }
    }

    @Test("O-1 the rule file is read again when it is written or another takes its place, and at SIGHUP")
    func ruleFile() throws {
        let origin = try echoing()
        let proxy = try RunningProxy(Self.head + Self.key("one"))
        try expect("one", proxy, origin)
        try proxy.rewrite(Self.head + Self.key("two"))
        try expect("two", proxy, origin)
        let whole = proxy.folder.text(of: "countersign.yaml")
        try proxy.folder.write(whole.replacing("two", with: "three"), to: "countersign.yaml", mode: 0o600)
        try expect("three", proxy, origin)
        proxy.reload()
        try eventually("three reloads") { proxy.log.split(separator: "read again").count == 4 }
    }

    @Test("O-1 an included file is noticed as it comes, changes and goes") func included() throws {
        let origin = try echoing()
        let folder = try ScratchFolder("proxy")
        try folder.folder("rules.d")
        let proxy = try RunningProxy(Self.head + "include: [\"rules.d/*.yaml\"]\n", folder: folder)
        try expect("none", proxy, origin)
        try folder.write(Self.key("one"), to: "rules.d/key.yaml", mode: 0o600)
        try expect("one", proxy, origin)
        try folder.write(Self.key("two"), to: "rules.d/new", mode: 0o600)
        #expect(unsafe rename(folder("rules.d/new"), folder("rules.d/key.yaml")) == 0)
        try expect("two", proxy, origin)
        unsafe unlink(folder("rules.d/key.yaml"))
        try expect("none", proxy, origin)
    }

    @Test("O-1 a Kubernetes volume's swap is noticed, of the rule file as of a secret") func swapped() throws {
        let origin = try echoing()
        let folder = try ScratchFolder("proxy")
        for (name, value) in [("..1", "one"), ("..2", "two")] {
            try folder.folder("secrets")
            try folder.folder("secrets/\(name)")
            try folder.write(value, to: "secrets/\(name)/key", mode: 0o600)
        }
        #expect(unsafe symlink("..1", folder("secrets/..data")) == 0)
        #expect(unsafe symlink("..data/key", folder("secrets/key")) == 0)
        let rules = Self.head + Self.key("x").replacing("value: x", with: "file: secrets/key")
        let proxy = try RunningProxy(rules, folder: folder)
        try expect("one", proxy, origin)
        #expect(unsafe symlink("..2", folder("secrets/..data_tmp")) == 0)
        #expect(unsafe rename(folder("secrets/..data_tmp"), folder("secrets/..data")) == 0)
        try expect("two", proxy, origin)
    }

    @Test("O-1 a file with an error changes nothing, which the log says, and what mends it takes effect")
    func faulty() throws {
        let origin = try echoing()
        let proxy = try RunningProxy(Self.head + Self.key("one"))
        try expect("one", proxy, origin)
        try proxy.rewrite(Self.head + Self.key("two") + "nonsense: 1\n")
        try proxy.waitForLog("the rules in force go on")
        try expect("one", proxy, origin)
        unsafe unlink(proxy.folder("countersign.yaml"))
        try eventually("the loss to be told") { proxy.log.split(separator: "in force go on").count == 3 }
        try expect("one", proxy, origin)
        try proxy.rewrite(Self.head + Self.key("three"))
        try expect("three", proxy, origin)
    }

    @Test("O-3 'log' follows a reload: its format, its level, and whether exchanges and queries are told")
    func log() throws {
        let origin = try echoing()
        let proxy = try RunningProxy(Self.head)
        _ = try proxy.get("\(origin.url)/first?query")
        try proxy.waitForLog("/first status=200")
        try proxy.rewrite(Self.head + "log: { format: json, query: true }\n")
        try proxy.waitForLog("\"what\":\"the rules were read again\"")
        try eventually("JSON") {
            _ = try proxy.get("\(origin.url)/second?query")
            return proxy.log.contains("/second?query\",\"status\":200")
        }
        try proxy.rewrite(Self.head + "log: { access: false, level: error }\n")
        try eventually("no line to come any more") {
            let before = proxy.log
            _ = try proxy.get("\(origin.url)/third")
            pause(.milliseconds(200))
            return proxy.log == before
        }
        proxy.reload()
        pause(.milliseconds(500))
        #expect(!proxy.log.contains("/third") || proxy.log.split(separator: "read again").count <= 3)
        try proxy.rewrite(Self.head)
        try proxy.waitForLog("info proxy what=\"the rules were read again\"")
    }

    @Test("O-1 what takes a restart is told") func restart() throws {
        let proxy = try RunningProxy(Self.head)
        try proxy.rewrite(Self.head.replacing("state: state", with: "state: other") + "http: { via: other }\n")
        try proxy.waitForLog("the folder of 'state' has changed; that takes a restart")
        try proxy.waitForLog("'http.via' has changed; that takes a restart")
        #expect(!proxy.log.contains("the addresses of the listeners"))
    }
}
