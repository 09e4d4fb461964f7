internal import Bytes
internal import Events
internal import TLS
internal import Trust

/// What was decided of servers' certificates, the latest of each verdict on each server, for the operators to look at (T-10).
final class TrustSightings: Sendable {
    private static let bound = 1000

    private struct Key: Hashable {
        let server: String
        let policy: String
        let verdict: String
    }

    private let table = Locked<[Key: StatusReport.TrustSighting]>([:])

    /// The sightings, by server.
    var all: [StatusReport.TrustSighting] {
        table.withLock { Array($0.values) }.sorted {
            ($0.server, $0.policy, $0.verdict) < ($1.server, $1.policy, $1.verdict)
        }
    }

    /// A handshake with `server` has come to a decision; resumed ones come to none.
    func note(_ session: TLSSession, with server: String, under policy: String, unixSeconds: Int64) {
        guard let decision = session.decision else { return }
        let reason = decision.failure?.reasonCode ?? ""
        let verdict = Self.verdict(decision)
        let path = session.peerPath
        table.withLock { table in
            let key = Key(server: server, policy: policy, verdict: verdict)
            let old = table[key]
            if old == nil, table.count >= Self.bound, let oldest = table.min(by: Self.isOlder) {
                table[oldest.key] = nil
            }
            // A server's keys seldom change; made anew for each handshake, their text would cost more than the rest.
            let first = path.first?.publicKeyPin.description
            let pins = old.flatMap { $0.pins.first == first ? $0.pins : nil } ?? path.map(\.publicKeyPin.description)
            table[key] = StatusReport.TrustSighting(
                server: server,
                policy: policy,
                verdict: verdict,
                reason: reason,
                pins: pins,
                count: (old?.count ?? 0) + 1,
                unixSeconds: unixSeconds
            )
        }
    }

    private static func isOlder(
        _ left: (key: Key, value: StatusReport.TrustSighting),
        _ right: (key: Key, value: StatusReport.TrustSighting)
    ) -> Bool {
        left.value.unixSeconds < right.value.unixSeconds
    }

    private static func verdict(_ decision: TrustDecision) -> String {
        switch decision {
        case .accept: "accepted"
        case .acceptAndReport(let failure): failure.kind == .observed ? "observed" : "reported"
        case .reject: "refused"
        }
    }
}
