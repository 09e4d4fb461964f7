internal import Authentication
internal import Exchange
internal import HTTP
internal import Rules

extension Worker {
    func adoptLearned(_ destination: Destination, _ version: UInt64) {
        destination.learnedVersion = version
        if !destination.isTunnel {
            destination.learned.adopt(
                missing: shared.learned.spaces(of: destination.serverName),
                under: destination.candidates
            )
        }
        if destination.hop.isParent {
            destination.hop.teacher.learned.adopt(
                missing: shared.learned.spaces(of: destination.hop.serverName),
                under: destination.hop.candidates
            )
        }
    }

    /// Lets the other loops start from what this one learned.
    func publishLearned(_ destination: Destination) {
        if !destination.learned.isEmpty {
            shared.learned.publish(destination.serverName, destination.learned.snapshot)
        }
        if destination.hop.isParent, !destination.hop.teacher.learned.isEmpty {
            shared.learned.publish(destination.hop.serverName, destination.hop.teacher.learned.snapshot)
        }
    }

    func replayLimits(mightBeAnswered: Bool, isIdempotent: Bool) -> ReplayLimits {
        let limits = configuration.limits
        guard mightBeAnswered || isIdempotent else { return .none }
        return ReplayLimits(
            memory: UInt64(limits.replayMemory),
            disk: mightBeAnswered ? UInt64(limits.replayDisk) : 0,
            folder: configuration.spool
        )
    }
}

extension Destination {
    /// How it was asked for.
    var way: DestinationTable.Way {
        DestinationTable.Way(scheme: asked.scheme, isTunnel: isTunnel, isTunnelled: isTunnelled)
    }
}
