/// What a client connection does with its input: one request after the other (RFC 9112 s.9.3).
package struct ClientConnectionStateMachine {
    package enum State: Equatable, Sendable {
        /// Between requests. Ends with a byte, the client's end, or the idle limit.
        case idle
        /// What comes first says whom the connection is for, and may be no HTTP. Ends with that, the client's
        /// end, or the limit.
        case announcing
        /// Part of a head has come. Ends with its end, the client's end, or the head's limit.
        case readingHead
        /// A request is being served. Ends with its response, or the client.
        case inExchange
        /// Bytes belong to a tunnel. Ends with the tunnel.
        case tunnelling
        /// The first bytes of a tunnel are looked at (I-2). Ends with what they are, or the client.
        case looking
        /// A handshake with the client has the socket. Ends with it, or the client.
        case welcoming
        /// The response is written and the connection ends, but the client may still be sending.
        case lingering
        /// The response is being written, then the connection ends.
        case closing
        case closed
    }

    package enum Input: Equatable { case read, pause, discard }
    package enum Work: Equatable { case none, parseHead, takeBody, relayTunnel, look, announce }
    package enum End: Equatable { case none, close, abortExchange, halfClose, endLook, endAnnouncement }
    package enum Expiry: Equatable { case none, close, abortExchange, refuse, endAnnouncement }

    package private(set) var state = State.idle
    /// The client lets the connection be used again.
    package private(set) var keepsAlive = true
    /// The client ended its direction.
    package private(set) var isEndOfFileSeen = false
    private var isBodyOpen = false
    /// The request asked for a tunnel: what came behind it is the tunnel's, and no request where there is none.
    private var asksForTunnel = false

    package init() {}

    /// Nothing is under way.
    package var isWaiting: Bool { state == .idle || state == .announcing }

    /// There is something to read; while it `isBlocked` by a client that doesn't read, no further request is taken.
    package func readable(hasUnread: Bool, isBlocked: Bool) -> Input {
        switch state {
        case .lingering: .discard
        case .closing, .closed: .pause
        case .idle where isBlocked: .pause
        case .welcoming: .pause
        case .idle, .announcing, .readingHead, .looking: isEndOfFileSeen ? .pause : .read
        case .inExchange, .tunnelling: hasUnread || isEndOfFileSeen ? .pause : .read
        }
    }

    /// What the next bytes are.
    package func next(hasBytes: Bool, isBlocked: Bool) -> Work {
        switch state {
        case .idle where isBlocked: .none
        case .idle, .readingHead: hasBytes ? .parseHead : .none
        case .inExchange: isBodyOpen && hasBytes ? .takeBody : .none
        case .tunnelling: hasBytes ? .relayTunnel : .none
        case .looking: hasBytes ? .look : .none
        case .announcing: hasBytes ? .announce : .none
        case .welcoming, .lingering, .closing, .closed: .none
        }
    }

    /// What comes first is to be looked at before anything is taken for HTTP.
    package mutating func announcementExpected() { state = .announcing }

    /// Requests in the clear follow.
    package mutating func announced() { state = .idle }

    /// A first byte of a head came.
    package mutating func headBegan() {
        if state == .idle { state = .readingHead }
    }

    /// A whole head came.
    package mutating func headReceived(keepsAlive: Bool, hasBody: Bool, asksForTunnel: Bool) {
        state = .inExchange
        self.asksForTunnel = asksForTunnel
        self.keepsAlive = keepsAlive
        isBodyOpen = hasBody
    }

    /// What came is no request: nothing behind it can be read.
    package mutating func requestMalformed() {
        state = .inExchange
        keepsAlive = false
        isBodyOpen = false
    }

    package mutating func bodyEnded() { isBodyOpen = false }

    package mutating func tunnelBegan() { state = .tunnelling }

    /// A tunnel is promised, and its first bytes are looked at.
    package mutating func lookBegan() { state = .looking }

    /// A handshake reads and writes in the connection's place.
    package mutating func handshakeBegan() { state = .welcoming }

    /// Requests follow in the tunnel.
    package mutating func opened() {
        state = .idle
        asksForTunnel = false
        keepsAlive = true
        isBodyOpen = false
    }

    /// The client ended its direction: behind a whole request that is a half-close (H-10).
    package mutating func endOfFileReceived() -> End {
        isEndOfFileSeen = true
        switch state {
        case .idle, .readingHead, .lingering: return .close
        case .inExchange:
            keepsAlive = false
            return isBodyOpen ? .abortExchange : .none
        case .tunnelling: return .halfClose
        case .looking: return .endLook
        case .announcing: return .endAnnouncement
        case .welcoming, .closing, .closed: return .none
        }
    }

    /// Another request may follow the one that is served (H-5b, H-15); `hasUnread` where bytes came behind it.
    package func mayGoOn(hasUnread: Bool) -> Bool { keepsAlive && !(asksForTunnel && hasUnread) }

    /// The exchange's response was handed over in full.
    package mutating func exchangeEnded(keepsAlive: Bool, isBodyRead: Bool, hasUnread: Bool) {
        switch state {
        case .inExchange, .readingHead, .announcing, .tunnelling, .looking, .welcoming, .idle:
            if keepsAlive && mayGoOn(hasUnread: hasUnread) && isBodyRead && !isEndOfFileSeen {
                state = .idle
            } else {
                state = isEndOfFileSeen ? .closing : .lingering
            }
            isBodyOpen = false
        case .lingering, .closing, .closed:
            break
        }
    }

    /// The connection's own limit passed: the head's, the body's, the idle one, or the reader's.
    package mutating func deadlinePassed(isBlocked: Bool) -> Expiry {
        switch state {
        case .idle, .lingering, .closing:
            return .close
        case .announcing:
            return .endAnnouncement
        case .readingHead:
            requestMalformed()
            return .refuse
        case .inExchange:
            if isBlocked { return .abortExchange }
            guard isBodyOpen else { return .none }
            requestMalformed()
            return .refuse
        case .tunnelling, .looking, .welcoming, .closed:
            return .none
        }
    }

    /// The tunnel ended; what waits to be written still goes out.
    package mutating func tunnelClosed() {
        switch state {
        case .tunnelling, .looking, .welcoming: state = .closing
        case .idle, .announcing, .readingHead, .inExchange, .lingering, .closing, .closed: break
        }
    }

    package mutating func closed() { state = .closed }
}
