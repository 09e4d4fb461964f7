/// From a connection to whom the request is for: TLS with the host, a parent's tunnel, TLS inside it.
extension ExchangeStateMachine {
    /// The handshake that was asked for is done, and the server is trusted.
    package mutating func secured(_ layer: Layer) -> Step {
        guard state == .securing else { return .wait }
        return layer == .hop ? reachedHop() : reached()
    }

    /// The host that was dialled can be spoken to; a parent may have to open a tunnel first.
    mutating func reachedHop() -> Step {
        guard destination?.hop.tunnel != nil else { return reached() }
        isEstablishing = true
        return .send
    }

    /// What is sent now reaches whom the request is for.
    mutating func reached() -> Step {
        guard form.target == .authority, destination?.hop.isParent == false else { return .send }
        // Nobody but the target itself is at the other end of a CONNECT that is dialled directly.
        state = .tunnelling
        return .tunnel(nil)
    }
}
