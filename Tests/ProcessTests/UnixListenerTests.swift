import Support
import Testing

/// Sockets that aren't ports of the proxy's own: in the file system, or passed on by who started it.
@Suite struct UnixListenerTests {
    /// Rules with a unix socket `p.sock` beside them, and the port that RunningProxy waits for.
    private func rules(_ rest: String = "", _ more: String = "") -> String {
        """
        version: 1
        state: state
        listeners:
          - { address: "127.0.0.1:$PORT" }
          - { address: "unix:p.sock"\(rest) }

        """ + more
    }

    /// What curl gets for an absolute target, by the socket at `path`.
    private func get(_ url: String, by path: String, user: String? = nil) throws -> (status: Int, body: String) {
        let arguments = [
            "curl", "--silent", "--max-time", "20", "--unix-socket", path, "--request-target", url, "--write-out",
            "\n%{http_code}", "http://localhost/",
        ]
        let curl =
            if let user {
                try TestProcess("setpriv", ["--reuid", user, "--regid", user, "--clear-groups"] + arguments)
            } else {
                try TestProcess("curl", Array(arguments.dropFirst()))
            }
        _ = try curl.waitForExit()
        let lines = curl.output.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }

    @Test("R-8 a unix socket serves its clients, on all loops, has its permissions, and is gone at the end")
    func serves() throws {
        let origin = try ScriptedPeer { request in [.response(body: request.target)] }
        let proxy = try RunningProxy(rules(", mode_bits: \"0660\""), workers: 2)
        let path = proxy.folder("p.sock")
        // Before it listens nobody can connect, whatever its permissions are.
        try eventually("the socket's permissions") { mode(of: path).map { $0 & 0o777 } == 0o660 }
        try eventually("both loops", within: .seconds(10)) { switches(of: proxy).count == 2 }
        let before = switches(of: proxy)
        for number in 0..<40 {
            let response = try get("http://127.0.0.1:\(origin.port)/\(number)", by: path)
            #expect(response.status == 200 && response.body == "/\(number)", "\(proxy.log)")
        }
        let after = switches(of: proxy)
        #expect(after.count == 2)
        // Half of the connections each; another connection wakes a loop more than once.
        for (name, count) in after { #expect(count - (before[name] ?? 0) >= 20, "\(name)") }
        #expect(proxy.log.contains("client=unix"))
        proxy.stop()
        #expect(mode(of: path) == nil)
    }

    /// How often each worker's thread has waited for something.
    private func switches(of proxy: RunningProxy) -> [String: Int] {
        let folder = "/proc/\(proxy.process.pid)/task"
        var counts: [String: Int] = [:]
        for thread in names(in: folder) {
            let status = String(decoding: contents(of: "\(folder)/\(thread)/status") ?? [], as: UTF8.self)
            var values: [Substring: Substring] = [:]
            for line in status.split(separator: "\n") {
                let parts = line.split(separator: "\t")
                if parts.count == 2 { values[parts[0]] = parts[1] }
            }
            guard let name = values["Name:"], name.hasPrefix("worker") else { continue }
            counts[String(name)] = values["voluntary_ctxt_switches:"].flatMap { Int($0) }
        }
        return counts
    }

    @Test("R-8 a second instance at the same unix socket fails clearly, and a dead one's file is replaced")
    func secondInstance() throws {
        let proxy = try RunningProxy(rules())
        let second = try Binary.run(["run", "--config", proxy.folder("countersign.yaml")])
        #expect(second.status == 1)
        try proxy.folder.write(
            "version: 1\nstate: state2\nlisteners: [{ address: \"unix:p.sock\" }]\n",
            to: "second.yaml",
            mode: 0o600
        )
        let other = try Binary.run(["run", "--config", proxy.folder("second.yaml")])
        #expect(other.status == 1 && other.errors.contains("p.sock: Address already in use"), "\(other.errors)")
        proxy.process.send(signal: 9)
        _ = try proxy.process.waitForExit()
        let path = proxy.folder("p.sock")
        #expect(mode(of: path) != nil)
        let again = try RunningProxy(rules(), folder: proxy.folder)
        let origin = try ScriptedPeer { _ in [.response(body: "again")] }
        #expect(try get("http://127.0.0.1:\(origin.port)/", by: path).body == "again", "\(again.log)")
    }

    @Test("the user and group at the other end of a unix socket decide who gets a credential", .enabled(if: isRoot))
    func peers() throws {
        let origin = try Demand(scheme: "Basic", status: 401).takingPeer()
        let proxy = try RunningProxy(
            rules(
                ", mode_bits: \"0666\"",
                """
                credentials: { staff: { username: user, password: { value: right } } }
                rules:
                  - { space: { host: 127.0.0.1, port: \(origin.port) }, use: staff, clients: ["uid:33", "gid:65534"] }

                """
            ),
            workers: 1
        )
        let (url, path) = ("http://127.0.0.1:\(origin.port)/", proxy.folder("p.sock"))
        #expect(try get(url, by: path, user: "33").status == 200)
        #expect(try get(url, by: path, user: "65534").status == 200)
        #expect(try get(url, by: path, user: "7").status == 401)
        #expect(try get(url, by: path).status == 401)
    }

    /// Starts the proxy as systemd does, with sockets of these names, and gives their ports.
    private func inherited(_ names: [String], _ rules: String) throws -> (TestProcess, [UInt16], ScratchFolder) {
        let folder = try ScratchFolder("systemd")
        try folder.write(rules, to: "countersign.yaml", mode: 0o600)
        let ports = try names.map { _ in try FreePort.reserve() }
        let starter = """
            import os, socket, sys
            names, ports, command = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
            made = []
            for port in ports:
                s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                s.bind(("127.0.0.1", int(port))); s.listen(); made.append(s)
            # Out of the way first, since they may stand where others have to go.
            kept = [os.dup2(s.fileno(), 100 + i) for i, s in enumerate(made)]
            for i, fd in enumerate(kept): os.dup2(fd, 3 + i); os.close(fd)
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(ports)), LISTEN_FDNAMES=names)
            os.execv(command[0], command)
            """
        let process = try TestProcess(
            HTTPBin.python(),
            [
                "-c", starter, names.joined(separator: ":"), ports.map(String.init).joined(separator: ","),
                try Binary.path(), "run", "--config", folder("countersign.yaml"), "--workers", "2",
            ]
        )
        return (process, ports, folder)
    }

    @Test("R-8 sockets that systemd passes on are served, several of one name too, and no child is told of them")
    func systemd() throws {
        let origin = try ScriptedPeer { request in
            request["Authorization"] == nil
                ? [.unauthorized("Basic realm=\"r\"")] : [.response(body: request["Authorization"] ?? "")]
        }
        let (process, ports, folder) = try inherited(
            ["web", "web", "other"],
            """
            version: 1
            state: state
            listeners: [{ address: "systemd:web", name: web }]
            credentials:
              staff: { username: user, password: { exec: [sh, -c, "printf %s ${LISTEN_FDS:-none}${LISTEN_PID:-none}"] } }
            rules: [{ space: { host: 127.0.0.1, port: \(origin.port) }, use: staff, clients: ["listener:web"] }]

            """
        )
        try eventually("the proxy to listen: \(process.errors)", within: .seconds(10)) {
            (process.output + process.errors).contains("listening on systemd:web")
        }
        for port in ports.prefix(2) {
            let outcome = try Client.curl.get("http://127.0.0.1:\(origin.port)/", proxy: port)
            // user:nonenone
            #expect(outcome.status == 200 && outcome.body == "Basic dXNlcjpub25lbm9uZQ==", "\(process.errors)")
        }
        let logged = process.output + process.errors
        #expect(logged.contains("a socket named other was passed on"), "\(logged)")
        withExtendedLifetime(folder) {}
    }

    @Test("R-8 a socket that nobody passed on is told")
    func missing() throws {
        let (process, _, folder) = try inherited(
            ["web"],
            "version: 1\nstate: state\nlisteners: [{ address: \"systemd:wob\" }]\n"
        )
        #expect(try process.waitForExit() == .status(1))
        #expect(
            process.errors.contains("systemd:wob: no listening stream socket was passed on under that name"),
            "\(process.errors)"
        )
        withExtendedLifetime(folder) {}
    }

