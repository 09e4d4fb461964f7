import Support
import Testing

/// The completions and manual pages that are installed beside the program.
@Suite struct ShippedTextTests {
    static let completions = [("bash", "countersign.bash"), ("zsh", "_countersign"), ("fish", "countersign.fish")]

    static let commands = [
        "run", "exec", "env", "check", "explain", "doctor", "status", "credentials", "release", "ca", "pin", "demo",
        "completions",
        "version",
    ]

    /// What a program prints, which has to end well.
    func output(_ program: String, _ arguments: [String]) throws -> String {
        let folder = try ScratchFolder("shell")
        let process = try TestProcess(program, arguments, environment: ["HOME": folder.path, "COLUMNS": "100"])
        guard try process.waitForExit() == .status(0) else { throw TestFailure(process.output + process.errors) }
        #expect(process.errors.isEmpty, "\(process.errors)")
        return process.output
    }

    @Test(
        "the completions in conf are those that the program prints, and their shells take them",
        arguments: completions
    )
    func completion(_ shell: String, _ file: String) throws {
        let path = "\(Fixture.root)/conf/completions/\(file)"
        let printed = try Binary.run(["completions", shell])
        #expect(printed.status == 0)
        let cure = "countersign completions \(shell) >conf/completions/\(file)"
        #expect(Array(printed.output.utf8) == (try Fixture.bytes("conf/completions/\(file)")), "\(cure)")
        #expect(try output(shell, ["-n", path]).isEmpty)
    }

    @Test(
        "bash completes commands, options and their words",
        arguments: [
            ("co", "completions"), ("env --sh", "--shell"), ("env --shell f", "fish"), ("ca i", "init"),
            ("exec -- tru", "true"), ("exec -c /dev/null true /dev/nul", "/dev/null"), ("check /dev/nul", "/dev/null"),
        ]
    )
    func bash(_ line: String, _ completed: String) throws {
        let script = """
            source \(Fixture.root)/conf/completions/countersign.bash
            COMP_WORDS=(countersign \(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            COMP_LINE="countersign \(line)"; COMP_POINT=${#COMP_LINE}
            _countersign 2>/dev/null; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let words = try output("bash", ["-c", script]).split(separator: "\n").map(String.init)
        // After the program's name bash alone knows programs, bash-completion their arguments too.
        if line.contains("true /dev") { return }
        #expect(words.contains(completed), "\(words)")
    }

    @Test(
        "fish completes commands, options and their words",
        arguments: [
            ("co", "completions"), ("env --sh", "--shell"), ("env --shell f", "fish"), ("ca i", "init"),
        ]
    )
    func fish(_ line: String, _ completed: String) throws {
        let script = "source \(Fixture.root)/conf/completions/countersign.fish; complete -C 'countersign \(line)'"
        let words = try output("fish", ["--no-config", "-c", script]).split(separator: "\n").map { line in
            String(line.prefix { $0 != "\t" })
        }
        #expect(words.contains(completed), "\(words)")
    }

    @Test("zsh takes the completions as a function of its own")
    func zsh() throws {
        let script = """
            fpath=(\(Fixture.root)/conf/completions $fpath)
            autoload -Uz compinit && compinit -u -d $HOME/dump
            print -r -- ${_comps[countersign]}
            autoload +X -Uz _countersign && whence -w _countersign
            """
        #expect(try output("zsh", ["-f", "-c", script]) == "_countersign\n_countersign: function\n")
    }

    @Test("mandoc finds nothing wrong with a page", arguments: ["countersign.1", "countersign.yaml.5"])
    func pages(_ page: String) throws {
        let path = "\(Fixture.root)/conf/man/\(page)"
        let lint = try TestProcess("mandoc", ["-Tlint", "-Wall", path])
        _ = try lint.waitForExit()
        // Whether the other page is installed is another matter.
        let complaints = lint.output.split(separator: "\n").filter { !$0.contains("referenced manual not found") }
        #expect(complaints.isEmpty, "\(complaints)")
        #expect(try output("man", ["-Tutf8", "-l", path]).contains("NAME"))
    }

    @Test("countersign(1) tells of each command and each of its options", arguments: commands)
    func options(_ command: String) throws {
        let page = String(decoding: try Fixture.bytes("conf/man/countersign.1"), as: UTF8.self)
        #expect(page.contains("\n.It Cm \(command)"))
        for line in try Binary.run([command, "--help"]).output.split(separator: "\n") {
            guard let name = line.split(separator: " ").first(where: { $0.hasPrefix("--") }), line.hasPrefix("  ")
            else {
                continue
            }
            #expect(page.contains("Fl Fl \(name.dropFirst(2))"), "\(command) \(name)")
        }
    }

    @Test("countersign(1) names each variable that env prints")
    func variables() throws {
        let page = String(decoding: try Fixture.bytes("conf/man/countersign.1"), as: UTF8.self)
        let folder = try ScratchFolder("man")
        let rules =
            "version: 1\nstate: state\ninterception: { authority: { certificate: \(try authority().certificate), "
            + "private_key: { file: \(try authority().key) } }, hosts: [a.test] }\n"
        let file = try folder.write(rules, to: "rules.yaml", mode: 0o600)
        let lines = try Binary.run(["env", "-c", file]).output.split(separator: "\n").filter { $0.hasPrefix("export ") }
        #expect(lines.count >= 19)
        for line in lines {
            let name = line.dropFirst(7).prefix { $0 != "=" }
            #expect(page.contains("Ev \(name)"), "\(name)")
        }
    }

    private func authority() throws -> TestAuthority { try EnvironmentCommandTests.own.get() }
}
