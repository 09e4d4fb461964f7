import Foundation
import Support
import Testing

/// What the README makes of other proxies' configurations works as these do, against the same parents.
@Suite struct TranslationTests {
    private let origin: ScriptedPeer

    init() throws { origin = try ScriptedPeer { _ in [.response(body: "origin")] } }

    /// The README's section about other proxies.
    private func section() throws -> String {
        let readme = try String(contentsOfFile: "\(Fixture.root)/README.md", encoding: .utf8)
        let rest = try #require(readme.components(separatedBy: "## From cntlm, px and squid\n").dropFirst().first)
        return try #require(rest.components(separatedBy: "\n## ").first)
    }

    /// The fenced block that has this in it.
    private func block(with words: String) throws -> String {
        let parts = try section().components(separatedBy: "```")
        let block = try #require(parts.enumerated().first { $0.offset % 2 == 1 && $0.element.contains(words) }?.element)
        return block.components(separatedBy: "\n").dropFirst().joined(separator: "\n")
    }

    /// The lines of squid.conf, which stand indented.
    private func squidLines() throws -> String {
        try section().components(separatedBy: "\n").filter { $0.hasPrefix("    ") && !$0.contains("```") }
            .map { String($0.dropFirst(4)) }.filter { !$0.hasPrefix(" ") && !$0.hasPrefix("-") }.joined(separator: "\n")
    }

    /// The example with its parents and listeners put where those of the test are.
    private func placed(_ text: String, parent: UInt16, _ ports: [String: String] = [:]) -> String {
        var text = text.replacingOccurrences(of: "parent 8080", with: "parent \(parent)")
        for name in ["proxy1", "proxy2", "proxy"] {
            text = text.replacingOccurrences(of: "\(name).corp.example:8080", with: "127.0.0.1:\(parent)")
            text = text.replacingOccurrences(of: "cache_peer \(name).corp.example", with: "cache_peer 127.0.0.1")
        }
        for (old, new) in ports { text = text.replacingOccurrences(of: old, with: new) }
        return text.replacingOccurrences(of: "secrets/", with: "")
            .replacingOccurrences(of: "version: 1\n", with: "version: 1\nstate: state\n")
    }

    /// What curl gets of an origin that only the parent can reach.
    private func get(through port: UInt16, socks: Bool = false) throws -> String {
        let way = socks ? "--socks5-hostname" : "-x"
        let url = "http://intern.test:\(origin.port)/"
        let curl = try TestProcess("curl", ["-s", "--max-time", "20", way, "127.0.0.1:\(port)", url])
        _ = try curl.waitForExit()
        return curl.output
    }

    @Test("R-1 the README's translation of a cntlm.ini works against the parent that cntlm works against")
    func cntlm() throws {
        let parent = try Acceptor(["NTLM"]) {
            $0.users = ["alice": "secret"]
            $0.proxy = true
        }
        let folder = try ScratchFolder("cntlm")
        let ports = try (0..<3).map { _ in try FreePort.reserve() }
        let others = ["1080": "\(ports[1])", "2222": "\(ports[2])"]
        let ini = placed(
            try block(with: "SOCKS5Proxy"),
            parent: parent.port,
            others.merging(["3128": "\(ports[0])"]) { $1 }
        )
        let cntlm = try TestProcess("cntlm", ["-f", "-c", folder.write(ini, to: "cntlm.ini", mode: 0o600)])
        try eventually("what cntlm gets:\n\(parent.legs.prefix(3))") { try get(through: ports[0]) == "origin" }
        #expect(try get(through: ports[1], socks: true) == "origin")
        cntlm.stop()
        let rules = placed(
            try block(with: "mode: tunnel"),
            parent: parent.port,
            others.merging(["3128": "$PORT"]) { $1 }
        )
        let proxy = try RunningProxy(rules, workers: 1, files: ["alice": "secret"])
        #expect(try get(through: proxy.port) == "origin")
        #expect(try get(through: ports[1], socks: true) == "origin")
    }

    @Test("R-1 the README's translation of a px.ini works against the parent that px works against")
    func px() throws {
        let parent = try Acceptor(["NTLM"]) {
            $0.users = ["alice": "open sesame"]
            $0.proxy = true
        }
        let folder = try ScratchFolder("px")
        let port = try FreePort.reserve()
        let ini = placed(try block(with: "[proxy]"), parent: parent.port, ["3128": "\(port)"])
        let px = try TestProcess(
            "\(Fixture.root)/.build/venv/bin/px",
            ["--config=\(folder.write(ini, to: "px.ini", mode: 0o600))"],
            environment: ["PX_PASSWORD": "open sesame", "HOME": folder("")]
        )
        try eventually("what px gets:\n\(px.errors)", within: .seconds(30)) { try get(through: port) == "origin" }
        px.stop()
        let rules = placed(try block(with: "secret-tool"), parent: parent.port, ["3128": "$PORT"])
        let tool = "#!/bin/sh\n[ \"$*\" = 'lookup service Px username CORP\\alice' ] && printf 'open sesame\\n'\n"
        _ = try folder.write(tool, to: "secret-tool", mode: 0o755)
        let proxy = try RunningProxy(rules, workers: 1, environment: ["PATH": "\(folder("")):/usr/bin:/bin"])
        #expect(try get(through: proxy.port) == "origin")
    }

    @Test("R-1 the README's translation of a cache_peer works against the parent that squid works against")
    func squid() throws {
        let parent = try Acceptor(["Basic"]) {
            $0.users = ["alice": "secret"]
            $0.proxy = true
        }
        let squid = try Squid(asking: placed(squidLines(), parent: parent.port))
        try eventually("what squid gets") { try get(through: squid.port) == "origin" }
        let rules = placed(try block(with: "preempt: always"), parent: parent.port)
            .replacingOccurrences(
                of: "state: state\n",
                with: "state: state\nlisteners: [{ address: \"127.0.0.1:$PORT\" }]\n"
            )
        let proxy = try RunningProxy(rules, workers: 1, files: ["alice": "secret"])
        #expect(try get(through: proxy.port) == "origin")
        // Like squid's, the login goes before anybody asks.
        #expect(parent.legs.filter { $0.scheme.isEmpty && !$0.target.contains("squid-internal") }.isEmpty)
    }
}
