internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange

/// One fetch of one secret, with all its attempts.
final class SecretFetch {
    /// What a fetch brought.
    struct Obtained {
        /// nil: there is none for that server.
        let kind: Credential.Kind?
        /// When the attempt began.
        let sent: Instant
        /// nil: until it is refused.
        let lifetime: Nanoseconds?
    }

    let errand: SecretLane.Errand
    /// The request that is under way.
    var request: EndpointRequest?
    let fetcher: SecretFetcher
    private var pause: Timer?
    private var reading: UInt64?

    init(_ errand: SecretLane.Errand, by fetcher: SecretFetcher) {
        self.errand = errand
        self.fetcher = fetcher
    }

    var key: CredentialKey { errand.place.key }
    var name: String { errand.question.credential.name }
    var loop: EventLoop { fetcher.loop }
    var means: DirectConnection.Means { fetcher.means }

    /// Begins an attempt.
    func start() {
        pause = nil
        switch errand.question.credential.deferred {
        case .oauth2(let client): askEndpoint(of: client)
        case .programs(let credential): runPrograms(of: credential)
        case .helper(let arguments): askHelper(arguments)
        case .netrc(let path): readNetrc(path)
        case nil: readToken()
        }
    }

    /// Ends it untold.
    func cancel() {
        pause = nil
        request?.cancel()
        request = nil
        if let reading { fetcher.stopReading(reading) }
    }

    func obtained(_ kind: Credential.Kind?, sent: Instant, lifetime: Nanoseconds?) {
        fetcher.obtained(Obtained(kind: kind, sent: sent, lifetime: lifetime), for: errand)
    }

    func failed(_ failure: SecretFailure) {
        guard let moment = fetcher.failed(failure, for: errand) else { return }
        pause = Timer(loop, after: moment.since(loop.now)) { [unowned self] in start() }
    }

    /// Reads a file, which gets ten seconds.
    func read(_ path: String, then use: @escaping (Result<Secret, SystemError>) -> Void) {
        let number = fetcher.read(path) { [unowned self] result in
            pause = nil
            reading = nil
            use(result)
        }
        reading = number
        pause = Timer(loop, after: .seconds(10)) { [unowned self] in
            pause = nil
            fetcher.stopReading(number)
            use(.failure(.timedOut))
        }
    }
}
