internal import Bytes
internal import Configuration
internal import Demonstration
internal import Events
internal import Proxy
internal import Rules

/// `countersign demo`: the proxy in front of servers of its own, all on this machine.
enum DemoCommand {
    private static let origin = SocketAddress(.loopbackV4, port: 8401)
    private static let parent = SocketAddress(.loopbackV4, port: 8407)
    private static let proxy = SocketAddress(.loopbackV4, port: 3128)

    /// Why there is nothing to show: one line.
    private struct Failure: Error {
        let message: String
    }

    /// Starts everything, sends a request to each thing that is demanded and prints what came of it.
    ///
    /// With `once` it ends then, else on SIGINT or SIGTERM. Returns the exit code: 1 where something isn't as it should be.
    static func demonstrate(once: Bool, out: (String) -> Void, problem: (String) -> Void) -> Int32 {
        SignalSource.block([.interrupt, .terminate])
        ProcessSettings.ignoreBrokenPipes()
        do throws(Failure) {
            return try serve(once: once, out: out)
        } catch {
            problem("countersign: demo: \(error.message)")
            return 1
        }
    }

    private static func serve(once: Bool, out: (String) -> Void) throws(Failure) -> Int32 {
        let configuration = try configuration()
        let servers = try startServers()
        defer { servers.stop() }
        let server = try startProxy(configuration)
        defer { server.stop(within: .seconds(1), then: .seconds(1)) }

        let rows = DemoTable.requests.map { request in
            DemoTable.Row(request, DemoClient.get(request.url, through: proxy))
        }
        for line in DemoTable.lines(of: rows) { out(line) }
        let isRight = rows.allSatisfy(\.isRight)
        if once { return isRight ? 0 : 1 }
        out("")
        out("try it: curl -x http://\(proxy) http://\(origin)/digest")
        try waitForSignal()
        return isRight ? 0 : 1
    }

    private static func configuration() throws(Failure) -> ServerConfiguration {
        let result = RuleFile.load(text: DemoRules.text, name: "demo.yaml", environment: EnvironmentSecrets())
        guard let loaded = result.configuration else {
            throw Failure(message: result.diagnostics.map(\.rendered).joined(separator: "\n"))
        }
        // In memory: what the demo learns of its credentials is no business of the user's own ledger.
        return loaded.keepingState(at: StateLocation(folder: nil, runtimeFolder: nil))
    }

    private static func startServers() throws(Failure) -> DemonstrationServer {
        let servers: DemonstrationServer
        do throws(DemonstrationServer.BindError) {
            servers = try DemonstrationServer(origin: origin, parent: parent)
        } catch {
            throw Failure(message: "can't listen on \(error.address): \(error.reason.reason)")
        }
        do throws(SystemError) {
            try servers.start()
        } catch {
            throw Failure(message: error.description)
        }
        return servers
    }

    private static func startProxy(_ configuration: ServerConfiguration) throws(Failure) -> ProxyServer {
        do throws(StartError) {
            let log = ProxyLog(configuration.log, writer: nil)
            let server = try ProxyServer(configuration, workers: ProcessorCount.workers(), log: log)
            try server.start()
            return server
        } catch {
            throw Failure(message: error.message)
        }
    }

    private static func waitForSignal() throws(Failure) {
        do throws(SystemError) {
            let loop = try EventLoop()
            let source = try SignalSource(loop, [.interrupt, .terminate]) { _ in loop.stop() }
            loop.run()
            withExtendedLifetime(source) {}
        } catch {
            throw Failure(message: error.description)
        }
    }
}
