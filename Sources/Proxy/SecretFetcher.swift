internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import Glibc

/// What is on the loop of the lane for secrets: the fetches under way.
final class SecretFetcher {
    let means: DirectConnection.Means
    let programs: ProgramQueue
    /// What programs printed, by the key of the credential that it belongs to.
    var outputs: [CredentialKey: ProgramOutputs] = [:]
    /// Credentials whose programs' outputs are for a token endpoint.
    var endpointClients: Set<CredentialKey> = []
    private let lane: SecretLane
    private let ledger: SharedLedger
    private let files: WorkLane
    private let mailbox: Mailbox<SecretLane.Message>
    /// Who waits for a file, by a number of its own.
    private var reading: [UInt64: (Result<Secret, SystemError>) -> Void] = [:]
    private var lastReading: UInt64 = 0
    private let log: ProxyLog
    private var underWay: [SecretLane.Place: SecretFetch] = [:]
    /// Credentials whose last fetch failed: it is told once, until one succeeds.
    private var failing: Set<CredentialKey> = []

    init(
        lane: SecretLane,
        connecting: DirectConnection.Means,
        shared: SecretMeans,
        ledger: SharedLedger,
        mailbox: Mailbox<SecretLane.Message>
    ) {
        self.lane = lane
        self.ledger = ledger
        self.mailbox = mailbox
        means = connecting
        files = shared.files
        log = shared.log
        programs = ProgramQueue(connecting.loop)
    }

    var loop: EventLoop { means.loop }

    func received(_ message: SecretLane.Message) {
        switch message {
        case .fetch(let errand): begin(errand)
        case .verdict(let verdict): tell(verdict)
        case .adopt(let keys): adopt(keys)
        case .read(let number, let result): reading.removeValue(forKey: number)?(result)
        case .end: end()
        }
    }

    /// See `SharedLedger.admit`.
    func admit(_ kind: Credential.Kind, for source: Credential, under key: CredentialKey) -> Credential {
        ledger.admit(kind, for: source, under: key)
    }

    /// Has a file read where that holds up nobody else; the number is for `stopReading`.
    func read(_ path: String, then use: @escaping (Result<Secret, SystemError>) -> Void) -> UInt64 {
        lastReading += 1
        let number = lastReading
        reading[number] = use
        let isTaken = files.submit { [mailbox] in mailbox.send(.read(number, SecretFile.read(path))) }
        if !isTaken { mailbox.send(.read(number, .failure(SystemError(.thread, code: EAGAIN)))) }
        return number
    }

    /// Nobody waits for that file any more.
    func stopReading(_ number: UInt64) { reading[number] = nil }

    private func adopt(_ keys: Set<CredentialKey>) {
        failing.formIntersection(keys)
        endpointClients.formIntersection(keys)
        outputs = outputs.filter { keys.contains($0.key) }
    }

    private func begin(_ errand: SecretLane.Errand) {
        // One that nobody waits for any more, since its entry was forgotten.
        underWay[errand.place]?.cancel()
        let fetch = SecretFetch(errand, by: self)
        underWay[errand.place] = fetch
        fetch.start()
    }

    func obtained(_ secret: SecretFetch.Obtained, for errand: SecretLane.Errand) {
        underWay[errand.place] = nil
        failing.remove(errand.place.key)
        lane.obtained(secret.kind, for: errand, sent: secret.sent, lifetime: secret.lifetime)
    }

    func failed(_ failure: SecretFailure, for errand: SecretLane.Errand) -> Instant? {
        let next = lane.failed(failure, for: errand, now: loop.now)
        if next == nil {
            underWay[errand.place] = nil
            if failing.insert(errand.place.key).inserted {
                let detail = failure.detail.isEmpty ? "" : " (\(failure.detail))"
                log.warn("\(failure.response.details)\(detail)")
            }
        }
        return next
    }

    private func end() {
        for fetch in underWay.values { fetch.cancel() }
        underWay.removeAll()
        programs.stop()
        loop.stop()
    }
}
