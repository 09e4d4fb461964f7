internal import Events

/// One question to all loops, which each answers when its turn comes.
final class LoopRound: Sendable {
    private let answers = Locked((all: 0, positive: 0))
    private let count: Int

    init(_ peers: WorkerMailboxes, _ question: @escaping @Sendable (Worker) -> Bool) {
        count = peers.count
        peers.forEach { [answers = self.answers] worker in
            let answer = question(worker)
            answers.withLock {
                $0.all += 1
                if answer { $0.positive += 1 }
            }
        }
    }

    /// Every loop has answered.
    var isComplete: Bool { answers.withLock { $0.all >= count } }

    /// Every loop has answered, and with yes.
    var isUnanimous: Bool { answers.withLock { $0.positive >= count } }
}

/// Whether all loops turn: asked again and again, as a watchdog does.
package final class LoopPulse {
    private let peers: WorkerMailboxes
    private var round: LoopRound

    init(_ peers: WorkerMailboxes) {
        self.peers = peers
        round = LoopRound(peers) { _ in true }
    }

    /// True where every loop has answered the question before; then the next one is asked.
    package func beats() -> Bool {
        guard round.isComplete else { return false }
        round = LoopRound(peers) { _ in true }
        return true
    }
}