    @Test("C-1 another user of this machine doesn't get the connection", .enabled(if: isRoot))
    func otherUser() throws {
        let acceptor = try Acceptor(["NTLM"])
        let proxy = try RunningProxy(Bound.rules(), workers: 1)
        func connection(user: String) throws -> String {
            let curl = try TestProcess(
                "setpriv",
                ["--reuid", user, "--clear-groups", "curl", "-sS", "-D", "-", "-x", proxy.url, acceptor.url]
            )
            #expect(try curl.waitForExit() == .status(0), "\(curl.errors)")
            let line = curl.output.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix("x-conn") }
            return String(try #require(line))
        }
        let first = try connection(user: "65534")
        #expect(try connection(user: "33") != first)
        #expect(try connection(user: "65534") == first)
    }

    @Test("the user of the process at the other end of a loopback connection decides", .enabled(if: isRoot))
    func loopbackUser() throws {
        let origin = try ScriptedPeer { _ in [.response(body: "in")] }
        let proxy = try RunningProxy("access: { clients: [\"uid:33\"] }\n", workers: 1)
        func status(user: String) throws -> String {
            let curl = try TestProcess(
                "setpriv",
                [
                    "--reuid", user, "--clear-groups", "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-x",
                    proxy.url, "http://127.0.0.1:\(origin.port)/",
                ]
            )
            _ = try curl.waitForExit()
            return curl.output
        }
        #expect(try status(user: "33") == "200")
        #expect(try status(user: "65534") == "403")
        #expect(try status(user: "0") == "403")
    }
}
