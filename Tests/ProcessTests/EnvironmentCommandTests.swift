import Support
import Testing

/// `countersign env`: the variables for a proxy that runs.
@Suite struct EnvironmentCommandTests {
    static let own = Result { try TestAuthority() }

    /// A folder whose name means something to each shell.
    static let folderName = "a 'b\" $c \\ `d` #e"

    func rules(_ folder: ScratchFolder, listeners: String, more: String = "") throws -> String {
        let text = "version: 1\nstate: state\nlisteners: [\(listeners)]\n\(more)"
        return try folder.write(text, to: "rules.yaml", mode: 0o600)
    }

    func interception() throws -> String {
        let own = try Self.own.get()
        return "interception: { authority: { certificate: \(own.certificate), private_key: { file: \(own.key) } }, "
            + "hosts: [localhost] }\n"
    }

    func variables(_ arguments: [String], _ environment: [String: String] = [:]) throws -> [String: String] {
        let outcome = try Binary.run(["env", "--shell", "json"] + arguments, environment: environment)
        guard outcome.status == 0 else { throw TestFailure(outcome.errors) }
        let script = "import json, sys; [print(k, v, sep='=', end='\\0') for k, v in json.load(sys.stdin).items()]"
        let python = try TestProcess(HTTPBin.python(), ["-c", script], input: outcome.output)
        guard try python.waitForExit() == .status(0) else { throw TestFailure(python.errors) }
        let pairs = python.output.split(separator: "\0").map { entry in
            (String(entry.prefix { $0 != "=" }), String(entry.drop { $0 != "=" }.dropFirst()))
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    @Test("O-7 what env prints means the same to a shell as to a program", arguments: ["sh", "bash", "zsh", "fish"])
    func shells(_ shell: String) throws {
        let folder = try ScratchFolder("env")
        let file = try rules(folder, listeners: "{ address: \"127.0.0.1:3199\" }", more: interception())
        let arguments = ["-c", file, "--directory", folder(Self.folderName)]
        let expected = try variables(arguments)
        #expect(
            expected["https_proxy"] == "http://127.0.0.1:3199" && expected["WGETRC"]?.contains(Self.folderName) == true
        )
        let form = shell == "fish" ? "fish" : "sh"
        let text = try Binary.run(["env", "--shell", form] + arguments).output
        let script = try folder.write(text, to: "script")
        let command = shell == "fish" ? "source \(script); env -0" : ". \(script); env -0"
        let process = try TestProcess(shell, ["-c", command], environment: ["HOME": folder.path])
        #expect(try process.waitForExit() == .status(0), "\(process.errors)")
        let entries = process.output.split(separator: "\0")
        for (name, value) in expected { #expect(entries.contains("\(name)=\(value)"), "\(name)") }
    }

    @Test(
        "O-7 programs with env's variables get what a 401 guards behind TLS through the proxy that runs",
        arguments: UntoldClient.allCases
    )
    func clients(_ client: UntoldClient) throws {
        let servers = try TestAuthority()
        let server = try Nginx(servers.leaf("env", names: "DNS:localhost"))
        let rules = """
            \(try interception())trust: [{ host: localhost, anchors: { file: \(servers.certificate) } }]
            credentials: { staff: { username: \(Login.username), password: { file: secret } } }
            rules: [{ space: { host: localhost, port: \(server.port), protocol: https }, use: staff }]

            """
        let proxy = try RunningProxy(rules, files: ["secret": Login.password])
        let variables = try variables(["-c", proxy.folder("countersign.yaml")])
        #expect(variables["SSL_CERT_FILE"]?.hasPrefix(proxy.folder("state/")) == true)
        let command = try client.command("https://localhost:\(server.port)/basic/", proxy.folder)
        let process = try TestProcess(command[0], Array(command.dropFirst()), environment: variables)
        #expect(try process.waitForExit(within: .seconds(60)) == .status(0), "\(process.errors)")
        #expect(process.output == "nginx basic\n")
    }

    @Test("O-7 env tells plainly of listeners that no variable can name")
    func unnamed() throws {
        let folder = try ScratchFolder("env")
        for listener in [
            "{ address: \"unix:s.sock\" }", "{ address: \"127.0.0.1:3199\", mode: socks5 }", "{ address: systemd:web }",
        ] {
            let outcome = try Binary.run(["env", "-c", rules(folder, listeners: listener)])
            #expect(outcome.status == 1 && outcome.output.isEmpty)
            #expect(outcome.errors.contains("variables can only name a listener of mode forward at HOST:PORT"))
        }
        let two = "{ address: \"0.0.0.0:3198\" }, { address: \"[::]:3199\", name: six, require: { htpasswd: logins } }"
        let file = try rules(folder, listeners: two)
        try folder.write("", to: "logins")
        #expect(try variables(["-c", file])["HTTP_PROXY"] == "http://127.0.0.1:3198")
        #expect(try variables(["-c", file, "--listener", "six"])["HTTP_PROXY"] == "http://[::1]:3199")
        #expect(
            try Binary.run(["env", "-c", file, "--listener", "six"]).output.contains("# the listener asks for a login")
        )
        #expect(
            try Binary.run(["env", "-c", file, "--listener", "no"]).errors.contains("no listener has the name 'no'")
        )
    }

    @Test(
        "O-7 without an authority env leaves alone what programs trust, and loopback names go direct unless a rule is about them"
    )
    func plain() throws {
        let folder = try ScratchFolder("env")
        let listener = "{ address: \"127.0.0.1:3199\" }"
        let variables = try variables(["-c", rules(folder, listeners: listener)])
        #expect(variables["SSL_CERT_FILE"] == nil && variables["JAVA_TOOL_OPTIONS"]?.contains("trustStore") == false)
        #expect(variables["NO_PROXY"] == "localhost,127.0.0.1,::1")
        let more = """
            credentials: { c: { username: u, password: { value: p } } }
            rules: [{ space: { host: [127.0.0.0/8, localhost] }, use: c }]

            """
        let about = try self.variables(["-c", rules(folder, listeners: listener, more: more)])
        #expect(about["no_proxy"] == "::1")
        #expect(about["JAVA_TOOL_OPTIONS"]?.hasSuffix("-Dhttp.nonProxyHosts=") == true)
    }

    @Test("O-7 env's own variables in its environment are replaced, and others' Java options kept")
    func again() throws {
        let folder = try ScratchFolder("env")
        let file = try rules(folder, listeners: "{ address: \"127.0.0.1:3199\" }", more: interception())
        let first = try variables(["-c", file], ["JAVA_TOOL_OPTIONS": "-Xmx64m -Dname='a b' -Dhttp.proxyHost=old"])
        let java = try #require(first["JAVA_TOOL_OPTIONS"])
        #expect(java.hasPrefix("-Xmx64m -Dname='a b' -Dhttp.proxyHost=127.0.0.1 "))
        let second = try variables(["-c", file], first)
        #expect(second == first)
        // What was written the first time is no part of the system's anchors the second time.
        let script = "import sys; a, b = (open(p).read() for p in sys.argv[1:]); print(b.count(a.split('-----')[2]))"
        let count = try TestProcess(
            HTTPBin.python(),
            ["-c", script, Self.own.get().certificate, #require(first["SSL_CERT_FILE"])]
        )
        #expect(try count.waitForExit() == .status(0) && count.output == "1\n", "\(count.errors)")
    }
}
