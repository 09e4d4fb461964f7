import Support
import Testing

/// `countersign exec`: programs that never heard of a proxy, an authority or a password.
@Suite struct ExecTests {
    @Test("O-7 exec has a program get what a 401 guards behind TLS", arguments: UntoldClient.allCases)
    func clients(_ client: UntoldClient) throws {
        let server = try Nginx(ExecRig.leaf())
        let rig = try ExecRig(server.port)
        let url = "https://\(ExecRig.host):\(server.port)/basic/"
        let outcome = try rig.run(client.command(url, rig.folder))
        #expect(outcome.status == 0 && outcome.output == "nginx basic\n", "\(outcome.errors)")
        #expect(try server.log.wait(for: 2).map(\.status) == [401, 200])
    }

    @Test("O-7 exec has git clone what Digest guards behind TLS")
    func git() throws {
        let served = try ScratchFolder("git")
        let server = try Apache(
            ExecRig.leaf(),
            clients: ExecRig.authority.get(),
            repositories: served.folder("served")
        )
        let rig = try ExecRig(server.port)
        let script = """
            set -e
            git init -q --bare --shared=0666 \(served("served/it.git"))
            chmod -R a+rwX \(served("served"))
            git clone -q https://\(ExecRig.host):\(server.port)/digest/git/it.git copy
            git -C copy rev-parse --is-inside-work-tree
            """
        let outcome = try rig.shell(script)
        #expect(outcome.status == 0 && outcome.output == "true\n", "\(outcome.errors)")
        #expect(server.log.entries.contains { $0.status == 401 })
    }

