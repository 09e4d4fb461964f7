internal import Configuration
internal import Events
internal import GSS
internal import Proxy
internal import Rules
internal import Telemetry

/// `countersign run`: serves until SIGTERM or SIGINT; SIGHUP or a changed file reloads.
func runProxy(configPath: String, workers: Int?) -> Int32 {
    ProcessSettings.openStandardDescriptors()
    ProcessSettings.ignoreBrokenPipes()
    ProcessSettings.forbidCoreDumps()
    let notification = ServiceNotification()
    KerberosProfile.install()
    SignalSource.block([.hangup, .interrupt, .terminate])
    let errors = ErrorLines()
    defer { errors.finish() }
    let environment = EnvironmentSecrets()
    let reading = FileMoment.now
    let result = RuleFile.load(path: configPath, environment: environment, materials: TLSMaterials())
    for diagnostic in result.diagnostics { errors.write(diagnostic.rendered) }
    guard let configuration = result.configuration else { return result.isUnreadable ? 2 : 1 }
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
        return try RunControl(server, log, errors, rules, notification).run()
    } catch let error as StartError {
        errors.write("countersign: \(error.message)")
        return 1
    } catch {
        errors.write("countersign: the main thread has no event loop: \(error)")
        return 1
    }
}
