internal import Authentication
internal import Bytes
internal import Exchange

/// Asks a SOCKS5 proxy for a connection (R-2; RFC 1928, RFC 1929).
extension ExchangeRunner {
    /// Writes one request; nil while the proxy's reply is waited for.
    func negotiate(_ request: SOCKSNegotiation.Request) -> ExchangeStateMachine.Step? {
        guard let upstream else { return nil }
        socksRequest = request
        phase = .negotiation
        worker.requestScratch.removeAll()
        guard appendNegotiation(request) else {
            worker.requestScratch.removeAll()
            return exchange.negotiated(.failed(.unusable))
        }
        if !worker.flushRequest(to: upstream) { upstreamWriteFailed(upstream) }
        worker.later { [self] in
            if self.upstream === upstream, phase == .negotiation { upstream.resumeReading() }
        }
        return nil
    }

    private func appendNegotiation(_ request: SOCKSNegotiation.Request) -> Bool {
        switch request {
        case .methods(let offersLogin):
            SOCKSNegotiation.appendMethods(offersLogin: offersLogin, into: &worker.requestScratch)
            return true
        case .login:
            guard let login = exchange.machine.socksLogin?.login else { return false }
            return SOCKSNegotiation.appendLogin(
                username: login.username.span,
                password: login.secret,
                into: &worker.requestScratch
            )
        case .connect:
            guard let socks = exchange.machine.destination?.hop.socks else { return false }
            return SOCKSNegotiation.appendConnect(host: socks.host, port: socks.port, into: &worker.requestScratch)
        }
    }

    /// Takes a reply, if it is whole; true where more may follow.
    func readNegotiation(_ bytes: Span<UInt8>, _ offset: inout Int) -> Bool {
        let reply = SOCKSNegotiation.read(bytes.extracting(offset..<bytes.count), after: socksRequest)
        switch reply {
        case .needMore: return false
        case .noLogin(let count), .wantsLogin(let count), .loginAccepted(let count), .connected(let count):
            offset += count
        case .failed: break
        }
        // Whatever it says in SOCKS5, also a no, shows that it is there.
        if reply != .failed(.malformed) { wayIsAlive() }
        phase = .none
        perform(exchange.negotiated(reply))
        return true
    }
}
