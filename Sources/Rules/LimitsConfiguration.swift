package import Bytes

/// `limits`, for the process; sizes in bytes.
package struct LimitsConfiguration: Sendable {
    package var connections = 20000
    package var head = 64 << 10
    package var fields = 200
    package var target = 16 << 10
    package var replayMemory = 64 << 10
    package var replayDisk = 1 << 30
    package var replayTotal = 4 << 30
    package var upstreamConnectionsPerHost = 256
    package var drainOnChallenge = 256 << 10

    package init() {}
}

/// `timeouts`; those of bodies are between two bytes.
package struct TimeoutsConfiguration: Sendable {
    package var connect: Nanoseconds = .seconds(10)
    package var handshake: Nanoseconds = .seconds(10)
    package var requestHead: Nanoseconds = .seconds(30)
    package var requestBody: Nanoseconds = .seconds(60)
    package var responseHead: Nanoseconds = .seconds(120)
    package var responseBody: Nanoseconds = .seconds(120)
    package var clientIdle: Nanoseconds = .seconds(75)
    package var upstreamIdle: Nanoseconds = .seconds(55)
    package var tunnelIdle: Nanoseconds = .seconds(7200)
    package var tunnelHalf: Nanoseconds = .seconds(60)
    package var drain: Nanoseconds = .seconds(30)
    package var drainHard: Nanoseconds = .seconds(10)
    package var dns: Nanoseconds = .seconds(5)

    package init() {}
}

/// `log`.
package struct LogConfiguration: Sendable {
    package enum Format: Sendable { case text, json }
    package enum Level: Sendable { case error, warning, info, debug }

    package var format = Format.text
    package var level = Level.info
    /// A line for each exchange.
    package var access = true
    /// Whether targets are logged with their query.
    package var query = false

    package init() {}
}

/// `http`.
package struct HTTPConfiguration: Sendable {
    /// The pseudonym in Via; nil: `countersign-` and random hex.
    package var via: String?
    package var upgrades: [String] = ["websocket"]
    /// Whether a login in the target is allowed (H-1b).
    package var userinfo = false
    package var trace = false

    package init() {}
}
