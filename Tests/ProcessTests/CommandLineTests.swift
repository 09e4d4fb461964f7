import Support
import Testing

/// The command line, from outside.
@Suite struct CommandLineTests {
    private static let commands = [
        "run", "exec", "env", "check", "explain", "doctor", "status", "credentials", "release", "ca", "pin", "demo",
        "completions", "version",
    ]

    @Test func `the overall help names every command and goes to standard output`() throws {
        for arguments in [["--help"], ["-h"], ["help"]] {
            let outcome = try Binary.run(arguments)
            #expect(outcome.status == 0)
            #expect(outcome.errors.isEmpty)
            for command in Self.commands { #expect(outcome.output.contains("\n  \(command) ")) }
        }
    }

    @Test(arguments: commands) func `each command has its help`(command: String) throws {
        let outcome = try Binary.run([command, "--help"])
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("Usage: countersign \(command)"))
        #expect(outcome.errors.isEmpty)
        #expect(try Binary.run([command, "-h"]).output == outcome.output)
    }

    @Test func `the version is one line`() throws {
        for arguments in [["version"], ["--version"], ["-V"]] {
            let outcome = try Binary.run(arguments)
            #expect(outcome.status == 0)
            #expect(outcome.output.hasPrefix("countersign "))
            #expect(outcome.output.split(separator: "\n").count == 1)
        }
    }

