package import Bytes

/// `limits`, for the process; sizes in bytes.
package struct LimitsConfiguration: Sendable {
    /// Connections of clients.
    package var connections = 20_000
    /// A message's head.
    package var head = 64 << 10
    /// The number of fields in a head.
    package var fields = 200
    /// A request target.
    package var target = 16 << 10
    /// What is kept of a body in memory for a further leg (B-1).
    package var replayMemory = 64 << 10
    /// What is kept of a body in a file.
    package var replayDisk = 1 << 30
    /// What is kept of all bodies in files.
    package var replayTotal = 4 << 30
    /// Connections to one upstream host.
    package var upstreamConnectionsPerHost = 256
    /// What is read of a challenge's body to keep its connection (B-6).
    package var drainOnChallenge = 256 << 10

    /// The rule file's defaults.
    package init() {}
}

/// `timeouts`: how long everything may take.
package struct TimeoutsConfiguration: Sendable {
    /// Until a connection to an upstream stands.
    package var connect: Nanoseconds = .seconds(10)
    /// Until its handshake is done.
    package var handshake: Nanoseconds = .seconds(10)
    /// Until a request's head is whole.
    package var requestHead: Nanoseconds = .seconds(30)
    /// Between two bytes of a request's body.
    package var requestBody: Nanoseconds = .seconds(60)
    /// Until a response's head is whole.
    package var responseHead: Nanoseconds = .seconds(120)
    /// Between two bytes of a response's body.
    package var responseBody: Nanoseconds = .seconds(120)
    /// How long a client's connection waits for a request.
    package var clientIdle: Nanoseconds = .seconds(75)
    /// How long a connection stays in the pool.
    package var upstreamIdle: Nanoseconds = .seconds(55)
    /// How long a tunnel may be silent.
    package var tunnelIdle: Nanoseconds = .seconds(7200)
    /// How long half of a tunnel stays open after the other half ended.
    package var tunnelHalf: Nanoseconds = .seconds(60)
    /// How long the proxy goes on serving after it was told to end (O-1).
    package var drain: Nanoseconds = .seconds(30)
    /// How long what is under way may take after that.
    package var drainHard: Nanoseconds = .seconds(10)
    /// Until a name is resolved.
    package var dns: Nanoseconds = .seconds(5)

    /// The rule file's defaults.
    package init() {}
}

/// `log`: what is told, and how.
package struct LogConfiguration: Equatable, Sendable {
    /// How a line is written.
    package enum Format: Sendable { case text, json }
    /// How much is told, each level holding those before it.
    package enum Level: Sendable { case error, warning, info, debug }

    /// How a line is written.
    package var format = Format.text
    /// What is told.
    package var level = Level.info
    /// A line for each exchange.
    package var access = true
    /// Whether targets are logged with their query.
    package var query = false

    /// The rule file's defaults.
    package init() {}
}

/// `http`: how HTTP is spoken.
package struct HTTPConfiguration: Sendable {
    /// The pseudonym in Via; nil: `countersign-` and random hex.
    package var via: String?
    /// The protocols that a client may upgrade to, in lower case (H-5b).
    package var upgrades: [String] = ["websocket"]
    /// Whether a login in the target is allowed (H-1b).
    package var userinfo = false
    /// Whether TRACE is served (H-12).
    package var trace = false

    /// The rule file's defaults.
    package init() {}
}
