internal import Bytes
internal import Configuration
internal import Events
internal import Proxy
internal import Rules

/// The rule file of a running proxy, and what came of reading it at the start.
struct RulesOfRun {
    let path: String
    let environment: EnvironmentSecrets
    let first: LoadResult
    /// Before the file was read.
    let reading: FileMoment
}

/// The main thread of the running proxy: signals, changed files, the service's starter, and the end.
final class RunControl {
    private let server: ProxyServer
    private let log: ProxyLog
    private let errors: ErrorLines
    private let rules: RulesOfRun
    private let notification: ServiceNotification
    private let loop: EventLoop
    private var timeouts: TimeoutsConfiguration
    private var files: FileChanges?
    private var watchdog: Timer?
    private var drainTimer: Timer?

    init(
        _ server: ProxyServer,
        _ log: ProxyLog,
        _ errors: ErrorLines,
        _ rules: RulesOfRun,
        _ notification: ServiceNotification
    ) throws(SystemError) {
        self.server = server
        self.log = log
        self.errors = errors
        self.rules = rules
        self.notification = notification
        loop = try EventLoop()
        timeouts = rules.first.configuration?.timeouts ?? TimeoutsConfiguration()
    }

    func run() throws(SystemError) -> Int32 {
        let signals = try SignalSource(loop, [.hangup, .interrupt, .terminate]) { [unowned self] in received($0) }
        files = FileChanges(loop) { [unowned self] in reload() }
        files?.watch(rules.first.watchedFiles, readAt: rules.reading)
        startWatchdog()
        for address in server.addresses { log.tell("listening on \(address)") }
        if let address = server.adminAddress { log.tell("operators look at \(address)") }
        notification.ready("serving on \(server.addresses.joined(separator: ", "))")
        loop.run()
        withExtendedLifetime(signals) {}
        server.end()
        log.finish()
        return 0
    }

    private func received(_ signal: SignalSource.Signal) {
        switch signal {
        case .hangup: reload()
        case .interrupt, .terminate: end()
        }
    }

    // MARK: reload

    /// A file with an error changes nothing: the old rules go on.
    private func reload() {
        guard drainTimer == nil else { return }
        notification.reloads()
        files?.forget()
        let reading = FileMoment.now
        let result = RuleFile.load(path: rules.path, environment: rules.environment, materials: TLSMaterials())
        files?.watch(result.watchedFiles, readAt: reading)
        for diagnostic in result.diagnostics { errors.write(diagnostic.rendered) }
        let problem = putIntoForce(result)
        server.readiness.reloaded(Readiness.Reload(unixSeconds: SystemFiles.now, problem: problem))
        if let problem {
            log.warn("the rule file has errors: the rules in force go on")
            notification.ready("the rules in force go on: \(problem)")
        } else {
            log.tell("the rules were read again")
            notification.ready("serving on \(server.addresses.joined(separator: ", "))")
        }
    }

    /// Nil where the rules hold from now on, else what is wrong with them, in one line.
    private func putIntoForce(_ result: LoadResult) -> String? {
        guard let configuration = result.configuration else {
            let text = result.diagnostics.first { $0.severity == .error }?.rendered ?? "the rule file has errors"
            return String(text.prefix { !$0.isNewline })
        }
        do throws(StartError) {
            try server.apply(configuration)
        } catch {
            errors.write("countersign: \(error.message)")
            return error.message
        }
        timeouts = configuration.timeouts
        return nil
    }

    // MARK: watchdog

    /// Where a loop hangs, nothing is told, and whoever started the service starts it anew.
    private func startWatchdog() {
        guard let limit = notification.watchdog else { return }
        let pulse = server.pulse
        watchdog = Timer(loop, after: limit / 4, repeats: true) { [unowned self] in
            if pulse.beats() { notification.lives() }
        }
    }

    // MARK: end

    /// Lets go what is under way (O-1); at the second call, ends at once.
    private func end() {
        guard drainTimer == nil else { return loop.stop() }
        notification.stops("serving what is under way")
        let drain = server.drain(within: timeouts.drain, then: timeouts.drainHard)
        drainTimer = Timer(loop, after: Drain.interval, repeats: true) { [unowned self] in
            if drain.step(at: loop.now) { loop.stop() }
        }
    }
}
