internal import HTTP

/// What becomes of an exchange whose client doesn't wait for its end (H-10, A-7).
extension ExchangeStateMachine {
    /// A value was sent that others wait to see judged, and the response to it is still to come.
    private var awaitsVerdict: Bool {
        switch state {
        case .awaitingContinue, .awaitingHead:
            origin.isScout && origin.sent != .none || parent.isScout && parent.sent != .none
        case .negotiating:
            parent.isScout && parent.sent != .none
        case .idle, .admitting, .askingLedger, .obtaining, .verifying, .recordingRejection, .collectingBody, .acquiring,
            .securing, .draining, .relaying, .tunnelling, .looking, .welcoming, .finished:
            false
        }
    }

    /// The client is gone: the exchange ends with it, or goes on for the verdict and nothing else.
    ///
    /// Otherwise each client that is impatient would cost another attempt with a wrong password.
    package mutating func clientGone() -> Step {
        guard awaitsVerdict else { return abandon() }
        isUnattended = true
        return .wait
    }

    /// The request is not forwarded, or not to its end.
    package mutating func refuse(_ response: LocalResponse) -> Step {
        guard awaitsVerdict else { return finish(with: response) }
        isUnattended = true
        return .dismiss(response)
    }

    /// Ends the exchange without a response.
    mutating func abandon() -> Step {
        ended()
        return .abandon
    }
}
