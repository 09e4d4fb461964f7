internal import Authentication
package import Bytes
internal import Crypto
package import Events
internal import Exchange
internal import HTTP
package import Rules
internal import Synchronization
internal import TLS

/// Why the proxy can't start: one line with the reason (O-10).
package struct StartError: Error, Sendable {
    package let message: String

    package init(_ message: String) { self.message = message }
}

/// The running proxy: one loop for each worker, and what they share.
package final class ProxyServer: Sendable {
    private let shared: SharedState
    private let ledger: SharedLedger
    private let bindings: [ListenerBinding]
    /// The listeners whose ports are open, in the order of `bindings`.
    private let open: [ListenerConfiguration]
    private let workerCount: Int
    private let policy: Locked<Policy>
    private let group = Locked<EventLoopGroup?>(nil)
    private let pseudonym: String
    private let log: ProxyLog
    private let control: ControlSocket?
    private let lasting: LastingSettings
    private let admin = Locked<AdminEndpoint?>(nil)
    private let adminBinding: (binding: ListenerBinding, configuration: AdminConfiguration)?
    /// What the process tells of itself.
    package let status: StatusSource

    /// Binds the listeners and opens the ledger; nothing is served before `start`.
    package init(_ configuration: ServerConfiguration, workers: Int, log: ProxyLog) throws(StartError) {
        self.log = log
        workerCount = workers
        pseudonym =
            configuration.http.via ?? "countersign-" + String(decoding: RandomBytes.hex(count: 4), as: UTF8.self)
        let inherited = InheritedSocket.takeAll()
        bindings = try Self.bind(configuration, workers, inherited, log)
        adminBinding = try configuration.admin.map { admin throws(StartError) in
            (try ListenerBinding(admin.listener, workers: 1, inherited), admin)
        }
        open = configuration.listeners
        lasting = LastingSettings(configuration)
        let relay = WakeRelay()
        do throws(SystemError) {
            ledger = try SharedLedger(at: configuration.state, waking: relay) { [log] in log.warn($0) }
        } catch {
            throw StartError("can't open the ledger: \(error.description)")
        }
        control = ControlSocket.open(for: ledger) { [log] in log.warn($0) }
        let all = bindings + [adminBinding?.binding].compactMap(\.self)
        let own = OwnAddresses(listeners: all.flatMap(\.addresses), local: LocalAddresses.all())
        shared = SharedState(
            ledger: ledger,
            names: NameService(configuration.dns.service),
            ownAddresses: own,
            log: log
        )
        relay.attach(shared.peers)
        let keys = ledger.register(configuration.credentials)
        let mint: LeafMint?
        do throws(TLSError) {
            mint = try Self.mint(configuration, shared, instead: nil)
        } catch {
            throw StartError("interception: \(error.description)")
        }
        policy = Locked(
            Policy(configuration, open: configuration.listeners, keys: keys, mint: mint, pseudonym: pseudonym)
        )
        status = StatusSource(shared, policy: policy, listeners: bindings.map(\.description))
        control?.tell(of: status)
    }

    /// The mint that the rules ask for: the one in use where its authority stays the same.
    private static func mint(
        _ configuration: ServerConfiguration,
        _ shared: SharedState,
        instead old: LeafMint?
    ) throws(TLSError) -> LeafMint? {
        guard let authority = configuration.interception?.authority else { return nil }
        if let old, old.configuration == authority { return old }
        return try LeafMint(authority, lane: shared.certificates, now: SharedLedger.unixSeconds)
    }

    private static func bind(
        _ configuration: ServerConfiguration,
        _ workers: Int,
        _ inherited: [InheritedSocket],
        _ log: ProxyLog
    ) throws(StartError) -> [ListenerBinding] {
        var bindings: [ListenerBinding] = []
        for listener in configuration.listeners {
            bindings.append(try ListenerBinding(listener, workers: workers, inherited))
        }
        let used = Set(configuration.listeners.map(\.address) + [configuration.admin?.address].compactMap(\.self))
        for name in Set(inherited.map(\.name)) where !used.contains(.systemd(name)) {
            log.warn("a socket named \(name) was passed on, and no listener is systemd:\(name)")
        }
        return bindings
    }

    /// Where it listens.
    package var addresses: [String] { bindings.map(\.description) }

    /// Where operators look at it; nil where the rules name no such place.
    package var adminAddress: String? { adminBinding?.binding.description }

    /// The first port that it listens on; nil where it listens on none.
    package var firstPort: SocketAddress? { bindings.lazy.flatMap(\.addresses).first }

    /// Tells the log something about the proxy as a whole.
    package func tell(_ text: String) { log.tell(text) }

    /// Whether it takes requests, and what became of its reloads.
    package var readiness: Readiness { shared.readiness }

    /// Starts the loops.
    package func start() throws(StartError) {
        // Requests that come first wait for the PAC files' first answers.
        shared.pac.adopt(policy.withLock { $0 })
        do throws(SystemError) {
            // First, so that who asks meanwhile is told that it starts.
            if let (binding, configuration) = adminBinding {
                let endpoint = try AdminEndpoint(binding, configuration, status)
                admin.withLock { $0 = endpoint }
            }
            let started = try EventLoopGroup(count: workerCount, name: "worker") { [self] index, loop in
                run(index, loop)
            } failed: { [log] error in
                log.warn("a worker can't start: \(error.description)")
            }
            group.withLock { $0 = started }
            if policy.withLock({ $0.configuration.speaksTLS }) { prepareTLS() }
            readiness.began(unixSeconds: SharedLedger.unixSeconds)
        } catch {
            throw StartError("can't start the workers: \(error.description)")
        }
    }

    /// Reads what the first handshake would else wait for.
    private func prepareTLS() {
        let tls = shared.tls
        _ = shared.certificates.submit { tls.warmUp() }
    }

    private func run(_ index: Int, _ loop: EventLoop) {
        do throws(SystemError) {
            let worker = try Worker(
                index: index,
                loop: loop,
                shared: shared,
                policy: policy.withLock { $0 },
                pseudonym: pseudonym
            )
            let mailbox = try Mailbox<WorkerMailboxes.Job>()
            let receiver = loop.receive(from: mailbox) { job in job(worker) }
            shared.peers.add(mailbox, index: index)
            // A reload may have come between the two lines above.
            worker.adopt(policy.withLock { $0 })
            for (number, binding) in bindings.enumerated() {
                listen(worker, binding, number)
            }
            loop.run()
            withExtendedLifetime(receiver) {}
        } catch {
            log.warn("a worker can't start: \(error.description)")
        }
    }

    private func listen(_ worker: Worker, _ binding: ListenerBinding, _ number: Int) {
        guard binding.isHandedOut else {
            if let descriptor = binding.take() { worker.listen(descriptor, number, isHandedOut: false) }
            return
        }
        guard worker.index == number % workerCount else { return }
        while let descriptor = binding.take() { worker.listen(descriptor, number, isHandedOut: true) }
    }

    /// New requests run under `configuration` from now on; its listeners are those of the start.
    ///
    /// Throws, and changes nothing, where it can't be put into force as a whole (T-11).
    package func apply(_ configuration: ServerConfiguration) throws(StartError) {
        let mint: LeafMint?
        do throws(TLSError) {
            mint = try Self.mint(configuration, shared, instead: policy.withLock { $0.mint })
        } catch {
            throw StartError("interception: \(error.description)")
        }
        let keys = ledger.register(configuration.credentials)
        let next = Policy(
            configuration,
            open: open,
            keys: keys,
            mint: mint,
            pseudonym: pseudonym,
            instead: policy.withLock { $0 }
        )
        for text in lasting.changes(in: configuration) { log.warn("\(text); that takes a restart") }
        warnOfPermissions(configuration)
        log.adopt(configuration.log)
        policy.withLock { $0 = next }
        shared.tls.removeAll()
        shared.names.change(to: configuration.dns.service)
        shared.secrets.adopt(next)
        shared.pac.adopt(next)
        admin.withLock { $0 }?.adopt(configuration.admin)
        shared.peers.forEach { $0.adopt(next) }
    }

    private func warnOfPermissions(_ configuration: ServerConfiguration) {
        for listener in configuration.listeners {
            guard case .unix(let path) = listener.address else { continue }
            guard let old = open.first(where: { $0.address == listener.address }) else { continue }
            guard old.modeBits != listener.modeBits || old.group != listener.group else { continue }
            log.warn("the permissions of \(path) have changed in the rules; that takes a restart")
        }
    }

    /// Asks all loops for a sign of life.
    package var pulse: LoopPulse { LoopPulse(shared.peers) }

    /// Begins the end (O-1): the process isn't ready any more, and each connection ends with its exchange.
    ///
    /// When the result's steps are over, or sooner, `end` follows.
    package func drain(within limit: Nanoseconds, then hardLimit: Nanoseconds) -> Drain {
        let now = Instant.monotonic
        readiness.drains(since: now)
        let isOwnMachineOnly = bindings.flatMap(\.addresses).allSatisfy { $0.address.isLoopback }
        let notice = isOwnMachineOnly ? 0 : min(.seconds(5), limit)
        return Drain(shared.peers, Drain.Terms(limit: limit, hardLimit: hardLimit, notice: notice), now: now)
    }

    /// Drains, waits for that, and ends.
    package func stop(within limit: Nanoseconds, then hardLimit: Nanoseconds) {
        let drain = drain(within: limit, then: hardLimit)
        while !drain.step(at: .monotonic) { SystemThread.sleep(Drain.interval) }
        end()
    }

    /// Ends whatever is left, and the loops.
    package func end() {
        for binding in bindings { binding.remove() }
        shared.peers.forEach { $0.end() }
        group.withLock { $0.take() }?.join()
        shared.files.stop()
        shared.reports.stop()
        shared.secrets.stop()
        shared.pac.stop()
        shared.tokens.stop()
        shared.logins.stop()
        shared.certificates.stop()
        admin.withLock { $0.take() }?.end()
        shared.processes.stop()
        control?.close()
        ledger.close()
    }
}