    @Test(
        "O-7 exec ends as its program does",
        arguments: [
            ("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143), ("exec /nowhere/at/all", 127),
        ]
    )
    func status(_ script: String, _ status: Int32) throws {
        #expect(try ExecRig(443).shell(script).status == status)
    }

    @Test(
        "O-7 exec says 127 of a program that isn't there, 126 of one that can't be run, and nothing on standard output"
    )
    func notRunnable() throws {
        let rig = try ExecRig(443)
        let text = try rig.folder.write("no program", to: "text")
        for (program, status) in [("/nowhere/at/all", 127), ("no-such-program-anywhere", 127), (text, 126)] {
            let outcome = try rig.run([program])
            #expect(outcome.status == Int32(status) && outcome.output.isEmpty)
            #expect(outcome.errors.hasPrefix("countersign: can't run \(program): "))
        }
    }

    @Test("O-7 exec starts nothing under a rule file that is wrong or can't be read")
    func wrongRules() throws {
        let rig = try ExecRig(443, more: "nonsense: 1\n")
        let outcome = try rig.shell("echo started")
        #expect(outcome.status == 1 && outcome.output.isEmpty && outcome.errors.contains("rules.yaml:7:"))
        let missing = try Binary.run(["exec", "-c", rig.folder("missing"), "--", "echo", "started"])
        #expect(missing.status == 2 && missing.output.isEmpty)
    }

    @Test("O-7 exec passes a signal on to its program", arguments: [("INT", Int32(2)), ("TERM", 15), ("HUP", 1)])
    func signals(_ name: String, _ number: Int32) throws {
        let rig = try ExecRig(443)
        let program = "trap 'echo got it; exit 3' \(name); echo ready; while :; do sleep 0.1; done"
        let process = try rig.start(["sh", "-c", program])
        try eventually("the program to be ready: \(process.errors)") { process.output.contains("ready") }
        process.send(signal: number)
        #expect(try process.waitForExit() == .status(3))
        #expect(process.output == "ready\ngot it\n")
    }

    @Test("O-7 a key at the terminal reaches exec's program once, and exec outlives it")
    func terminal() throws {
        let rig = try ExecRig(443)
        let script = """
            import os, pty, sys, time
            pid, terminal = pty.fork()
            if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
            said = b""
            def read(until):
                global said
                while until not in said: said += os.read(terminal, 4096)
            read(b"ready")
            os.write(terminal, b"\\x03")
            read(b"interrupted")
            os.write(terminal, b"\\x1c")
            read(b"quit")
            time.sleep(0.5)
            os.write(terminal, b"end\\n")
            read(b"over")
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            print(status, said.count(b"interrupted"), said.count(b"quit"), said.count(b"terminal"))
            """
        let program = "trap 'echo interrupted' INT; trap 'echo quit' QUIT; [ -t 0 ] && echo terminal; echo ready; "
        let wait = "while ! read line; do :; done; echo over; exit 5"
        let arguments = [try Binary.path(), "exec", "-c", rig.rules, "--", "sh", "-c", program + wait]
        let python = try TestProcess(HTTPBin.python(), ["-c", script] + arguments, environment: rig.environment)
        #expect(try python.waitForExit() == .status(0), "\(python.errors)")
        #expect(python.output == "5 1 1 1\n")
    }

    @Test("O-7 who was given no password gets no more than a 407 of exec's proxy, and who was needn't send it")
    func password() throws {
        let server = try Nginx(ExecRig.leaf())
        let rig = try ExecRig(server.port)
        let url = "https://\(ExecRig.host):\(server.port)/basic/"
        let script = """
            address=${http_proxy#*@}
            say() { "$@" -sk -o /dev/null -w '%{http_connect} ' --max-time 20 \(url); }
            say curl -x "http://$address"
            say env -i PATH="$PATH" curl -x "http://$address"
            say env -i PATH="$PATH" curl -x "http://exec:wrong@$address"
            say env -i PATH="$PATH" curl -x "$http_proxy"
            if [ "$(id -u)" = 0 ]; then
                say env -i PATH="$PATH" setpriv --reuid=65534 --clear-groups curl -x "http://$address"
            fi
            """
        let answers = try rig.shell(script).output.split(separator: " ")
        #expect(answers.prefix(4) == ["200", "407", "407", "200"])
        #expect(answers.dropFirst(4).allSatisfy { $0 == "407" })
    }

    @Test(
        "O-7 exec's password stands in no argument and no log, and its rule file's secret not in the program's environment"
    )
    func told() throws {
        let server = try Nginx(ExecRig.leaf())
        let rig = try ExecRig(server.port, more: "log: { level: debug, query: true }\n")
        let script = """
            password=${http_proxy#*exec:}; password=${password%@*}
            [ ${#password} = 32 ] || echo "short: $http_proxy"
            curl -sS -o /dev/null https://\(ExecRig.host):\(server.port)/basic/?$password || echo failed
            curl -sS -o /dev/null -x http://exec:x$password@${http_proxy#*@} http://\(ExecRig.host)/
            tr '\\0' ' ' </proc/$PPID/cmdline | grep -c $password
            tr '\\0' '\\n' 2>/dev/null </proc/$PPID/environ | grep -c $password
            echo "$EXEC_SECRET"
            echo $password >password
            """
        let outcome = try rig.shell(script, options: ["--log", rig.folder("log")])
        #expect(outcome.output == "0\n0\n\n" && outcome.errors.isEmpty)
        let password = rig.folder.text(of: "password").filter { $0 != "\n" }
        let lines = rig.folder.text(of: "log").split(separator: "\n")
        #expect(lines.count >= 2 && password.count == 32)
        // The one line that has it says what the program itself asked for.
        #expect(lines.filter { $0.contains(password) }.allSatisfy { $0.contains("/basic/?\(password)") })
    }

    @Test("O-7 exec's program finds variables, signals and open files as if it had been started by itself")
    func surroundings() throws {
        let rig = try ExecRig(443)
        let look =
            "grep -E '^Sig(Blk|Ign)' /proc/self/status; echo \"${KRB5_CONFIG-none}\"; echo through >&5; ulimit -n; ulimit -c"
        let plain = try TestProcess("sh", ["-c", "trap '' HUP; exec 5>&1; \(look)"])
        #expect(try plain.waitForExit() == .status(0))
        let script = "trap '' HUP; exec 5>&1; \"$0\" exec -c \(rig.rules) -- sh -c \"$1\""
        let wrapped = try TestProcess("sh", ["-c", script, Binary.path(), look], environment: rig.environment)
        #expect(try wrapped.waitForExit() == .status(0), "\(wrapped.errors)")
        #expect(wrapped.output == plain.output)
    }

    @Test(
        "O-7 what exec's program trusted before it trusts still",
        arguments: [UntoldClient.curl, .requests, .javaClient]
    )
    func trust(_ client: UntoldClient) throws {
        let authority = try TestAuthority("What the user trusts")
        let server = try Nginx(authority.leaf("plain", names: "DNS:plain.test"))
        let rig = try ExecRig(443)
        let command = try client.command("https://plain.test:\(server.port)/open/", rig.folder)
        let outcome = try rig.run(command, ["SSL_CERT_FILE": authority.certificate])
        #expect(outcome.status == 0 && outcome.output == "nginx open\n", "\(outcome.errors)")
        let other = try rig.run(command, ["SSL_CERT_FILE": ExecRig.authority.get().certificate])
        #expect(other.status != 0 && !other.output.contains("nginx"))
    }

    @Test("O-7 exec leaves no file behind, and what it lays down is for its user alone")
    func files() throws {
        let rig = try ExecRig(443)
        try rig.folder.write("user = theirs\n", to: ".wgetrc")
        let script = "stat -c %a \"${SSL_CERT_FILE%/*}\" \"$SSL_CERT_FILE\" \"$WGETRC\"; cat \"$WGETRC\""
        let outcome = try rig.shell(script, ["HOME": rig.folder.path])
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.prefix(4) == ["700", "644", "600", "user = theirs"])
        #expect(lines.last?.hasPrefix("ca_certificate = \(rig.folder("temporary"))/countersign-exec-") == true)
        #expect(try rig.shell("ls \(rig.folder("temporary")) | wc -l").output == "1\n")
        let left = try TestProcess("ls", [rig.folder("temporary")])
        #expect(try left.waitForExit() == .status(0) && left.output.isEmpty)
    }

    @Test("O-7 exec's authority may issue for the hosts of its rules alone, and opens none that are left out")
    func authority() throws {
        let server = try Nginx(ExecRig.leaf())
        let script = """
            openssl x509 -noout -ext nameConstraints -in "$1" | tr -d ' \\n'
            """
        let rig = try ExecRig(server.port)
        let outcome = try rig.shell(
            "awk '/BEGIN/ { text = \"\" } { text = text $0 \"\\n\" } END { printf \"%s\", text }' $SSL_CERT_FILE >last.pem; "
                + "set -- last.pem; " + script
        )
        #expect(outcome.output.contains("DNS:\(ExecRig.host)") && !outcome.output.contains("DNS:.test"))
        let left = try ExecRig(server.port, more: "interception: { except: [\(ExecRig.host)] }\n")
        let status = "curl -sk -o /dev/null -w '%{http_code}' https://\(ExecRig.host):\(server.port)/basic/"
        #expect(try rig.shell(status).output == "200")
        #expect(try left.shell(status).output == "401")
    }
}
