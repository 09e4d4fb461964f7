internal import Glibc
internal import Rules

@main enum Countersign {
    static func main() { run() }
}

/// Does what the command line says and ends the process with the exit code: 0 done, 1 failed or found something wrong, 2 for
/// a slip in the command line or a file that can't be read.
func run() {
    let arguments = CommandLine.arguments
    do throws(UsageError) {
        exit(execute(try Invocation(arguments: Array(arguments.dropFirst()))))
    } catch {
        Terminal.complain("countersign: \(error.message)")
        Terminal.complain(error.hint)
        exit(2)
    }
}

private func execute(_ invocation: Invocation) -> Int32 {
    switch invocation {
    case .help(let command):
        Terminal.print(command?.help ?? Command.overview)
        return 0
    case .version: return VersionCommand.showVersion(out: Terminal.print)
    case .run(let config, let workers): return runProxy(configPath: config ?? RuleFilePath.usual(), workers: workers)
    case .check(let config, let isStrict, let readsSecrets):
        let path = config ?? RuleFilePath.usual()
        return check(path: path, strict: isStrict, readsSecrets: readsSecrets, out: Terminal.print)
    case .explain(let request):
        return ExplainCommand.explain(request, out: Terminal.print, problem: Terminal.complain)
    case .credentials(let config):
        return withStateLocation(config) {
            CredentialsCommand.listCredentials(at: $0, out: Terminal.print, problem: Terminal.complain)
        }
    case .release(let names, let all, let config):
        return withStateLocation(config) {
            ReleaseCommand.releaseCredentials(
                names,
                all: all,
                at: $0,
                out: Terminal.print,
                problem: Terminal.complain
            )
        }
    case .demo(let once): return DemoCommand.demonstrate(once: once, out: Terminal.print, problem: Terminal.complain)
    }
}

private func withStateLocation(_ config: String?, _ body: (StateLocation) -> Int32) -> Int32 {
    switch RuleFilePath.load(config, readsSecrets: false, problem: Terminal.complain) {
    case .success(let configuration): body(configuration.state)
    case .failure(let failure): failure.exitCode
    }
}
