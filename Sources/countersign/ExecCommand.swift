internal import Bytes
internal import Configuration
internal import Crypto
internal import Events
internal import GSS
internal import Glibc
internal import Proxy
internal import Rules
internal import TLS
internal import Telemetry

/// What `exec` is asked to run.
struct ExecRequest: Equatable {
    let config: String?
    /// Where the proxy's log goes; nil: warnings to standard error.
    let log: String?
    /// How many arguments the program and its own arguments are, at the end of the command line.
    let count: Int
    /// The program, for messages.
    let program: String

    init(_ options: CommandLineOptions) throws(UsageError) {
        config = options.value(.config)
        log = options.value(.log)
        count = options.operands.count
        guard let program = options.operands.first, !program.isEmpty else {
            throw UsageError("a program is missing: countersign exec -- PROGRAM [ARGUMENT…]", .exec)
        }
        self.program = program
    }
}

/// `countersign exec`: a proxy of one program's own, which ends with it (O-7).
struct ExecCommand {
    private static let signals: [SignalSource.Signal] = [.hangup, .interrupt, .terminate]
    /// What env(1), nohup(1) and shells say of a program that can't be run, or isn't there.
    private static let (notExecutable, notFound): (Int32, Int32) = (126, 127)

    private let request: ExecRequest
    private let surroundings: ForegroundProgram.Surroundings
    private let environment: EnvironmentSecrets

    /// Runs the program; returns its status, 128 and the number where a signal ended it.
    static func run(_ request: ExecRequest, problem: (String) -> Void) -> Int32 {
        ProcessSettings.forbidCoreDumps(ofChildren: false)
        // Before anything changes what the program is to find.
        let surroundings = ForegroundProgram.Surroundings(blocking: signals)
        KerberosProfile.install()
        let command = ExecCommand(request: request, surroundings: surroundings, environment: EnvironmentSecrets())
        do {
            return try command.run(problem)
        } catch let error as StartError {
            problem("countersign: \(error.message)")
        } catch let failure as NewFile.Failure {
            problem("countersign: \(failure.message)")
        } catch {
            problem("countersign: \(error)")
        }
        return 1
    }

    private func run(_ problem: (String) -> Void) throws -> Int32 {
        let result = RuleFile.load(
            path: request.config ?? RuleFilePath.usual(),
            environment: environment,
            materials: TLSMaterials(),
            makeAuthority: Self.makeAuthority
        )
        guard let configuration = result.configuration else {
            // Warnings are for `check` to tell: they would stand before each program's own words.
            for diagnostic in result.diagnostics where diagnostic.severity == .error { problem(diagnostic.rendered) }
            return result.isUnreadable ? 2 : 1
        }
        let folder = try TemporaryFolder(environment.variable("TMPDIR") ?? "/tmp")
        let trust = try configuration.interception.map { try trustFiles($0.authority, in: folder.path) }
        defer { trust?.remove() }
        let (log, settings) = try self.log(configuration)
        defer { log.finish() }
        let login = "exec:" + String(decoding: RandomBytes.hex(count: 16), as: UTF8.self)
        let listener = try Self.listener(requiring: Secret(login))
        let server = try ProxyServer(
            configuration.serving(listener, log: settings),
            workers: min(2, ProcessorCount.workers()),
            log: log
        )
        try server.start()
        defer { server.stop(within: .seconds(1), then: .seconds(1)) }
        guard let address = server.firstPort else { throw StartError("the proxy has no port") }
        let variables = ProgramVariables(
            proxy: address,
            login: login,
            direct: configuration.namesToReachDirectly,
            trust: trust,
            javaOptions: environment.variable("JAVA_TOOL_OPTIONS")
        )
        return try run(with: variables, problem)
    }

    /// Runs the program with these variables, and gives what this process is to end with.
    private func run(with variables: ProgramVariables, _ problem: (String) -> Void) throws -> Int32 {
        let loop = try EventLoop()
        var status: Int32 = 1
        let program: ForegroundProgram
        do throws(SystemError) {
            program = try ForegroundProgram(
                loop,
                lastArguments: request.count,
                variables: variables.all,
                in: surroundings
            ) { ending in
                status = Self.status(ending)
                loop.stop()
            }
        } catch {
            problem("countersign: can't run \(request.program): \(error.reason)")
            return error.code == ENOENT ? Self.notFound : Self.notExecutable
        }
        let source = try SignalSource(loop, Self.signals) { (signal: SignalSource.Signal, isFromKernel: Bool) in
            // A key at the terminal has reached the program already.
            if !isFromKernel { program.send(signal) }
        }
        loop.run()
        withExtendedLifetime(source) {}
        return status
    }

    private static func status(_ ending: ChildProcess.Ending) -> Int32 {
        switch ending {
        case .exited(let status): status
        case .signalled(let signal): 128 + signal
        case .timedOut, .printedTooMuch: 1
        }
    }

    /// Any loopback port, by this login alone.
    private static func listener(requiring login: Secret) throws -> ListenerConfiguration {
        ListenerConfiguration(
            address: .tcp(.loopbackV4, 0),
            name: nil,
            clients: [try ClientPattern("127.0.0.1")],
            require: .own(login)
        )
    }

    private func log(_ configuration: ServerConfiguration) throws -> (ProxyLog, LogConfiguration) {
        guard let path = request.log else {
            var settings = LogConfiguration()
            (settings.format, settings.level, settings.access) = (configuration.log.format, .warning, false)
            return (ProxyLog(settings, writer: LogWriter(descriptor: STDERR_FILENO)), settings)
        }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw NewFile.Failure(path) }
        return (ProxyLog(configuration.log, writer: LogWriter(descriptor: descriptor)), configuration.log)
    }

    // MARK: trust

    private func trustFiles(
        _ authority: InterceptionConfiguration.Authority,
        in folder: String
    ) throws -> TrustFiles {
        guard let certificate = try Certificate.all(in: authority.certificate.span).first else {
            throw StartError("the authority's certificate is empty")
        }
        return try TrustFiles(authority: certificate, in: folder, variable: environment.variable)
    }

    /// An authority that lives as long as this process, and may issue for these hosts alone.
    private static func makeAuthority(_ hosts: [HostPattern]) -> InterceptionConfiguration.Authority? {
        let constraints = hosts.map(CertificateAuthority.Constraint.init)
        guard
            let made = try? CertificateAuthority.make(
                name: "countersign exec",
                // One of them is any host.
                constraints: constraints.contains(nil) ? [] : constraints.compactMap(\.self),
                now: SystemFiles.now
            ), let certificate = try? made.certificate.pem, let key = try? made.privateKeyPEM
        else { return nil }
        return InterceptionConfiguration.Authority(
            certificatePath: "the authority of this run",
            certificate: certificate,
            privateKey: key
        )
    }
}

/// A folder that nobody else can enter, and that is gone with its owner; what was put there goes before.
private final class TemporaryFolder {
    let path: String

    init(_ parent: String) throws(NewFile.Failure) {
        var template = Array("\(parent)/countersign-exec-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw NewFile.Failure(parent) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { unsafe rmdir(path) }
}
