internal import Authentication
internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules

/// Why there is no tunnel to a parent through the one before it.
struct CarrierFailure: Error {
    let response: LocalResponse
}

extension Worker {
    /// Opens a tunnel for a connection to a parent behind another one, by an exchange of its own.
    ///
    /// `told` is called once, unless `cancelCarrying` comes first; the connection is the caller's from then on.
    func carry(
        to destination: Destination,
        for client: Client,
        told: @escaping (Result<UpstreamConnection, CarrierFailure>) -> Void
    ) -> ExchangeRunner {
        let runner = makeRunner()
        runner.carrying = told
        runner.isCarrier = true
        runner.beginCarrying(to: destination, for: client)
        return runner
    }
}

extension ExchangeRunner {
    fileprivate func beginCarrying(to destination: Destination, for client: Client) {
        let authority = destination.origin.authorityWithPort
        let head = Array("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n".utf8)
        guard case .head = exchange.parseRequest(head.span, policy) else {
            return perform(exchange.machine.refuse(ExchangeError(.unreachable, .parentProxy).response))
        }
        perform(exchange.beginCarrying(to: destination, worker, for: client))
    }

    /// The tunnel is there: its connection is the other exchange's.
    func tunnelCarried() {
        guard let carrying, let upstream else { return }
        self.carrying = nil
        self.upstream = nil
        upstream.runner = nil
        finish(reusesUpstream: false)
        carrying(.success(upstream))
    }

    /// There is no tunnel.
    func carryingFailed(_ response: LocalResponse) {
        let carrying = carrying
        self.carrying = nil
        finish(reusesUpstream: false)
        carrying?(.failure(CarrierFailure(response: response)))
    }

    /// There is none, but others wait for the verdict on what was sent.
    func carryOnUnattended(_ response: LocalResponse) {
        let carrying = carrying
        self.carrying = nil
        worker.unattended[number] = self
        carrying?(.failure(CarrierFailure(response: response)))
        resumeUpstream()
    }

    /// Nobody waits for the tunnel any more.
    func cancelCarrying() {
        guard carrying != nil else { return }
        carrying = nil
        let step = exchange.machine.clientGone()
        guard step == .wait, !worker.hasEnded else { return finish(reusesUpstream: false) }
        worker.unattended[number] = self
        resumeUpstream()
    }
}
