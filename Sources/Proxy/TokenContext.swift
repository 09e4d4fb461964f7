internal import Crypto
internal import Events
internal import Exchange
internal import GSS

/// The handshake of one upstream connection, which is in one call at a time; dropped, it ends on its lane and not on a
/// loop.
final class TokenContext: Sendable {
    private struct State {
        var handshake: Handshake?
        var lane: TokenLane?
        /// Counts beginnings, so that a call that returns after its time leaves nothing behind.
        var round = 0
    }

    private let state = Locked(State())

    deinit { close() }

    /// Where its handshake goes on; nil where there is none.
    var lane: TokenLane? { state.withLock { $0.handshake == nil ? nil : $0.lane } }

    /// A handshake begins in this lane, in place of what was there; gives its number.
    func begin(in lane: TokenLane) -> Int {
        close()
        return state.withLock { state in
            state.lane = lane
            state.round += 1
            return state.round
        }
    }

    /// The first step, on a thread of the lane.
    func start(_ round: Int, _ make: () throws(GSSError) -> SecurityContext) -> TokenLane.Outcome {
        do throws(GSSError) {
            let handshake = Handshake(try make())
            return answer(try handshake.step(nil), handshake, round, isSecond: false)
        } catch {
            return TokenLane.Outcome(answer: .failed(TokenFailure(error)), silentRealm: error.silentRealm)
        }
    }

    /// A further step, on a thread of the lane; with `isFinal` the peer can get no token any more.
    func proceed(_ input: [UInt8], isFinal: Bool) -> TokenLane.Outcome {
        let (taken, round) = state.withLock { ($0.handshake.take(), $0.round) }
        // One that is complete has nothing left to be proven by a last word.
        guard let handshake = taken else {
            return TokenLane.Outcome(answer: isFinal ? .complete : .failed(.noHandshake))
        }
        do throws(GSSError) {
            let token = try handshake.step(input)
            guard isFinal else { return answer(token, handshake, round, isSecond: true) }
            return TokenLane.Outcome(answer: handshake.isComplete ? .complete : .failed(.unproven))
        } catch {
            return TokenLane.Outcome(answer: .failed(isFinal ? .unproven : TokenFailure(error)))
        }
    }

    private func answer(_ token: Secret?, _ handshake: Handshake, _ round: Int, isSecond: Bool) -> TokenLane.Outcome {
        if !handshake.isComplete {
            state.withLock { state in
                if state.round == round { state.handshake = handshake }
            }
        }
        guard let token else {
            return TokenLane.Outcome(answer: handshake.isComplete ? .complete : .failed(.unproven))
        }
        return TokenLane.Outcome(answer: .token(token, isLast: isSecond || handshake.isKerberos))
    }

    /// Ends what was begun.
    private func close() {
        let (handshake, lane) = state.withLock { state in
            state.round += 1
            return (state.handshake.take(), state.lane.take())
        }
        guard let handshake, let lane else { return }
        let call: @Sendable (Bool) -> TokenLane.Outcome = { _ in
            withExtendedLifetime(handshake) { TokenLane.Outcome(answer: .complete) }
        }
        lane.submit(TokenLane.Job(login: nil, call: call, told: { _ in }))
    }
}

/// A handshake on its way between a context and the calls of a lane.
private final class Handshake: @unchecked Sendable {
    // Unchecked: a call takes it out of its context under a lock, and puts it back when it is done.
    private var context: SecurityContext

    init(_ context: consuming SecurityContext) { self.context = context }

    var isComplete: Bool { context.isComplete }

    var isKerberos: Bool { context.mechanism == .kerberos }

    func step(_ input: [UInt8]?) throws(GSSError) -> Secret? { try context.step(input) }
}

extension TokenFailure {
    /// What an exchange makes of an error of GSSAPI's.
    init(_ error: GSSError) {
        let kind: Kind =
            switch error.kind {
            case .unavailable: .unavailable
            case .rejected: .rejected
            case .peer: .peer
            }
        self.init(kind, code: error.code, message: error.message)
    }

    /// There is nothing to go on with: the peer sent a token that nobody asked for.
    static var noHandshake: TokenFailure {
        TokenFailure(.peer, code: "gssapi.no-handshake", message: "the server's token belongs to no handshake of ours")
    }

    /// The peer's last word leaves open who it is.
    static var unproven: TokenFailure {
        TokenFailure(
            .peer,
            code: "negotiate.server-unproven",
            message: "the server's last token doesn't prove who it is; compare its keytab, its name and its clock"
        )
    }

    /// The credential is of a kind that logs in nowhere.
    static var noLogin: TokenFailure {
        TokenFailure(
            .unavailable,
            code: "gssapi.no-login",
            message: "the credential has neither a password nor a Kerberos login"
        )
    }
}
