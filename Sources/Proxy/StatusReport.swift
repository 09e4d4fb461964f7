package import Authentication
package import Telemetry

/// What the running process tells its operators: the page's JSON, `countersign status`, and the gauges of `/metrics`.
///
/// Names, numbers and times only; no secret has a place in it (S-5).
package struct StatusReport: Sendable {
    /// A protection space that was learned, and what answers it.
    package struct Space: Hashable, Sendable {
        /// `origin http://h:80` or `parent http://p:3128`.
        package var server: String
        /// Nil where no realm was named.
        package var realm: String?
        /// The authentication method, as `digest`.
        package var method: String
        /// The credential's name.
        package var credential: String
        /// The rule that decided, as `rules[3]`.
        package var rule: String
    }

    /// What was decided of a server's certificates.
    package struct TrustSighting: Equatable, Sendable {
        /// `host:port`, as dialled.
        package var server: String
        /// The policy, as `trust[0]`.
        package var policy: String
        /// `accepted`, `observed`, `reported` or `refused`.
        package var verdict: String
        /// The reason code where it was not plainly accepted; else empty.
        package var reason: String
        /// `sha256/…` of each certificate that was seen, the server's first.
        package var pins: [String]
        /// How often.
        package var count: UInt64
        /// When last, in seconds since 1970.
        package var unixSeconds: Int64
    }

    /// A way by which upstreams are reached.
    package struct Way: Equatable, Sendable {
        /// The parent's name, or what is dialled directly.
        package var name: String
        /// It failed and is left out for now.
        package var isResting: Bool
        /// For so many more seconds.
        package var secondsLeft: UInt64
    }

    package var version: String
    /// In seconds since 1970.
    package var unixSeconds: Int64
    package var startedAt: Int64
    package var readiness: Readiness.Snapshot
    package var workers: Int
    package var listeners: [String]
    package var totals: MetricsSnapshot
    package var history: MetricsHistory
    package var spaces: [Space]
    package var credentials: [CredentialReport]
    package var trust: [TrustSighting]
    package var ways: [Way]
    package var droppedLogLines: UInt64
}
