package import Authentication
internal import Bytes
package import HTTP
internal import Rules

/// The connection that a SOCKS5 proxy makes for us (R-2; RFC 1928, RFC 1929).
extension ExchangeStateMachine {
    /// A connection to the proxy is there.
    mutating func negotiate() -> Step {
        isNegotiating = true
        state = .negotiating
        let offersLogin = destination?.hop.socks?.candidates.mightAnswer(request.client) == true
        return .negotiate(.methods(offersLogin: offersLogin))
    }

    /// The proxy replied to what was asked last.
    package mutating func negotiated(
        _ reply: SOCKSNegotiation.Reply,
        _ head: borrowing RequestHead
    ) -> Step {
        guard state == .negotiating else { return .wait }
        switch reply {
        case .needMore:
            return .wait
        case .noLogin:
            return .negotiate(.connect)
        case .wantsLogin:
            return logIn(head)
        case .loginAccepted:
            report(.parent, .confirmed(.answer), head)
            loggedIn = usedCredential
            dropPlan(.parent)
            parent.sent = .none
            return isUnattended ? abandon() : .negotiate(.connect)
        case .connected:
            isNegotiating = false
            return reachedHost()
        case .failed(.loginRefused):
            return reject(.parent, head) ?? unanswered(.parent)
        case .failed(let failure):
            return wayFailed(ExchangeError(.socksFailed(failure), .parentProxy))
        }
    }

    /// A login is chosen as if the proxy had challenged with Basic, which exposes a password no less.
    private mutating func logIn(_ head: borrowing RequestHead) -> Step {
        parent.challenges = [AuthenticationChallenge(schemeName: Array("Basic".utf8))]
        decide(.parent, head)
        return answerNextOffer(.parent)
    }

    /// The login is chosen, fetched and permitted; or there is none.
    mutating func goOnNegotiating() -> Step {
        guard parent.plan == .answer else { return unanswered(.parent) }
        state = .negotiating
        parent.sent = .basicAnswer
        return .negotiate(.login)
    }

    /// The credential whose name and password are the login.
    package var socksLogin: Credential? { isNegotiating && parent.plan == .answer ? parent.prepared?.credential : nil }
}
