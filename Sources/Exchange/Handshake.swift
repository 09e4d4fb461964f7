package import Authentication
internal import Crypto
package import Rules

/// How far a handshake has come on the connection in hand (C-1, C-7).
struct Handshake {
    /// The token that the next leg carries; nil where it has to be asked for, or none is due.
    var token: Secret?
    /// The peer's verdict is expected to that token.
    var isLast = false
    /// What the peer said last, for the next step.
    var input: [UInt8]?
    /// The mechanism was asked for a token.
    var isBegun = false
    /// What the server said last was handed to the mechanism.
    var isVerified = false
    /// Tokens sent on this connection, of at most three.
    var legs = 0
    /// The first token went without a challenge of this exchange, so that its refusal is no rejection.
    var isAhead = false
    /// The connection is authenticated, by this exchange or by another of the same client's.
    var isAuthenticated = false
    /// The peer took a leg without a body for a request of its own, and answered it (B-3).
    var isPassedOver = false

    /// The peer has seen a token and its verdict is to come.
    var isUnderWay: Bool { legs > 0 && !isAuthenticated }

    static var legLimit: Int { 3 }
}

/// Whose an upstream connection is that was authenticated by a handshake (C-1).
package struct ConnectionOwner: Equatable, Sendable {
    package let credential: Credential
    /// As far as it identifies the client.
    package let client: Client
    /// The origin or parent that it was authenticated at, as the ledger names it.
    package let server: String

    package init(credential: Credential, client: Client, server: String) {
        self.credential = credential
        self.client = client.identity
        self.server = server
    }

    package static func == (left: ConnectionOwner, right: ConnectionOwner) -> Bool {
        left.credential === right.credential && left.client == right.client && left.server == right.server
    }
}

/// The identities of an upstream connection, or those that a request asks for; nobody's where there is none.
package final class ConnectionIdentity: Equatable, Sendable {
    package let origin: ConnectionOwner?
    package let parent: ConnectionOwner?

    private init(origin: ConnectionOwner?, parent: ConnectionOwner?) {
        self.origin = origin
        self.parent = parent
    }

    /// The identity of those owners; nil where both are.
    package static func of(origin: ConnectionOwner?, parent: ConnectionOwner?) -> ConnectionIdentity? {
        origin == nil && parent == nil ? nil : ConnectionIdentity(origin: origin, parent: parent)
    }

    /// What a connection of just these owners is worth to a request that asks for them.
    package var greatestFitness: Int { (origin == nil ? 0 : 1) + (parent == nil ? 0 : 2) }

    package static func == (left: ConnectionIdentity, right: ConnectionIdentity) -> Bool {
        left === right || left.origin == right.origin && left.parent == right.parent
    }

    package subscript(side: Side) -> ConnectionOwner? { side == .origin ? origin : parent }
}

extension ConnectionIdentity? {
    /// How well a connection of this identity serves a request that asks for `wanted`; nil where it must not (S-4).
    package func fitness(for wanted: ConnectionIdentity?) -> Int? {
        guard let self else { return 0 }
        guard let wanted else { return nil }
        guard self.origin == nil || self.origin == wanted.origin else { return nil }
        guard self.parent == nil || self.parent == wanted.parent else { return nil }
        return (self.origin == nil ? 0 : 1) + (self.parent == nil ? 0 : 2)
    }
}
