package import Authentication
package import Crypto
package import Rules

/// Whose challenge: the origin's 401 or the parent proxy's 407.
package enum Side: Equatable, Sendable {
    case origin, parent
}

/// What a leg of an exchange carries for one side.
enum SentValue: Equatable {
    case none
    /// Basic, which doesn't depend on the challenge, in answer to one or sent ahead.
    case basicAnswer, basicAhead
    case digestAnswer, digestAhead
    /// A token [RFC 6750], in answer to a challenge or sent ahead.
    case bearer
    /// A token of a handshake that goes on, whatever the peer says to it.
    case leg
    /// The token of a handshake that the peer's verdict is expected to.
    case lastLeg
}

/// An answer that was chosen for one side of an exchange.
package struct PreparedAnswer: Sendable {
    package enum Value: Sendable {
        case basic(Secret)
        case digest(DigestChallenge)
        case bearer(Secret)
        /// One token after the other, on one connection (C-1).
        case handshake(TokenQuestion.Mechanism)
        /// The credential has to be fetched first; nil for what is sent ahead.
        case deferred(AuthenticationMethod, AuthenticationChallenge?)
    }

    package let credential: Credential
    /// The rule that gave it; nil for a login in the target's userinfo (H-1b).
    package let rule: Rule?
    package let realm: [UInt8]?
    package let value: Value

    package init(credential: Credential, rule: Rule?, realm: [UInt8]?, value: Value) {
        self.credential = credential
        self.rule = rule
        self.realm = realm
        self.value = value
    }

    package var method: AuthenticationMethod {
        switch value {
        case .basic: .basic
        case .digest: .digest
        case .bearer: .bearer
        case .handshake(.ntlm): .ntlm
        case .handshake(.negotiate): .negotiate
        case .deferred(let method, _): method
        }
    }
}

/// What one side of an exchange intends to send and what became of what was sent.
struct AuthorizationSide {
    enum Plan: Equatable {
        case none
        /// The space of this id among what was learned.
        case learned(Int)
        /// `prepared`, in answer to a challenge.
        case answer
        /// `prepared`, before any challenge (`preempt: always`, or in place of the client's own).
        case ahead
    }

    enum Permission: Equatable {
        case notNeeded, needed, granted
    }

    var plan = Plan.none
    var prepared: PreparedAnswer?
    var permission = Permission.notNeeded
    /// This exchange holds the scout's role, or waits, for the credential in question.
    var isKnownToLedger = false
    /// It is the one that others wait for: what it sends shows whether the credential is right.
    var isScout = false
    var sent = SentValue.none
    /// The steps of the last decision and the next of them to try.
    var steps: [Decision.Step] = []
    var nextStep = 0
    var challenges: [AuthenticationChallenge] = []
    var offers: [Offer] = []
    var passedOver: [Decision.PassedOver] = []
    /// Names of credentials that were refused in this exchange.
    var refused: [String] = []
    /// Why this side was not answered.
    var reason: LocalResponse?
    var staleRounds = 0
    /// A fresh nonce is needed for the prepared digest answer.
    var wantsFreshNonce = false
    /// The digest of the body for the prepared answer (qop auth-int).
    var bodyHash: [UInt8]?
    /// The prepared answer was confirmed in this exchange.
    var isConfirmed = false
    /// What is sent ahead by `.ahead` was confirmed by an answer before (A-6b).
    var isAheadLearned = false
    /// The token was fetched anew in this exchange, since the server refused it.
    var isFetchedAnew = false
    /// What few exchanges need: apart, since a side is copied far more often than it is used. Nil: nothing of it.
    private var rare: Rare?

    /// The token in whose place another one is to come.
    var refusedToken: Credential? {
        get { rare?.refusedToken }
        set { if rare != nil || newValue != nil { ensured.refusedToken = newValue } }
    }

    /// Rules whose method failed before anything secret was sent.
    var unavailable: [CandidateRules.Exception] {
        get { rare?.unavailable ?? [] }
        set { if rare != nil || !newValue.isEmpty { ensured.unavailable = newValue } }
    }

    var handshake: Handshake {
        get { rare?.handshake ?? Handshake() }
        set { ensured.handshake = newValue }
    }

    /// A handshake was begun in this exchange, or the connection in hand is authenticated by one.
    var hasHandshake: Bool { rare != nil }

    private final class Rare {
        var handshake = Handshake()
        var refusedToken: Credential?
        var unavailable: [CandidateRules.Exception] = []
    }

    private var ensured: Rare {
        mutating get {
            if let rare { return rare }
            let made = Rare()
            rare = made
            return made
        }
    }
    /// A value of ours brought the response that is passed on, or authenticated its connection before.
    var isAnswered: Bool { sent != .none || hasHandshake && handshake.isAuthenticated }

    mutating func reset() {
        // The common exchange has nothing to forget here.
        if plan == .none && sent == .none && challenges.isEmpty && reason == nil && rare == nil { return }
        plan = .none
        prepared = nil
        permission = .notNeeded
        isKnownToLedger = false
        isScout = false
        sent = .none
        steps.removeAll(keepingCapacity: true)
        nextStep = 0
        challenges.removeAll(keepingCapacity: true)
        offers.removeAll(keepingCapacity: true)
        passedOver.removeAll(keepingCapacity: true)
        refused.removeAll(keepingCapacity: true)
        reason = nil
        staleRounds = 0
        wantsFreshNonce = false
        bodyHash = nil
        isConfirmed = false
        isAheadLearned = false
        isFetchedAnew = false
        rare = nil
    }

    /// The prepared answer covers the body (qop auth-int).
    var coversBody: Bool {
        guard plan == .answer, case .digest(let challenge)? = prepared?.value else { return false }
        return challenge.qop == .authInt
    }
}

/// A nonce that an upstream connection holds, and the space it belongs to (A-4b).
package struct HeldNonce {
    package let session: DigestSession
    package let credential: Credential
    package let realm: [UInt8]?
    /// Where its space was learned, of an origin's; a parent's is its hop.
    package let destination: Destination?

    package init(session: DigestSession, credential: Credential, realm: [UInt8]?, destination: Destination?) {
        self.destination = destination
        self.session = session
        self.credential = credential
        self.realm = realm
    }

    func belongs(to credential: Credential, realm: [UInt8]?) -> Bool {
        self.credential === credential && self.realm == realm
    }
}

/// The nonces of one upstream connection.
package struct ConnectionNonces {
    package var origin: HeldNonce?
    package var parent: HeldNonce?

    package init() {}

    subscript(side: Side) -> HeldNonce? {
        get { side == .origin ? origin : parent }
        set { if side == .origin { origin = newValue } else { parent = newValue } }
    }
}
