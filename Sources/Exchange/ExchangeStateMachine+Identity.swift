internal import Authentication
internal import Rules

/// Whose the connection of an exchange is (C-1, C-7, S-4).
extension ExchangeStateMachine {
    /// Whose connection the request asks for; one that no credential of ours goes with asks for nobody's (S-4).
    package var wantedIdentity: ConnectionIdentity? {
        guard mayHandshake else { return nil }
        return ConnectionIdentity.of(origin: owner(.origin), parent: owner(.parent))
    }

    func owner(_ side: Side) -> ConnectionOwner? {
        guard let destination, isHandshake(side), let credential = credential(side) else { return nil }
        let server = side == .origin ? destination.serverName : destination.hop.serverName
        return ConnectionOwner(credential: credential, client: request.client, server: server)
    }

    /// What one side sends goes by a handshake.
    func isHandshake(_ side: Side) -> Bool {
        switch side == .origin ? origin.plan : parent.plan {
        case .none:
            return false
        case .learned(let index):
            guard let destination else { return false }
            let method =
                side == .origin
                ? destination.learned.method(of: index) : destination.hop.teacher.learned.method(of: index)
            return method == .ntlm || method == .negotiate
        case .answer, .ahead:
            if case .handshake? = (side == .origin ? origin.prepared : parent.prepared)?.value { return true }
            return false
        }
    }

    /// A connection of that identity is in hand.
    mutating func adopt(_ identity: ConnectionIdentity?) {
        self.identity = identity
        isTainted = false
        hasConnection = true
        guard let identity, let wanted = wantedIdentity else { return }
        for side in [Side.parent, .origin] where identity[side] != nil && identity[side] == wanted[side] {
            self[side].handshake.isAuthenticated = !isForEachRequest(side)
        }
    }

    /// The connection in hand is given up: what was agreed on it is gone (C-7).
    mutating func loseConnection() {
        hasConnection = false
        identity = nil
        isTainted = false
        guard mayHandshake else { return }
        resetHandshake(.parent)
        resetHandshake(.origin)
    }

    private mutating func resetHandshake(_ side: Side) {
        guard self[side].handshake.isBegun || self[side].handshake.isAuthenticated else { return }
        // A first token that is bound to no TLS connection is as good on another one.
        if self[side].handshake.legs == 0, self[side].handshake.token != nil, !isBoundToChannel(side) { return }
        let isAhead = self[side].handshake.isAhead
        self[side].handshake = Handshake()
        self[side].handshake.isAhead = isAhead
    }

    private func isBoundToChannel(_ side: Side) -> Bool {
        guard let hop = destination?.hop else { return true }
        return hop.security != nil || side == .origin && hop.tunnel?.security != nil
    }

    /// A token of that side is ready for the next leg.
    package func holdsToken(_ side: Side) -> Bool { mayHandshake && self[side].handshake.token != nil }

    /// A handshake on the connection in hand has not come to its end.
    var isHandshakeUnderWay: Bool { mayHandshake && areUnderWay }

    private var areUnderWay: Bool { origin.handshake.isUnderWay || parent.handshake.isUnderWay }

    /// The next leg carries a token, which the connection of the refused response is needed for (B-6).
    package var isHandshakeBegun: Bool { origin.handshake.isBegun || parent.handshake.isBegun }

    /// The connection in hand may serve other exchanges, of the clients that `identity` says.
    package var leavesConnectionClean: Bool { !isTainted && !isHandshakeUnderWay }
}
