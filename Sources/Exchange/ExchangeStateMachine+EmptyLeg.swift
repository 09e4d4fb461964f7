internal import HTTP
internal import Rules

/// Legs of a handshake that leave the request's body out (B-3).
extension ExchangeStateMachine {
    /// The leg that is written now carries no body, since another one has to follow (B-3).
    var isLegEmpty: Bool {
        guard hasBody, !isEstablishing, destination?.takesEmptyLegs == true else { return false }
        guard !origin.coversBody, !parent.coversBody else { return false }
        return isPending(.parent) || isPending(.origin)
    }

    /// The method of the leg in hand.
    package var isLegHead: Bool { form.isEmpty && !request.method.isIdempotent }

    var isLegIdempotent: Bool { request.method.isIdempotent || form.isEmpty }

    /// The server took a leg without its body for a request, and answered it: the whole request follows.
    mutating func emptyLegTaken(_ head: borrowing RequestHead, _ reading: ResponseReading) -> Step {
        destination?.takesEmptyLegs = false
        for side in [Side.parent, .origin] where self[side].sent == .leg {
            if self[side].isKnownToLedger { report(side, .none, head) }
            dropPlan(side)
            self[side].handshake.isPassedOver = true
        }
        form.isEmpty = false
        isTainted = true
        refused = reading.refused
        self.reading = reading
        return proceed()
    }
}
