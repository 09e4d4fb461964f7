/// The two directions of a tunnel (RFC 9110 s.9.3.6): each ends by itself, and the other may go on for a while.
package struct TunnelStateMachine: Sendable {
    package enum Direction: Equatable, Sendable {
        case open
        /// Its end has come, and bytes before it are still to be written.
        case ending
        /// Its end was passed on.
        case ended
    }

    package enum Action: Equatable, Sendable {
        case none
        /// Pass the end on, and wait for the other direction.
        case shutDown
        /// Both directions are over.
        case close
    }

    /// From the client to the upstream.
    package private(set) var outward = Direction.open
    /// From the upstream to the client.
    package private(set) var inward = Direction.open

    package init() {}

    /// One direction is over: the limit of a half-open tunnel holds.
    package var isHalf: Bool { outward == .ended || inward == .ended }

    /// A sender ended its direction; `isBlocked` while the reader has not taken all that came before.
    package mutating func ended(fromClient: Bool, isBlocked: Bool) -> Action {
        if fromClient {
            guard outward == .open else { return .none }
            outward = .ending
        } else {
            guard inward == .open else { return .none }
            inward = .ending
        }
        return isBlocked ? .none : passOn(fromClient)
    }

    /// The reader of a direction took all that waited for it.
    package mutating func drained(fromClient: Bool) -> Action {
        let direction = fromClient ? outward : inward
        switch direction {
        case .open, .ended: return .none
        case .ending: return passOn(fromClient)
        }
    }

    private mutating func passOn(_ fromClient: Bool) -> Action {
        if fromClient { outward = .ended } else { inward = .ended }
        return outward == .ended && inward == .ended ? .close : .shutDown
    }
}
