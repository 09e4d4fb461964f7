package import Authentication
package import Bytes
package import HTTP
package import Rules

/// A place to which connections are opened, an origin dialled directly or a parent proxy, on one loop.
package final class Hop {
    /// Tells it from other hops of its loop.
    package let key: String
    package let host: String
    package let port: UInt16
    /// Where to connect in place of the host's own addresses (`to`).
    package let address: IPAddress?
    /// The parent, where this is one.
    package let parent: ParentProxy?
    /// The rules that may answer this parent's challenges; empty for an origin.
    package let candidates: CandidateRules
    /// The address that is dialled, where no name has to be resolved for it.
    package let literalAddress: IPAddress?
    /// It is dialled at a loopback address, which counts as secure.
    package let isLoopback: Bool
    /// What this parent's confirmed answers taught.
    package var learned = LearnedSpaces.ofParent
    /// It refused an expectation of ours with 417, or speaks HTTP/1.0 (B-2).
    package var refusesExpectation = false
    /// It was seen to end a connection behind a challenge without saying so.
    package var closesBehindChallenges = false
    /// The learned space that may be sent ahead without asking the ledger while that is at its version.
    package var settled = Settled()
    /// Its connections lead to where the rules in force say.
    package var isCurrent: Bool {
        get { isInForce }
        set { isInForce = newValue }
    }
    private var isInForce = true
    /// Idle connections, the one used last at the end.
    package var idle: [UpstreamID] = []
    /// Connections that are open or opening.
    package var openCount = 0

    package init(
        key: String,
        host: String,
        port: UInt16,
        address: IPAddress?,
        parent: ParentProxy?,
        candidates: CandidateRules
    ) {
        self.key = key
        self.host = host
        self.port = port
        self.address = address
        self.parent = parent
        self.candidates = candidates
        literalAddress = address ?? IPAddress(host)
        isLoopback = literalAddress?.isLoopback == true
    }

    package var isParent: Bool { parent != nil }

    /// Some rule leaves this parent's challenges to the client itself.
    package func leavesChallenges(to client: Client) -> Bool {
        candidates.rules.contains {
            guard case .performDefaultHandling = $0.disposition else { return false }
            return $0.admits(client)
        }
    }

    /// How the ledger names this server when it is a parent.
    package var serverName: String { "proxy http://\(host):\(port)" }
}

/// Names an upstream connection within its loop.
package struct UpstreamID: Equatable, Hashable, Sendable {
    package let index: Int
    package init(index: Int) { self.index = index }
}

/// What is known on one loop of one origin that clients ask for: its route, its rules, and what was learned.
package final class Destination {
    package let origin: Origin
    package let isTunnel: Bool
    package let route: Route
    package let hop: Hop
    package let candidates: CandidateRules
    package var learned: LearnedSpaces
    package var settled = Settled()
    /// The version of what other loops learned that was looked at.
    package var learnedVersion: UInt64 = 0
    /// Some rule could answer for some client: request bodies are worth keeping (B-1).
    package let mightBeAnswered: Bool
    /// A directly dialled loopback address counts as secure.
    package let isSecure: Bool
    /// When it was used last, for eviction.
    package var lastUse = Instant(nanoseconds: 0)

    /// A destination; `isTunnel` for CONNECT, whose inside no origin rule sees.
    package init(origin: Origin, isTunnel: Bool, route: Route, hop: Hop, candidates: CandidateRules) {
        self.origin = origin
        self.isTunnel = isTunnel
        self.route = route
        self.hop = hop
        self.candidates = candidates
        learned = LearnedSpaces(origin: origin)
        mightBeAnswered = !candidates.isEmpty || !hop.candidates.isEmpty
        isSecure = !hop.isParent && hop.isLoopback
    }

    /// Some rule could answer a challenge to this client (B-1).
    package func mightBeAnswered(for client: Client) -> Bool {
        mightBeAnswered && (candidates.mightAnswer(client) || hop.candidates.mightAnswer(client))
    }

    /// How the ledger names this origin.
    package var serverName: String { "origin \(origin.text)" }
}

@available(*, unavailable)
extension Hop: Sendable {}

@available(*, unavailable)
extension Destination: Sendable {}

extension Origin {
    /// Scheme, host and port in one spelling.
    package var text: String { "\(scheme.text)://\(authorityWithPort)" }
}

/// A learned space that the ledger had nothing against.
package struct Settled: Equatable, Sendable {
    /// The ledger's version then.
    package var version = UInt64.max
    package var space = -1
}
