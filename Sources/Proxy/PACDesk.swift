internal import Bytes
internal import Events
internal import Rules

/// What is on the loop of the lane for PAC files.
final class PACDesk {
    private let means: PACSource.Means
    private var sources: [PACConfiguration: PACSource] = [:]
    private var addresses = LocalAddresses.all()
    private var look: Timer?

    /// How long a change of network may stay unseen.
    private static let attention: Nanoseconds = .seconds(5)

    init(_ means: PACSource.Means) {
        self.means = means
        look = Timer(means.connecting.loop, after: Self.attention, repeats: true) { [unowned self] in lookAround() }
    }

    func received(_ message: PACLane.Message) {
        switch message {
        case .adopt(let policy): adopt(policy)
        case .ask(let question, let url):
            guard let source = sources[question.configuration] else { return means.lane.unanswered(question) }
            source.ask(question.origin, url: url)
        case .read(let configuration, let outcome): sources[configuration]?.wasRead(outcome)
        case .end:
            look = nil
            for source in sources.values { source.end() }
            sources = [:]
            means.connecting.loop.stop()
        }
    }

    private func adopt(_ policy: Policy) {
        let named = policy.pacConfigurations
        for (configuration, source) in sources where !named.contains(configuration) {
            source.end()
            sources[configuration] = nil
            means.lane.forgot(configuration)
        }
        for configuration in named {
            if let source = sources[configuration] {
                source.adopt(policy)
            } else {
                let source = PACSource(configuration, under: policy, by: means)
                sources[configuration] = source
                source.start()
            }
        }
    }

    private func lookAround() {
        let now = LocalAddresses.all()
        guard now != addresses else { return }
        addresses = now
        means.lane.networkChanged()
        for source in sources.values { source.networkChanged() }
    }
}