/// What the rules say of things that are as they were at the start for as long as the process runs.
private struct LastingSettings {
    private let listeners: Set<ListenerConfiguration.Address>
    private let admin: ListenerConfiguration.Address?
    private let state: StateLocation
    private let via: String?

    init(_ configuration: ServerConfiguration) {
        listeners = Set(configuration.listeners.map(\.address))
        admin = configuration.admin?.address
        state = configuration.state
        via = configuration.http.via
    }

    /// What other rules would have otherwise, in words.
    func changes(in configuration: ServerConfiguration) -> [String] {
        let other = LastingSettings(configuration)
        var changes: [String] = []
        if other.listeners != listeners { changes.append("the addresses of the listeners have changed") }
        if other.admin != admin { changes.append("the address of 'admin' has changed") }
        if other.state != state { changes.append("the folder of 'state' has changed") }
        if other.via != via { changes.append("'http.via' has changed") }
        return changes
    }
}

/// Brings the ledger's wakes to the loops of the exchanges.
private final class WakeRelay: LedgerWaking {
    private let peers = Locked<WorkerMailboxes?>(nil)

    func attach(_ mailboxes: WorkerMailboxes) { peers.withLock { $0 = mailboxes } }

    func wake(_ waiters: [Waiter]) {
        guard let peers = peers.withLock({ $0 }) else { return }
        for (loop, group) in Dictionary(grouping: waiters, by: \.loop) {
            let exchanges = group.map(\.exchange)
            peers.send(to: loop) { $0.wake(exchanges) }
        }
    }
}
