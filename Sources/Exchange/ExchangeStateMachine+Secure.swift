/// From a connection to whom the request is for: TLS with the host, a parent's tunnel, TLS inside it.
extension ExchangeStateMachine {
    /// The handshake that was asked for is done, and the server is trusted.
    package mutating func secured(_ layer: Layer) -> Step {
        guard state == .securing else { return .wait }
        switch layer {
        case .hop: return reachedHop()
        case .origin: return reached()
        case .opened: return welcome()
        }
    }

    /// There is no TLS connection to whom the request is for.
    mutating func notSecured(_ error: ExchangeError) -> Step {
        guard isOpening else { return wayFailed(error) }
        openingFailure = error.response
        return welcome()
    }

    /// The host that was dialled can be spoken to; a parent may have to open a tunnel first.
    mutating func reachedHop() -> Step {
        guard destination?.hop.tunnel != nil else { return reached() }
        isEstablishing = true
        return readyToSend()
    }

    /// What is sent now reaches whom the request is for.
    mutating func reached() -> Step {
        guard form.target == .authority, destination?.hop.isParent == false else { return readyToSend() }
        // Nobody but the target itself is at the other end of a CONNECT that is dialled directly.
        return joined()
    }

    /// The target of a CONNECT can be reached: it is opened, or joined with the client.
    mutating func joined() -> Step {
        guard destination?.isOpened == true else {
            state = .tunnelling
            return .tunnel(nil)
        }
        releaseLedger()
        isOpening = true
        state = .looking
        return .open
    }
}

// MARK: opening

/// What a client says first in its tunnel (I-2, I-3).
package enum FirstWords: Equatable, Sendable {
    /// The beginning of a TLS handshake that we can take.
    case hello
    /// The same for another host than the tunnel's.
    case helloForOther
    /// A request in the clear.
    case request
    /// Anything else, or nothing.
    case other
}

extension ExchangeStateMachine {
    /// What the client said first in its tunnel; `refusesOther` where what we can't read doesn't go through (I-3).
    package mutating func looked(_ words: FirstWords, refusesOther: Bool) -> Step {
        guard state == .looking else { return .wait }
        switch words {
        case .hello:
            state = .securing
            return .secure(.opened)
        case .helloForOther:
            openingFailure = .misdirected
            return welcome()
        case .request:
            state = .finished
            return .serve(nil)
        case .other where refusesOther:
            return hangUp()
        case .other:
            state = .tunnelling
            return .tunnel(nil)
        }
    }

    /// Our handshake with the client is done.
    package mutating func welcomed() -> Step {
        guard state == .welcoming else { return .wait }
        state = .finished
        openingFailure?.closes = true
        return .serve(openingFailure)
    }

    /// Nothing more can be done for the client in its tunnel.
    package mutating func hangUp() -> Step {
        state = .finished
        return .hangUp
    }

    /// The origin of the tunnel can't be reached, or isn't meant: its connection is of no use.
    package var isOriginRefused: Bool { openingFailure != nil }

    private mutating func welcome() -> Step {
        state = .welcoming
        return .welcome
    }
}
