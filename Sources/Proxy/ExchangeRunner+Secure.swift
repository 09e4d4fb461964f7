internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules
internal import TLS
internal import Trust

extension ExchangeRunner {
    /// Does the handshake with whom `layer` names; nil while it is under way.
    func secure(_ layer: ExchangeStateMachine.Layer) -> ExchangeStateMachine.Step? {
        phase = .none
        let place = layer == .opened ? turnInside() : layer
        guard let upstream, let place, let security = security(place, upstream.hop) else {
            return exchange.machine.failed(ExchangeError(.closedBeforeResponse, .upstream))
        }
        guard !upstream.hasUnread else {
            return exchange.machine.failed(ExchangeError(.secureChannel(.unexpectedBytes), source(place)))
        }
        do throws(TLSError) {
            // What is there already is TLS with the parent, and the origin's goes inside.
            let transport = try upstream.stream.cipher.map { cipher throws(TLSError) in
                try NestedTransport(through: cipher)
            }
            let session = try worker.makeSession(
                security,
                key: place == .hop ? upstream.hop.teacher.key : upstream.hop.key,
                over: transport.map { .pair($0.inner) } ?? .descriptor(upstream.stream.descriptorNumber)
            )
            let handshake = SecureHandshake(session, on: upstream.stream, over: transport) { [self] outcome in
                securing = nil
                guard self.upstream === upstream else { return }
                if let step = handshakeEnded(outcome, layer, place, upstream, transport) { perform(step) }
            }
            securing = handshake
            return handshakeEnded(handshake.start(), layer, place, upstream, transport)
        } catch {
            return exchange.machine.failed(ExchangeError(.secureChannel(SecureChannelFailure(error)), .local))
        }
    }

    private func security(_ layer: ExchangeStateMachine.Layer, _ hop: Hop) -> HopSecurity? {
        layer == .hop ? hop.security : hop.tunnel?.security
    }

    private func source(_ layer: ExchangeStateMachine.Layer) -> ExchangeError.Source {
        layer == .hop && upstream?.hop.isParent == true ? .parentProxy : .upstream
    }

    private func handshakeEnded(
        _ outcome: SecureHandshake.Outcome,
        _ layer: ExchangeStateMachine.Layer,
        _ place: ExchangeStateMachine.Layer,
        _ upstream: UpstreamConnection,
        _ transport: NestedTransport?
    ) -> ExchangeStateMachine.Step? {
        switch outcome {
        case .waiting:
            return nil
        case .complete(let channel):
            securing = nil
            if !channel.session.isResumed { tellDecision(of: channel.session, place, upstream.hop) }
            upstream.adopt(channel, over: transport)
            return exchange.machine.secured(layer)
        case .failed(let error, let session):
            securing = nil
            tellDecision(of: session, place, upstream.hop)
            let failure = SecureChannelFailure(error, decision: session.decision)
            return exchange.machine.failed(ExchangeError(.secureChannel(failure), source(place)))
        }
    }
}

extension ExchangeRunner {
    /// Tells the operator what was decided of a server, with lines to paste where something is held against it that is
    /// about pins (T-10).
    private func tellDecision(of session: TLSSession, _ layer: ExchangeStateMachine.Layer, _ hop: Hop) {
        let policy = security(layer, hop)?.policy
        let isParents = layer == .hop && hop.isParent
        let origin = isParents ? nil : exchange.machine.destination?.origin
        let port = origin?.port ?? hop.port
        worker.shared.sightings.note(
            session,
            with: "\(origin?.host ?? hop.host):\(port)",
            under: policy?.name ?? "",
            unixSeconds: worker.loop.unixSeconds
        )
        guard let failure = session.decision?.failure else { return }
        guard failure.isAboutPins, let policy else {
            return worker.shared.log.warn("\(failure.reasonCode): \(failure.message)")
        }
        let report = PinReport(failure, port: port, served: session.presentedCertificates, policy: policy)
        let isNew = worker.report(report, to: policy.terms.reportURL.flatMap { ResourceURL($0) })
        // An observation is told once; a refusal each time, since somebody waits for its reason.
        guard isNew || failure.kind != .observed else { return }
        let lines = failure.seenLines.joined(separator: ", ")
        worker.shared.log.warn("\(failure.reasonCode): \(failure.message); seen: \(lines)")
    }
}

extension LocalResponse {
    /// Nobody would look at the server's certificate inside a tunnel (T-12).
    static var tunnelRefused: LocalResponse {
        LocalResponse(
            403,
            .httpRequestDenied,
            "pin.tunnel-refused",
            "This host is pinned, and in a tunnel nobody would look at its certificate: use 'upgrade', or 'tunnel: pass'."
        )
    }
}

extension Worker {
    /// Has a report sent, if there is somebody to take it, and says whether it is the first of its kind (T-4).
    fileprivate func report(_ report: PinReport, to target: ResourceURL?) -> Bool {
        guard let target else { return shared.reports.isNew(report, now: loop.unixSeconds) }
        return shared.reports.take(
            WaitingReport(
                report: report,
                target: target,
                security: target.origin.scheme == .https ? security(of: target.origin, nil) : nil,
                timeouts: timeouts,
                date: loop.unixSeconds
            )
        )
    }

    fileprivate func makeSession(
        _ security: HopSecurity,
        key: String,
        over transport: TLSTransport
    ) throws(TLSError) -> TLSSession {
        try TLSSession(
            shared.tls.context(security),
            to: security.identity,
            over: transport,
            sessions: sessions,
            key: TLSSessionKey(Array("\(key) \(security.key)".utf8)),
            now: loop.unixSeconds
        )
    }
}

extension SecureChannelFailure {
    /// What is told of a failed handshake: the policy's own reason where the server was refused.
    init(_ error: TLSError, decision: TrustDecision? = nil) {
        if error.kind == .untrusted, let failure = decision?.failure {
            self.init(.tlsCertificateError, code: failure.reasonCode, message: failure.message + failure.seenPins)
            return
        }
        let type: ProxyErrorType =
            switch error.kind {
            case .alert: .tlsAlertReceived
            case .untrusted: .tlsCertificateError
            default: .tlsProtocolError
            }
        self.init(type, code: error.reasonCode, message: "There is no TLS connection: \(error).")
    }
}
