internal import Authentication
internal import Bytes
internal import Events
internal import Exchange
internal import TLS

/// The mechanisms' side of the handshakes on one connection, each dropped with it (C-7).
struct TokenContexts {
    var origin: TokenContext?
    var parent: TokenContext?

    subscript(side: Side) -> TokenContext? {
        get { side == .origin ? origin : parent }
        set { if side == .origin { origin = newValue } else { parent = newValue } }
    }
}

extension ExchangeRunner {
    /// Asks for what one side needs before the exchange can go on; nil while it is waited for.
    func obtain(_ side: Side) -> ExchangeStateMachine.Step? {
        // Behind a refused response that was read to its end, nothing is to be read of it again.
        if phase == .head || phase == .draining { phase = .held }
        switch exchange.wanted(side) {
        case .secret(let question):
            if let known = worker.shared.secrets.known(question, under: policy, now: worker.loop.now) {
                return exchange.secretObtained(side, known)
            }
            let tell = beginObtaining { $0.exchange.secretObtained(side, $1) }
            worker.shared.secrets.fetch(question, under: policy, now: worker.loop.now, told: tell)
        case .token(let question):
            let context = context(side, question)
            let tell = beginObtaining { $0.exchange.tokenObtained(side, $1) }
            worker.shared.tokens.step(question, context: context, channelBinding: channelBinding(side), told: tell)
        case nil:
            let failure = TokenFailure(
                .unavailable,
                code: "handshake.impossible",
                message: "Nothing is to be obtained."
            )
            return exchange.tokenObtained(side, .failed(failure))
        }
        // What came before this call has returned is behind it in the loop's mailbox.
        armDeadline()
        return nil
    }

    private func context(_ side: Side, _ question: TokenQuestion) -> TokenContext {
        if question.input != nil, let known = tokens[side] { return known }
        let made = TokenContext()
        tokens[side] = made
        return made
    }

    /// What binds a handshake to the TLS connection that ends where the handshake does (C-4).
    private func channelBinding(_ side: Side) -> [UInt8]? {
        guard let hop = exchange.machine.destination?.hop else { return nil }
        let security = side == .parent || !hop.isParent ? hop.security : hop.tunnel?.security
        return security == nil ? nil : upstream?.channel?.session.channelBinding
    }

    /// Waits under a number of its own; gives what tells the exchange on its own loop, whoever calls it.
    private func beginObtaining<Answer: Sendable>(
        _ take: @escaping @Sendable (ExchangeRunner, Answer) -> ExchangeStateMachine.Step
    ) -> @Sendable (Answer) -> Void {
        worker.lastObtaining += 1
        let (peers, index, number) = (worker.shared.peers, worker.index, worker.lastObtaining)
        obtainingNumber = number
        isObtaining = true
        worker.obtaining[number] = self
        return { answer in
            peers.send(to: index) { worker in
                guard let runner = worker.obtaining[number] else { return }
                runner.forgetObtaining()
                runner.perform(take(runner, answer))
            }
        }
    }

    /// Whatever is still asked for comes to nobody.
    func forgetObtaining() {
        isObtaining = false
        worker.obtaining[obtainingNumber] = nil
    }
}
