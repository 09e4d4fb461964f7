internal import Events
internal import PAC
internal import Rules

@main enum Countersign {
    static func main() { run() }
}

/// Does what the command line says and ends the process with the exit code: 0 done, 1 failed or found something wrong, 2 for
/// a slip in the command line or a file that can't be read.
func run() {
    let arguments = CommandLine.arguments
    if arguments.dropFirst() == [PACEvaluator.argument] { exitProcess(evaluatePAC()) }
    do throws(UsageError) {
        exitProcess(execute(try Invocation(arguments: Array(arguments.dropFirst()))))
    } catch {
        writeError("countersign: \(error.message)")
        writeError(error.hint)
        exitProcess(2)
    }
}

private func execute(_ invocation: Invocation) -> Int32 {
    switch invocation {
    case .help(let command):
        writeOutput(command?.help ?? Command.overview)
        return 0
    case .version: return VersionCommand.showVersion(out: writeOutput)
    case .run(let config, let workers): return runProxy(configPath: config ?? RuleFilePath.usual(), workers: workers)
    case .check(let config, let isStrict, let readsSecrets):
        let path = config ?? RuleFilePath.usual()
        return check(path: path, strict: isStrict, readsSecrets: readsSecrets, out: writeOutput)
    case .explain(let request):
        return ExplainCommand.explain(request, out: writeOutput, problem: writeError)
    case .doctor(let request): return DoctorCommand.examine(request, out: writeOutput, problem: writeError)
    case .status(let request): return StatusCommand.tell(request, out: writeOutput, problem: writeError)
    case .credentials(let config):
        return withStateLocation(config) {
            CredentialsCommand.listCredentials(at: $0, out: writeOutput, problem: writeError)
        }
    case .release(let names, let all, let config):
        return withStateLocation(config) {
            ReleaseCommand.releaseCredentials(
                names,
                all: all,
                at: $0,
                out: writeOutput,
                problem: writeError
            )
        }
    case .makeAuthority(let terms): return AuthorityCommand.make(terms, out: writeOutput, problem: writeError)
    case .showAuthority(let question): return AuthorityCommand.show(question, out: writeOutput, problem: writeError)
    case .pin(let request): return PinCommand.printPins(request, out: writeOutput, problem: writeError)
    case .environment(let request):
        return EnvironmentCommand.printVariables(request, out: writeOutput, problem: writeError)
    case .exec(let request): return ExecCommand.run(request, problem: writeError)
    case .completions(let shell):
        writeOutput(shell.script)
        return 0
    case .demo(let once): return DemoCommand.demonstrate(once: once, out: writeOutput, problem: writeError)
    }
}

private func withStateLocation(_ config: String?, _ body: (StateLocation) -> Int32) -> Int32 {
    switch RuleFilePath.load(config, readsSecrets: false, problem: writeError) {
    case .success(let configuration): body(configuration.state)
    case .failure(let failure): failure.exitCode
    }
}

/// Runs PAC files for a proxy that started this process; it is no command for people.
private func evaluatePAC() -> Int32 {
    ProcessSettings.ignoreBrokenPipes()
    ProcessSettings.confine(memory: 1 << 30)
    return PACEvaluator.serve()
}
