internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange

/// What is on the loop of the lane for secrets: the fetches under way.
final class SecretFetcher {
    let means: DirectConnection.Means
    private let lane: SecretLane
    private let log: ProxyLog
    private var underWay: [SecretLane.Place: SecretFetch] = [:]
    /// Credentials whose last fetch failed: it is told once, until one succeeds.
    private var failing: Set<CredentialKey> = []

    init(lane: SecretLane, means: DirectConnection.Means, log: ProxyLog) {
        self.lane = lane
        self.means = means
        self.log = log
    }

    var loop: EventLoop { means.loop }

    func received(_ message: SecretLane.Message) {
        switch message {
        case .fetch(let errand): begin(errand)
        case .verdict: break
        case .adopt(let keys): failing.formIntersection(keys)
        case .end: end()
        }
    }

    private func begin(_ errand: SecretLane.Errand) {
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
        loop.stop()
    }
}
