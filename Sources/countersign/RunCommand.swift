internal import Configuration
internal import Events
internal import GSS
internal import Proxy
internal import Rules
internal import Telemetry

/// `countersign run`: serves until SIGTERM or SIGINT; SIGHUP or a changed file reloads.
func runProxy(configPath: String, workers: Int?) -> Int32 {
    ProcessSettings.forbidCoreDumps()
    let notification = ServiceNotification()
    KerberosProfile.install()
    SignalSource.block([.hangup, .interrupt, .terminate])
    let environment = EnvironmentSecrets()
    let reading = FileMoment.now
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
        let rules = RulesOfRun(path: configPath, environment: environment, first: result, reading: reading)
        return try RunControl(server, log, rules, notification).run()
    } catch let error as StartError {
        writeError("countersign: \(error.message)")
        return 1
    } catch {
        writeError("countersign: the main thread has no event loop: \(error)")
        return 1
    }
}
