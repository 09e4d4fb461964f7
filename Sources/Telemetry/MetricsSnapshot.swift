package import Bytes

/// What one loop counted since its start; those of all loops add up to the process's.
///
/// A loop adds to its own without a lock and, but for a reason that it meets for the first time, without an allocation.
package struct MetricsSnapshot: Equatable, Sendable {
    /// What the places of `responses` are called.
    package static let responseClasses = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"]

    /// The response a client got, by the first digit of its status; the first for exchanges without a response.
    package private(set) var responses = [UInt64](repeating: 0, count: 6)
    /// How long exchanges took; tunnels are left out.
    package private(set) var durations = DurationHistogram()
    /// Requests that went upstream.
    package private(set) var attempts: UInt64 = 0
    /// Exchanges in which an origin sent a challenge.
    package private(set) var originChallenges: UInt64 = 0
    /// Exchanges in which a parent proxy sent one.
    package private(set) var parentChallenges: UInt64 = 0
    /// Exchanges that were answered by a credential, ahead of time or behind a challenge.
    package private(set) var answered: UInt64 = 0
    /// Bytes of bodies and tunnels that came from clients.
    package private(set) var bytesIn: UInt64 = 0
    /// Bytes of bodies and tunnels that went to clients.
    package private(set) var bytesOut: UInt64 = 0
    /// Tunnels that ended.
    package private(set) var tunnels: UInt64 = 0
    /// How many exchanges ended with each reason code (O-9).
    package private(set) var reasons: [String: UInt64] = [:]
    /// Connections of clients that are open.
    package var clientConnections: UInt64 = 0
    /// Connections to upstreams that are open, in use or not.
    package var upstreamConnections: UInt64 = 0

    /// Nothing counted.
    package init() {}

    /// One exchange that has ended.
    package struct Exchange {
        /// The status that the client got; 0 for none.
        package var status: UInt16
        package var duration: Nanoseconds
        package var attempts: UInt64
        package var bytesIn: UInt64
        package var bytesOut: UInt64
        package var isTunnel: Bool
        package var challenge: Challenge
        package var isAnswered: Bool
        /// Empty where nothing went otherwise than asked.
        package var reason: String

        /// An exchange in all its parts.
        package init(
            status: UInt16,
            duration: Nanoseconds,
            attempts: UInt64,
            bytesIn: UInt64,
            bytesOut: UInt64,
            isTunnel: Bool,
            challenge: Challenge,
            isAnswered: Bool,
            reason: String
        ) {
            self.status = status
            self.duration = duration
            self.attempts = attempts
            self.bytesIn = bytesIn
            self.bytesOut = bytesOut
            self.isTunnel = isTunnel
            self.challenge = challenge
            self.isAnswered = isAnswered
            self.reason = reason
        }
    }

    /// Whose challenge came last in an exchange.
    package enum Challenge: Sendable { case none, origin, parent }

    /// Counts an exchange.
    package mutating func count(_ exchange: Exchange) {
        let digit = Int(exchange.status / 100)
        responses[digit < responses.count ? digit : 0] &+= 1
        if exchange.isTunnel { tunnels &+= 1 } else { durations.count(exchange.duration) }
        attempts &+= exchange.attempts
        bytesIn &+= exchange.bytesIn
        bytesOut &+= exchange.bytesOut
        switch exchange.challenge {
        case .none: break
        case .origin: originChallenges &+= 1
        case .parent: parentChallenges &+= 1
        }
        if exchange.isAnswered { answered &+= 1 }
        if !exchange.reason.isEmpty { reasons[exchange.reason, default: 0] &+= 1 }
    }

    /// Exchanges that have ended.
    package var exchanges: UInt64 { responses.reduce(0, &+) }

    /// Challenges of either kind.
    package var challenges: UInt64 { originChallenges &+ parentChallenges }

    /// Exchanges that ended with a reason.
    package var failures: UInt64 { reasons.values.reduce(0, &+) }

    /// Adds what another loop counted.
    package mutating func add(_ other: MetricsSnapshot) {
        for index in responses.indices { responses[index] &+= other.responses[index] }
        durations.add(other.durations)
        attempts &+= other.attempts
        originChallenges &+= other.originChallenges
        parentChallenges &+= other.parentChallenges
        answered &+= other.answered
        bytesIn &+= other.bytesIn
        bytesOut &+= other.bytesOut
        tunnels &+= other.tunnels
        reasons.merge(other.reasons) { $0 &+ $1 }
        clientConnections &+= other.clientConnections
        upstreamConnections &+= other.upstreamConnections
    }
}
