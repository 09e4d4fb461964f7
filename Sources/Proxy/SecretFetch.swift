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
    private let fetcher: SecretFetcher
    private var pause: Timer?

    init(_ errand: SecretLane.Errand, by fetcher: SecretFetcher) {
        self.errand = errand
        self.fetcher = fetcher
    }

    var name: String { errand.question.credential.name }
    var loop: EventLoop { fetcher.loop }
    var means: DirectConnection.Means { fetcher.means }

    /// Begins an attempt.
    func start() {
        pause = nil
        switch errand.question.credential.deferred {
        case .oauth2(let client): askEndpoint(of: client, showing: client.clientCertificate)
        case .programs, .helper, .netrc, nil: failed(.unavailable(name, "this kind isn't fetched yet"))
        }
    }

    /// Ends it untold.
    func cancel() {
        pause = nil
        request?.cancel()
        request = nil
    }

    /// The endpoint refused the client, so that what programs said of it may be outdated.
    func endpointRefused(_ error: String?) {}

    func obtained(_ kind: Credential.Kind?, sent: Instant, lifetime: Nanoseconds?) {
        fetcher.obtained(Obtained(kind: kind, sent: sent, lifetime: lifetime), for: errand)
    }

    func failed(_ failure: SecretFailure) {
        guard let moment = fetcher.failed(failure, for: errand) else { return }
        pause = Timer(loop, after: moment.since(loop.now)) { [unowned self] in start() }
    }
}
