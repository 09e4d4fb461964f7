package import Authentication
package import Bytes
package import HTTP
package import Rules
package import Trust

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
    /// TLS to the host itself; nil where it is spoken to in the clear.
    package let security: HopSecurity?
    /// What its parent, of which this is a tunnel, is for: an origin that is reached by CONNECT, with TLS inside.
    package let tunnel: TunnelledOrigin?
    /// The SOCKS5 proxy that connects to an origin, and whose address is dialled in its place.
    package let socks: SOCKSProxy?
    /// The tunnel through another parent in which this one is reached; nil where it is dialled.
    package let carrier: Destination?
    /// The rules that may answer this parent's challenges; empty for an origin.
    package let candidates: CandidateRules
    /// The address that is dialled, where no name has to be resolved for it.
    package let literalAddress: IPAddress?
    /// It is dialled at a loopback address, which counts as secure (A-14).
    package let isLoopback: Bool
    /// What this parent's confirmed answers taught.
    package var learned = LearnedSpaces.ofParent
    /// It refused an expectation of ours with 417, or speaks HTTP/1.0 (B-2).
    package var refusesExpectation = false
    /// It is a parent that speaks HTTP/1.0, which keeps no connection unasked (C-11).
    package var speaksHTTP10 = false
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
    /// Idle connections that belong to somebody, in the same order (C-1).
    package var owned: [UpstreamID] = []
    /// Connections that are open or opening.
    package var openCount = 0

    package init(
        key: String,
        host: String,
        port: UInt16,
        address: IPAddress?,
        parent: ParentProxy?,
        socks: SOCKSProxy? = nil,
        carrier: Destination? = nil,
        security: HopSecurity? = nil,
        tunnel: TunnelledOrigin? = nil,
        candidates: CandidateRules
    ) {
        self.security = security
        self.tunnel = tunnel
        self.key = key
        self.host = host
        self.port = port
        self.address = address
        self.parent = parent
        self.socks = socks
        self.carrier = carrier
        self.candidates = candidates
        literalAddress = carrier == nil ? address ?? IPAddress(host) : nil
        isLoopback = literalAddress?.isLoopback == true
        let isCarriedForSome = carrier.map { $0.hop.candidates.namesClients || $0.hop.isForSomeClients } ?? false
        isForSomeClients =
            tunnel != nil && candidates.namesClients || socks?.candidates.namesClients == true || isCarriedForSome
        wayName = parent?.name ?? socks?.parent.name ?? "direct \(host):\(port)"
        serverKey = carrier?.hop.serverKey ?? "\(host):\(port)"
    }

    /// Its connections are opened by answers of rules that aren't for all clients.
    package let isForSomeClients: Bool
    /// What is remembered of it as a way: the parent's name, or what is dialled directly (R-1).
    package let wayName: String
    /// The host and port that are dialled, whose connections the process-wide limit counts.
    package let serverKey: String

    /// The places of those rules, of all parents on the way, that are for this client.
    package func places(for client: Client) -> [Int] {
        var places = socks?.candidates.places(for: client) ?? candidates.places(for: client)
        if let carrier { places += carrier.hop.places(for: client) }
        return places
    }

    package var isParent: Bool { parent != nil }

    /// Some rule leaves this parent's challenges to the client itself (A-13).
    package func leavesChallenges(to client: Client) -> Bool {
        candidates.rules.contains {
            guard case .performDefaultHandling = $0.disposition else { return false }
            return $0.admits(client)
        }
    }

    /// How the ledger names this server when it is a parent.
    package var serverName: String {
        "proxy \(socks != nil ? "socks5" : security == nil ? "http" : "https")://\(host):\(port)"
    }

    /// Where this parent's spaces are learned: a tunnel of its learns with it.
    package var teacher: Hop { tunnel?.parent ?? self }

    /// What is sent to it can be read by nobody else (A-14).
    package var isSecure: Bool { security != nil || isLoopback && socks == nil }
}

/// A SOCKS5 proxy, and what it is to connect to (RFC 1928).
package struct SOCKSProxy {
    package let parent: ParentProxy
    /// The name or address that it connects to.
    package let host: String
    package let port: UInt16
    /// The rules that may log in at it.
    package let candidates: CandidateRules

    package init(parent: ParentProxy, host: String, port: UInt16, candidates: CandidateRules) {
        self.parent = parent
        self.host = host
        self.port = port
        self.candidates = candidates
    }
}

