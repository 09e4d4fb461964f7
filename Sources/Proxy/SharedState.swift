internal import Authentication
internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules
internal import Synchronization

/// What the loops of one process share.
final class SharedState: Sendable {
    let ledger: SharedLedger
    let readiness = Readiness()
    let replayTotal = ReplayTotal()
    let files = FileLane()
    /// Where leafs are minted and anchors are read.
    let certificates = WorkLane("certificates")
    /// Where other processes are looked at.
    let processes = WorkLane("processes")
    let names: NameService
    let hosts = HostCounts()
    let clients = Atomic<Int>(0)
    let learned = LearnedTable()
    let ways = WayTable()
    let sightings = TrustSightings()
    let tls = TLSContexts()
    let nonces = NonceTable()
    let ownAddresses: OwnAddresses
    let log: ProxyLog
    let reports: ReportLane
    let secrets: SecretLane
    let tokens = TokenService()
    let logins = LoginVerifier()
    let pac: PACLane
    let peers = WorkerMailboxes()

    init(ledger: SharedLedger, names: NameService, ownAddresses: OwnAddresses, log: ProxyLog) {
        self.ledger = ledger
        self.names = names
        self.ownAddresses = ownAddresses
        self.log = log
        let connecting = ConnectingMeans(names: names, contexts: tls, ownAddresses: ownAddresses)
        reports = ReportLane(connecting: connecting, log: log)
        let means = SecretMeans(connecting: connecting, log: log)
        secrets = SecretLane(ledger: ledger, means: means)
        pac = PACLane(means: means)
    }
}

/// Connections of the whole process to each host (`upstream_connections_per_host`), and the loops that wait for one.
final class HostCounts: Sendable {
    private struct Host {
        var count = 0
        var waiting: Set<Int> = []
    }

    private let hosts = Locked<[String: Host]>([:])
    /// Loops that wait, over all hosts: asked for far more often than it changes.
    private let waitingCount = Atomic<Int>(0)

    /// Takes a place; false where the host has `limit` connections already, and then `loop` waits for one.
    func take(_ host: String, limit: Int, for loop: Int) -> Bool {
        hosts.withLock { hosts in
            let isFree = hosts[host, default: Host()].count < limit
            if isFree {
                hosts[host, default: Host()].count += 1
            } else if hosts[host, default: Host()].waiting.insert(loop).inserted {
                waitingCount.wrappingAdd(1, ordering: .relaxed)
            }
            return isFree
        }
    }

    /// Gives a place back; the loops that waited for it are to be told, and wait no longer.
    func give(_ host: String) -> Set<Int> {
        hosts.withLock { hosts in
            guard var entry = hosts[host] else { return [] }
            let waiting = entry.waiting
            waitingCount.wrappingSubtract(waiting.count, ordering: .relaxed)
            entry.count -= 1
            entry.waiting = []
            hosts[host] = entry.count > 0 ? entry : nil
            return waiting
        }
    }

    /// Nothing of this loop's waits for the host any more.
    func leave(_ host: String, _ loop: Int) {
        hosts.withLock { hosts in
            guard hosts[host]?.waiting.remove(loop) != nil else { return }
            waitingCount.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    /// Some loop waits for a place at the host.
    func isWaited(for host: @autoclosure () -> String) -> Bool {
        guard waitingCount.load(ordering: .relaxed) > 0 else { return false }
        return hosts.withLock { [host = host()] in $0[host]?.waiting.isEmpty == false }
    }
}

/// What any loop learned of a server, for the others to start from; nonces stay where they are (A-4b).
final class LearnedTable: Sendable {
    private let version = Atomic<UInt64>(1)
    private let spaces = Locked<[String: [LearnedSpace]]>([:])
    private static let bound = 10_000

    var currentVersion: UInt64 { version.load(ordering: .acquiring) }

    func publish(_ server: String, _ snapshot: [LearnedSpace]) {
        spaces.withLock { table in
            if table.count >= Self.bound && table[server] == nil { table.removeAll() }
            table[server] = snapshot
        }
        version.wrappingAdd(1, ordering: .releasing)
    }

    func spaces(of server: String) -> [LearnedSpace] {
        spaces.withLock { $0[server] ?? [] }
    }

    /// Forgets everything: after a reload each loop ties what it knows to the new rules itself.
    func clear() {
        spaces.withLock { $0.removeAll() }
    }
}

/// The addresses at which this process listens, to see a request that would come back (H-13).
final class OwnAddresses: Sendable {
    private let listeners: [SocketAddress]
    private let local: Set<IPAddress>
    private let current: Locked<(addresses: Set<IPAddress>, until: Instant)>
    /// How long the machine's addresses are taken for what they were.
    private static let interval: Nanoseconds = .seconds(5)

    init(listeners: [SocketAddress], local: Set<IPAddress>) {
        self.listeners = listeners
        self.local = local
        current = Locked((local, Instant(nanoseconds: 0)))
    }

    /// Whether an interface of this machine has the address now.
    func isOwn(_ address: IPAddress) -> Bool {
        let now = Instant.monotonic
        return current.withLock { current in
            if current.until <= now { current = (LocalAddresses.all(), now.adding(nanoseconds: Self.interval)) }
            return current.addresses.contains(address)
        }
    }

    /// Whether it is this machine's own.
    func isLocal(_ address: IPAddress) -> Bool { address.isLoopback || local.contains(address.unmapped) }

    func contains(_ address: IPAddress, port: UInt16) -> Bool {
        let address = address.unmapped
        return listeners.contains { listener in
            guard listener.port == port else { return false }
            let own = listener.address.unmapped
            if own == address { return true }
            guard own.isUnspecified else { return own.isLoopback && address.isUnspecified }
            return address.isLoopback || address.isUnspecified || local.contains(address)
        }
    }
}

/// The way from one loop to the others.
final class WorkerMailboxes: Sendable {
    private let mailboxes = Locked<[Int: Mailbox<Job>]>([:])

    typealias Job = @Sendable (Worker) -> Void

    func add(_ mailbox: Mailbox<Job>, index: Int) {
        mailboxes.withLock { $0[index] = mailbox }
    }

    var count: Int { mailboxes.withLock { $0.count } }

    /// The loop behind that one, of those that can be reached; the first behind the last.
    func index(following index: Int) -> Int? {
        mailboxes.withLock { mailboxes in
            mailboxes.keys.filter { $0 > index }.min() ?? mailboxes.keys.min()
        }
    }

    func forEach(except index: Int? = nil, _ job: @escaping Job) {
        let all = mailboxes.withLock { $0 }
        for (other, mailbox) in all where other != index { mailbox.send(job) }
    }

    func send(to index: Int, _ job: @escaping Job) {
        let mailbox = mailboxes.withLock { $0[index] }
        mailbox?.send(job)
    }
}

extension DNSConfiguration {
    /// Who looks names up, as the loops' resolvers take it.
    var service: NameService.Kind {
        switch kind {
        case .system: .system
        case .cares: .nameServers(servers.map { SocketAddress($0.address, port: $0.port) })
        }
    }
}
