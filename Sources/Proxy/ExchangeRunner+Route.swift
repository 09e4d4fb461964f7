internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import PAC
internal import Rules

extension ExchangeRunner {
    /// Which way the request goes, where a PAC file says that.
    func findRoute(of client: ClientConnection) -> Arrival.Outcome {
        guard policy.asksPAC, !arrival.isRouteKnown else { return .passed }
        let origin = exchange.askedOrigin(in: client.opened)
        guard case .pac(let configuration, _) = policy.configuration.routes.route(for: origin).choice else {
            return .passed
        }
        let lane = worker.shared.pac
        let question = PACLane.Question(configuration, origin)
        switch lane.known(question, now: worker.loop.now) {
        case .none: return .passed
        case .items(let items):
            take(items)
            return .passed
        case .unknown:
            let tell: @Sendable ([PACResult.Item]?) -> Void = awaitArrival { runner, items in
                runner.arrival.isRouteKnown = true
                if let items { runner.take(items) }
            }
            exchange.withPath { lane.find(question, path: $0, told: tell) }
            return .pending
        }
    }

    private func take(_ items: [PACResult.Item]) {
        let hops = worker.shared.pac.parents.hops(items, under: policy.configuration)
        // With none of them in hand, the route's own hold.
        arrival.via = hops.isEmpty ? nil : hops
    }
}

extension ExchangeInProgress {
    /// What the client asks for.
    borrowing func askedOrigin(in tunnel: OpenedTunnel?) -> Origin {
        if let tunnel { return tunnel.origin }
        let target = request.target
        let scheme: Scheme = target.form == .authority ? .https : target.scheme ?? .http
        return Origin(scheme: scheme, host: String(copying: request.bytes(target.host)), port: target.port)
    }

    /// Lends the target's path.
    borrowing func withPath(_ body: (Span<UInt8>) -> Void) { body(request.rulePath) }
}
