package import Bytes
internal import Events

/// The end of a running proxy: whoever came in time is served (O-1, R-8).
///
/// Listening goes on until `limit` has passed, or sooner: once nothing is under way, nobody has come for a second, and
/// balancers have had `notice` to see that the process isn't ready any more. Who stands in the queues then is let in and
/// served; what is still there after `hardLimit` more is not waited for.
package final class Drain {
    /// How long each part takes at most.
    struct Terms {
        let limit: Nanoseconds
        let hardLimit: Nanoseconds
        let notice: Nanoseconds
    }

    /// How often `step` is to be called.
    package static let interval: Nanoseconds = .milliseconds(20)

    private let peers: WorkerMailboxes
    private let terms: Terms
    private var isListening = true
    private var began: Instant
    private var round: LoopRound

    init(_ peers: WorkerMailboxes, _ terms: Terms, now: Instant) {
        self.peers = peers
        self.terms = terms
        began = now
        peers.forEach { $0.drain() }
        round = Self.ask(peers, isListening: true)
    }

    private static func ask(_ peers: WorkerMailboxes, isListening: Bool) -> LoopRound {
        LoopRound(peers) { $0.isQuiet && !(isListening && $0.isVisited) }
    }

    /// Goes on as far as it has come; true when every loop may end.
    package func step(at now: Instant) -> Bool {
        let isQuiet = round.isUnanimous
        let elapsed = now.since(began)
        if isListening {
            if elapsed >= terms.limit || (isQuiet && elapsed >= terms.notice) { return stopListening(now) }
        } else if isQuiet || elapsed >= terms.hardLimit {
            return true
        }
        if round.isComplete { round = Self.ask(peers, isListening: isListening) }
        return false
    }

    private func stopListening(_ now: Instant) -> Bool {
        isListening = false
        began = now
        peers.forEach { $0.stopListening() }
        round = Self.ask(peers, isListening: false)
        return terms.hardLimit == 0
    }
}