    @Test(
        arguments: [
            ([], "a command is missing", "--help"),
            (["--frobnicate"], "unknown option '--frobnicate'", "--help"),
            (["frobnicate"], "unknown command 'frobnicate'", "--help"),
            (["run", "--frobnicate"], "unknown option '--frobnicate'", "run --help"),
            (["run", "--frobnicate=7"], "unknown option '--frobnicate'", "run --help"),
            (["run", "-x"], "unknown option '-x'", "run --help"),
            (["demo", "--config", "x"], "unknown option '--config'", "demo --help"),
            (["run", "--config"], "option '--config' needs a value", "run --help"),
            (["run", "-c"], "option '-c' needs a value", "run --help"),
            (["check", "--strict=yes"], "option '--strict' takes no value", "check --help"),
            (["run", "extra"], "unexpected 'extra'", "run --help"),
            (["check", "--config", "a", "b"], "unexpected 'b'", "check --help"),
            (["run", "--workers", "0"], "'--workers' takes a number from 1 to 1024, not '0'", "run --help"),
            (["run", "--workers", "two"], "'--workers' takes a number from 1 to 1024, not 'two'", "run --help"),
            (["explain"], "a URL is missing", "explain --help"),
            (["explain", "example.org"], "'example.org' is no http or https URL", "explain --help"),
            (["explain", "http://u:p@h:99999/"], "what was given is no http or https URL", "explain --help"),
            (["explain", "ftp://example.org/"], "'ftp://example.org/' is no http or https URL", "explain --help"),
            (["release"], "a credential's name is missing, or --all", "release --help"),
            (["release", "--all", "x"], "unexpected 'x'", "release --help"),
            (["ca"], "'init' or 'show' is missing", "ca --help"),
            (["ca", "frobnicate"], "unexpected 'frobnicate'", "ca --help"),
            (["ca", "init", "x"], "unexpected 'x'", "ca --help"),
            (["ca", "init", "--key", "k"], "'--certificate' and '--key' go together", "ca --help"),
            (["ca", "init", "--days", "0"], "'--days' takes a number from 1 to 7300, not '0'", "ca --help"),
            (["ca", "init", "--host", "*"], "'--host *' narrows nothing: leave it out", "ca --help"),
            (["ca", "init", "-c", "x"], "option '--config' has no place in 'ca init'", "ca --help"),
            (["ca", "show", "--force"], "option '--force' has no place in 'ca show'", "ca --help"),
            (["ca", "show", "--key", "k"], "'--key' needs one FILE, the certificate", "ca --help"),
            (["pin"], "HOST[:PORT] or --file FILE is missing", "pin --help"),
            (["pin", "https://h/"], "'https://h/' is no HOST[:PORT]", "pin --help"),
            (["pin", "--file", "a", "b"], "unexpected 'b'", "pin --help"),
            (["exec"], "a program is missing: countersign exec -- PROGRAM [ARGUMENT…]", "exec --help"),
            (["exec", "-x", "true"], "unknown option '-x'", "exec --help"),
            (["env", "--shell", "tcsh"], "'--shell' takes one of sh, fish, json, not 'tcsh'", "env --help"),
            (["env", "extra"], "unexpected 'extra'", "env --help"),
            (["completions"], "a shell is missing: bash, zsh, fish", "completions --help"),
            (["completions", "tcsh"], "'tcsh' is none of bash, zsh, fish", "completions --help"),
        ] as [([String], String, String)]
    )
    func `a slip is one line with a hint, and exit code 2`(arguments: [String], message: String, hint: String) throws {
        let outcome = try Binary.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors == "countersign: \(message)\nTry 'countersign \(hint)'.\n")
    }

    @Test(arguments: [
        ["run"], ["check"], ["env"], ["explain", "http://h/"], ["status"], ["credentials"], ["release", "x"],
    ])
    func `a rule file that can't be read is exit code 2`(arguments: [String]) throws {
        let folder = try ScratchFolder("command-line")
        let missing = folder("missing.yaml")
        let outcome = try Binary.run(arguments + ["--config", missing])
        #expect(outcome.status == 2)
        #expect((outcome.output + outcome.errors).contains(missing))
    }

    @Test(arguments: [
        ["run"], ["check"], ["env"], ["explain", "http://h/"], ["status"], ["credentials"], ["release", "x"],
    ])
    func `a rule file with an error is exit code 1`(arguments: [String]) throws {
        let folder = try ScratchFolder("command-line")
        let file = try folder.write("version: 1\nlisteners: [{ adress: \"127.0.0.1:1\" }]\n", to: "a.yaml", mode: 0o600)
        let outcome = try Binary.run(arguments + ["-c", file])
        #expect(outcome.status == 1)
        #expect((outcome.output + outcome.errors).contains("\(file):2:"))
    }

    @Test func `without --config the file in the working folder counts`() throws {
        let folder = try ScratchFolder("command-line")
        try folder.write("version: 1\nlisteners: [{ address: \"127.0.0.1:1\" }]\n", to: "countersign.yaml", mode: 0o600)
        let outcome = try Binary.run(["check"], workingFolder: folder.path)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("./countersign.yaml: "))
    }

    @Test func `check --strict makes warnings errors`() throws {
        let folder = try ScratchFolder("command-line")
        let rules = """
            version: 1
            listeners: [{ address: "127.0.0.1:1" }]
            state: state
            credentials: { unused: { username: u, password: { value: p } } }

            """
        let file = try folder.write(rules, to: "a.yaml", mode: 0o600)
        #expect(try Binary.run(["check", file]).status == 0)
        #expect(try Binary.run(["check", file]).output.contains("warning"))
        #expect(try Binary.run(["check", "--strict", file]).status == 1)
    }

    @Test func `O-5 explain tells route, rules and the answer to a challenge, the secret masked`() throws {
        let folder = try ScratchFolder("command-line")
        let rules = """
            version: 1
            listeners: [{ address: "127.0.0.1:3199" }]
            state: state
            credentials:
              visitor: { username: ada, password: { value: canary-secret } }
              other: { username: bob, password: { value: canary-secret } }
            rules:
              - space: { host: elsewhere.example }
                use: other
              - space: { host: www.example }
                use: visitor
                cleartext: [basic]

            """
        let file = try folder.write(rules, to: "a.yaml", mode: 0o600)
        let challenge = [
            "--challenge", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"", "--challenge", "Basic realm=\"r\"",
        ]
        let outcome = try Binary.run(["explain", "http://www.example/a?b", "-c", file] + challenge)
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.output.contains("127.0.0.1:3199"))
        #expect(outcome.output.contains("direct"))
        #expect(outcome.output.contains("another host"))
        #expect(outcome.output.contains("visitor"))
        #expect(outcome.output.contains("username=\"ada\""))
        #expect(outcome.output.contains("***"))
        #expect(!outcome.output.contains("canary-secret"))
    }
}
