internal import Bytes
package import HTTP
internal import Rules

/// From one hop of a route to the next.
extension ExchangeStateMachine {
    /// The way led nowhere, and nothing that was sent on it can have been acted upon: another one may be there.
    mutating func wayFailed(_ error: ExchangeError) -> Step {
        isNegotiating = false
        guard let destination, destination.hopCount > 1, error.isOfWay, !isUnattended else {
            return finish(with: error.response)
        }
        releaseLedger()
        triedWays |= 1 << UInt64(destination.terms.place)
        state = .acquiring
        return .reroute(error)
    }

    /// The way failed a request that may not be sent again: those that follow go by another one.
    mutating func failedOnWay(_ error: ExchangeError) -> Step {
        if let destination, destination.hopCount > 1, !isReused, error.isOfWay || error.kind == .responseTimedOut {
            deadWay = error
        }
        return finish(with: error.response)
    }

    /// The runner has given back what this exchange held in the ledger's queue.
    package mutating func ledgerPlaceGivenBack() { holdsLedgerPlace = false }

    /// Where the request goes instead; nil where no hop is left. What is planned for it is planned anew.
    package mutating func rerouted(
        to destination: Destination?,
        after error: ExchangeError,
        _ head: borrowing RequestHead,
        terms: ExchangeTerms,
        ledgerVersion: UInt64
    ) -> Step {
        guard let destination else { return finish(with: error.response) }
        origin.reset()
        parent.reset()
        added = nil
        mayFetch = false
        mayHandshake = false
        form = RequestForm(target: .origin)
        isRepeated = false
        isEstablishing = false
        bringsAuthorization = false
        answersByUserinfo = false
        passesProxyAuthorization = false
        bringsHandshake = false
        refused = .none
        holdsRefusal = false
        handshakeRestarts = 0
        unusableCount = 0
        loseConnection()
        return begin(
            head,
            destination: destination,
            isInside: isInside,
            client: request.client,
            terms: terms,
            ledgerVersion: ledgerVersion
        )
    }
}

extension ExchangeError {
    /// It is the way that failed, and not the proxy, nor a rule about the destination.
    var isOfWay: Bool {
        switch kind {
        case .nameNotResolved, .connectionRefused, .connectionTimedOut, .unreachable, .closedBeforeResponse,
            .responseIncomplete, .malformedResponse, .unaskedBytes, .secureChannel, .loop, .socksFailed(.malformed):
            true
        // A parent that refused our login is alive, and that is no reason to go round it.
        case .carrierFailed(let response): response.receivedStatus != 407
        case .socksFailed: false
        case .prohibited, .connectionLimitReached, .responseTimedOut, .requestTimedOut, .outOfDescriptors,
            .replayFailed:
            false
        }
    }
}
