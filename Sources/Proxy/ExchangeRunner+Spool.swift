internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import Rules

/// The hash over a kept body (RFC 7616 s.3.4.3), as far as it has come: its pieces come in different turns.
final class BodyHash {
    let digest = MessageDigest()
    var offset: UInt64 = 0

    init(_ algorithm: DigestAlgorithm) { digest.begin(algorithm) }

    func finish() -> [UInt8] {
        var result = [64 of UInt8](repeating: 0)
        let count = digest.finish(into: &result)
        return (0..<count).map { result[$0] }
    }
}

/// What the lane for files does for an exchange, and what goes on once it is done.
extension ExchangeRunner {
    /// Gives the lane its next work, where there is some.
    func spool() {
        guard let (file, work) = replay.nextWork() else { return }
        worker.spooling[number] = self
        worker.shared.files.submit(
            FileLane.Job(file: file, work: work) {
                [peers = worker.shared.peers, index = worker.index, number] outcome in
                peers.send(to: index) { $0.spooling[number]?.spooled(outcome, of: file) }
            }
        )
    }

    /// The lane has done its work.
    private func spooled(_ outcome: FileLane.Outcome, of file: SpoolFile) {
        switch replay.settle(outcome, of: file) {
        case .stale:
            return
        case .done:
            spool()
        case .failed:
            replay.drop()
            exchange.machine.isBodyKept = false
        }
        if awaitsSpool {
            guard !replay.isUnsettled else { return }
            awaitsSpool = false
            return judgeHead(isMoreBehind: upstream?.hasUnread ?? false)
        }
        if isCollecting { return goOnCollecting() }
        if isBodyOpen && replayOffset < replay.received { return pumpBody() }
        if !replay.isFull { client?.resumeInput() }
    }

    private func goOnCollecting() {
        guard exchange.machine.isBodyKept else { return stopCollecting() }
        guard isRequestBodyRead else {
            client?.resumeInput()
            return
        }
        if let step = hashBody() { perform(step) }
    }

    /// The body is too large to be kept, or the disk too full.
    func stopCollecting() {
        isCollecting = false
        bodyHash = nil
        perform(exchange.machine.bodyNotKept())
    }

    /// Hashes what is kept, which is the whole body; nil while the lane reads the next piece.
    func hashBody() -> ExchangeStateMachine.Step? {
        let hash = bodyHash ?? BodyHash(exchange.machine.bodyHashAlgorithm)
        bodyHash = hash
        while hash.offset < replay.count {
            var piece = worker.takeBodyScratch()
            let reading = replay.read(at: hash.offset, limit: 64 * 1024, into: &piece)
            hash.offset += UInt64(piece.count)
            hash.digest.update(piece.readable)
            worker.giveBodyScratch(piece)
            switch reading {
            case .bytes: break
            case .later:
                deadline?.set(to: worker.loop.now.adding(nanoseconds: worker.timeouts.requestBody))
                spool()
                return nil
            case .failed:
                return exchange.machine.failed(ExchangeError(.replayFailed, .local))
            }
        }
        isCollecting = false
        bodyHash = nil
        return exchange.machine.bodyCollected(hash: hash.finish())
    }

    /// The exchange ends: nothing of the body is kept any longer.
    func endReplay() {
        worker.spooling[number] = nil
        replay.reset()
        awaitsSpool = false
        isHeldConnectionLost = false
        bodyHash = nil
        isReplayBegun = false
    }
}