/// TLS to one server: under which policy, by which name, with which certificate of ours.
package struct HopSecurity: Sendable {
    package let policy: TrustPolicy
    /// What the certificate must be for, and what is asked for by SNI where it is a name.
    package let identity: ReferenceIdentity
    /// The credential whose certificate is shown where the server asks for one.
    package let clientIdentity: Credential?

    /// What connections and TLS sessions are kept apart by (T-5).
    package var key: String {
        "tls \(String(decoding: Hex.encode(policy.fingerprint.bytes.span), as: UTF8.self)) \(clientIdentity?.name ?? "")"
    }

    package init(policy: TrustPolicy, identity: ReferenceIdentity, clientIdentity: Credential?) {
        self.policy = policy
        self.identity = identity
        self.clientIdentity = clientIdentity
    }
}

/// An origin that a parent leads to by CONNECT.
package struct TunnelledOrigin {
    /// The parent as it is reached for other requests.
    package let parent: Hop
    /// The request-target of the CONNECT (RFC 9110 s.7.1).
    package let authority: [UInt8]
    /// TLS to the origin, inside the tunnel; nil where a client speaks in the clear in its own.
    package let security: HopSecurity?

    package init(parent: Hop, authority: [UInt8], security: HopSecurity?) {
        self.parent = parent
        self.authority = authority
        self.security = security
    }
}

/// Names an upstream connection within its loop.
package struct UpstreamID: Equatable, Hashable, Sendable {
    package let index: Int
    package init(index: Int) { self.index = index }
}

/// What is known on one loop of one origin that clients ask for: its route, its rules, and what was learned.
package final class Destination {
    /// What is dialled, after `upgrade`: what spaces and trust are about.
    package let origin: Origin
    /// What the client asked for: what routes are about.
    package let asked: Origin
    package let isTunnel: Bool
    /// It is reached through a tunnel of a parent's even in the clear (I-3, R-5).
    package let isTunnelled: Bool
    /// The CONNECT is opened (I-2).
    package let isOpened: Bool
    package let route: Route
    /// How many hops there are to choose from; it goes by the one of its terms.
    package let hopCount: Int
    package let terms: DestinationTerms
    package let hop: Hop
    package let candidates: CandidateRules
    package var learned: LearnedSpaces
    package var settled = Settled()
    /// A handshake may begin with legs that leave the body out; not where one was taken for a request (B-3).
    package var takesEmptyLegs = true
    /// The version of what other loops learned that was looked at.
    package var learnedVersion: UInt64 = 0
    /// Some rule could answer for some client: request bodies are worth keeping (B-1).
    package let mightBeAnswered: Bool
    /// TLS goes to the origin itself, or a loopback address is dialled directly (A-14).
    package let isSecure: Bool
    /// What is held against a CONNECT that isn't opened (T-12); nil where this is none.
    package let tunnelTrust: TrustPolicy?
    /// The origin's authority where it isn't the one that the client named, since its request is upgraded (R-4).
    package let upgradedAuthority: [UInt8]?
    /// What both sides call it, where they call it differently.
    package let mapping: OriginMapping?
    /// The same destination under other terms, by their keys.
    package var variants: [String: Destination] = [:]
    /// Whose variant it is; nil where it is none.
    package var root: Destination?
    /// What `access` says of it.
    package let standing: DestinationStanding
    /// When it was used last, for eviction.
    package var lastUse = Instant(nanoseconds: 0)

    /// A destination; `isTunnel` for CONNECT, whose inside no origin rule sees.
    package init(
        origin: Origin,
        asked: Origin? = nil,
        isTunnel: Bool,
        isTunnelled: Bool = false,
        isOpened: Bool = false,
        route: Route,
        hopCount: Int = 1,
        terms: DestinationTerms = DestinationTerms(),
        hop: Hop,
        candidates: CandidateRules,
        tunnelTrust: TrustPolicy? = nil,
        standing: DestinationStanding = .open
    ) {
        self.standing = standing
        self.isTunnelled = isTunnelled
        self.isOpened = isOpened
        self.tunnelTrust = tunnelTrust
        self.asked = asked ?? origin
        mapping = asked.flatMap { $0 == origin ? nil : OriginMapping(client: $0, upstream: origin) }
        upgradedAuthority = asked.map { $0 == origin ? nil : Array(origin.authority.utf8) } ?? nil
        self.origin = origin
        self.isTunnel = isTunnel
        self.route = route
        self.hopCount = hopCount
        self.terms = terms
        self.hop = hop
        self.candidates = candidates
        learned = LearnedSpaces(origin: origin)
        // Behind a failed hop another one may have rules.
        mightBeAnswered = !candidates.isEmpty || !hop.candidates.isEmpty || hopCount > 1
        isSecure = hop.isParent ? hop.tunnel?.security != nil : hop.isSecure
        authority = Array(origin.authority.utf8)
    }

    private let authority: [UInt8]

    /// The Host of a request whose target doesn't name it; empty for one whose target does.
    package func hostField(for head: borrowing RequestHead) -> [UInt8] {
        upgradedAuthority ?? (head.target.authority.isEmpty ? authority : [])
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
