internal import Bytes
internal import Configuration
internal import Events
internal import GSS
internal import Proxy
internal import Rules
internal import Telemetry

/// `countersign run`: serves until SIGTERM or SIGINT; SIGHUP or a changed file reloads.
func runProxy(configPath: String, workers: Int?) -> Int32 {
    KerberosProfile.install()
    SignalSource.block([.hangup, .interrupt, .terminate])
    let environment = EnvironmentSecrets()
    let result = RuleFile.load(path: configPath, environment: environment, materials: TLSMaterials())
    for diagnostic in result.diagnostics { writeError(diagnostic.rendered) }
    guard let configuration = result.configuration else { return result.isUnreadable ? 2 : 1 }
    ProcessSettings.ignoreBrokenPipes()
    _ = ProcessSettings.raiseOpenFileLimit()
    let log = ProxyLog(configuration.log, writer: LogWriter())
    do {
        let server = try ProxyServer(
            configuration,
            workers: workers ?? ProcessorCount.workers(),
            log: log
        )
        try server.start()
        return try Control(server, log, configPath, environment, result).run()
    } catch let error as StartError {
        writeError("countersign: \(error.message)")
        return 1
    } catch {
        writeError("countersign: the main thread has no event loop: \(error)")
        return 1
    }
}

/// The main thread of the running proxy: signals, and the look at the watched files each second.
private final class Control {
    private let server: ProxyServer
    private let log: ProxyLog
    private let configPath: String
    private let environment: EnvironmentSecrets
    private let loop: EventLoop
    private var watch = FileWatch()
    private var timeouts: TimeoutsConfiguration
    private var isStopping = false

    init(
        _ server: ProxyServer,
        _ log: ProxyLog,
        _ path: String,
        _ environment: EnvironmentSecrets,
        _ result: LoadResult
    ) throws {
        self.server = server
        self.log = log
        configPath = path
        self.environment = environment
        loop = try EventLoop()
        timeouts = result.configuration?.timeouts ?? TimeoutsConfiguration()
        watch.watch(result.watchedFiles)
    }

    func run() throws -> Int32 {
        let signals = try SignalSource(loop, [.hangup, .interrupt, .terminate]) { [unowned self] in received($0) }
        let ticker = Timer(loop, after: .seconds(1), repeats: true) { [unowned self] in
            if watch.hasChanged() { reload() }
        }
        for address in server.addresses { log.tell("listening on \(address)") }
        loop.run()
        withExtendedLifetime((signals, ticker)) {}
        server.stop(within: timeouts.drain, then: timeouts.drainHard)
        log.finish()
        return 0
    }

    private func received(_ signal: SignalSource.Signal) {
        switch signal {
        case .hangup: reload()
        case .interrupt, .terminate: loop.stop()
        }
    }

    /// A file with an error changes nothing: the old rules go on.
    private func reload() {
        let result = RuleFile.load(path: configPath, environment: environment, materials: TLSMaterials())
        watch.watch(result.watchedFiles)
        for diagnostic in result.diagnostics { writeError(diagnostic.rendered) }
        guard let configuration = result.configuration else {
            return log.tell("the rule file has errors: the rules in force go on")
        }
        do throws(StartError) {
            try server.apply(configuration)
        } catch {
            writeError("countersign: \(error.message)")
            return log.tell("the rule file has errors: the rules in force go on")
        }
        timeouts = configuration.timeouts
        log.tell("the rules were read again")
    }
}
