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

    private let errand: SecretLane.Errand
    private let fetcher: SecretFetcher
    private var pause: Timer?

    init(_ errand: SecretLane.Errand, by fetcher: SecretFetcher) {
        self.errand = errand
        self.fetcher = fetcher
    }

    private var name: String { errand.question.credential.name }

    func start() {
        failed(.unavailable(name, "this kind isn't fetched yet"))
    }

    /// Ends it untold.
    func cancel() {
        pause = nil
    }

    private func obtained(_ kind: Credential.Kind?, sent: Instant, lifetime: Nanoseconds?) {
        fetcher.obtained(Obtained(kind: kind, sent: sent, lifetime: lifetime), for: errand)
    }

    private func failed(_ failure: SecretFailure) {
        guard let moment = fetcher.failed(failure, for: errand) else { return }
        pause = Timer(fetcher.loop, after: moment.since(fetcher.loop.now)) { [unowned self] in start() }
    }
}
