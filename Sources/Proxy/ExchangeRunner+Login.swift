internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import HTTP
internal import Rules

extension ExchangeRunner {
    /// Who asks, by the login that the request brings; the client's connection is told.
    ///
    /// What is asked for in a client's tunnel is asked for by who had it opened; a SOCKS5 client has said who it is before
    /// it asks for anything.
    func judgeLogin(of client: ClientConnection) -> Arrival.Outcome {
        guard let file = policy.logins[client.listener] else {
            client.logIn(nil)
            return .passed
        }
        if client.opened != nil { return .passed }
        if case .socks5 = policy.listeners[client.listener].mode {
            return client.identity.login == nil ? .refused(.loginRequired) : .passed
        }
        if let verdict = arrival.login { return outcome(of: verdict, client) }
        let outcome = exchange.withLoginToken { token -> Arrival.Outcome in
            if let token { lookUp(token, by: file, client) } else { lookAtProcess(by: file, client) }
        }
        if case .passed = outcome { return .passed }
        client.logIn(nil)
        // Who may not come even with a login is told so.
        return client.mayLogIn ? outcome : .passed
    }

    private func lookUp(_ token: Span<UInt8>, by file: LoginFile, _ client: ClientConnection) -> Arrival.Outcome {
        let verifier = worker.shared.logins
        let pair = verifier.pair(of: token, worker.digest)
        if let name = file.name(of: pair) {
            client.logIn(name)
            return .passed
        }
        guard client.mayLogIn, let login = BasicLogin(token: token) else { return .refused(.loginRequired) }
        let tell: @Sendable (LoginVerifier.Verdict) -> Void = awaitArrival { $0.arrival.login = $1 }
        var identity = client.identity
        identity.login = nil
        verifier.verify(login, pair, by: file, from: identity, told: tell)
        return .pending
    }

    /// Whether the client's process was given the login, which some programs have no way to send: Java's none but by code
    /// of their own.
    private func lookAtProcess(by file: LoginFile, _ client: ClientConnection) -> Arrival.Outcome {
        guard let own = file.own, client.mayLogIn else { return .refused(.loginRequired) }
        if let wasGiven = client.wasGivenLogin {
            guard wasGiven else { return .refused(.loginRequired) }
            client.logIn(own.withBytes { $0.nameOfLogin })
            return .passed
        }
        guard let socket = worker.processSocket(of: client.stream) else { return .refused(.loginRequired) }
        let tell: @Sendable (Bool) -> Void = awaitArrival { runner, holds in runner.client?.wasGivenLogin = holds }
        let isLookedAt = worker.shared.processes.submit {
            tell(own.withBytes { PeerEnvironment.holds($0, socket: socket) })
        }
        if isLookedAt { return .pending }
        forgetArrival()
        return .refused(.loginBusy)
    }

    private func outcome(of verdict: LoginVerifier.Verdict, _ client: ClientConnection) -> Arrival.Outcome {
        switch verdict {
        case .right(let name):
            client.logIn(name)
            return .passed
        case .wrong: return .refused(.loginRejected)
        case .busy: return .refused(.loginBusy)
        }
    }
}

extension ExchangeInProgress {
    /// Lends the token behind `Basic` of the client's Proxy-Authorization; nil where there is none, or more than one.
    borrowing func withLoginToken<R>(_ body: (Span<UInt8>?) -> R) -> R {
        guard let index = request.fields.first(.proxyAuthorization),
            request.fields.next(.proxyAuthorization, after: index) == nil,
            let token = BasicLogin.token(in: request.fields.value(index))
        else { return body(nil) }
        return body(token)
    }
}

extension Span<UInt8> {
    /// What stands before the colon of `NAME:PASSWORD`.
    fileprivate var nameOfLogin: String {
        var name: [UInt8] = []
        for index in indices {
            if self[index] == UInt8(ascii: ":") { break }
            name.append(self[index])
        }
        return String(decoding: name, as: UTF8.self)
    }
}
