internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules
internal import TLS
internal import Trust

/// Opens the tunnel of a CONNECT: looks at what the client says first, and becomes the host that it named (I-2, I-3).
extension ExchangeRunner {
    /// The target can be reached: the client is told so, and has its say.
    func openTunnel() {
        guard checkAuthenticationInfo() else { return refuse(.serverUnproven(receivedStatus: record.status)) }
        guard let client, let upstream else { return }
        phase = .none
        upstream.pauseReading()
        lookNeeds = 0
        client.lookBegan()
        sendEstablished()
        armDeadline()
        worker.later { [self] in
            if self.client === client { client.resumeInput() }
        }
    }

    /// Looks at the first bytes; nil while more are needed, else how many of them are taken.
    func look(_ bytes: Span<UInt8>) -> Int? {
        guard exchange.machine.state == .looking, bytes.count >= lookNeeds else { return nil }
        switch RequestOpening.read(bytes) {
        case .request:
            perform(looked(.request))
            return 0
        case .incomplete:
            return waitForMore(than: bytes.count)
        case .other:
            return lookForHello(bytes)
        }
    }

    private func lookForHello(_ bytes: Span<UInt8>) -> Int? {
        switch ClientHello.read(bytes) {
        case .incomplete(let needs):
            return waitForMore(than: needs - 1)
        case .other:
            perform(looked(.other))
            return 0
        case .complete(let hello) where !hello.takesHTTP1:
            if refusesOther { client?.send(Self.noApplicationProtocol.span, Span()) }
            perform(looked(.other))
            return 0
        case .complete(let hello):
            firstBytes = bytes.indices.map { bytes[$0] }
            client?.handshakeBegan()
            perform(looked(isMeant(hello) ? .hello : .helloForOther))
            return bytes.count
        }
    }

    /// What comes in pieces has longer than silence, but no longer than a handshake.
    private func waitForMore(than count: Int) -> Int? {
        if lookNeeds == 0 { deadline?.set(to: worker.loop.now.adding(nanoseconds: worker.timeouts.handshake)) }
        lookNeeds = count + 1
        return nil
    }

    /// Nothing that could be read came in time, or at all.
    func lookEnded() { perform(looked(.other)) }

    private func looked(_ words: FirstWords) -> ExchangeStateMachine.Step {
        let refuses = words == .other && refusesOther
        if refuses { record.reason = "interception.other" }
        return exchange.machine.looked(words, refusesOther: refuses)
    }

    /// A fatal alert [RFC 7301 s.3.2]: the client offers nothing that can be read here.
    private static let noApplicationProtocol: [UInt8] = [21, 3, 3, 0, 2, 2, 120]

    /// The name that the client asks for is the tunnel's host.
    private func isMeant(_ hello: ClientHello) -> Bool {
        guard let name = hello.serverName, let origin = exchange.machine.destination?.origin else { return true }
        return Origin(scheme: .https, host: name).host == origin.host
    }

    /// What can't be read is kept from the origin: by the rule file's word, else where it would go round a pin or a rule
    /// that lets no credential but ours through (I-3).
    private var refusesOther: Bool {
        guard let destination = exchange.machine.destination, let client else { return false }
        let refusesTunnel = destination.tunnelTrust?.refusesTunnel(at: worker.loop.unixSeconds) == true
        switch policy.configuration.interception?.other {
        case .refuse: return true
        case .tunnel: return destination.tunnelTrust?.terms.tunnel == .refuse
        case nil:
            return refusesTunnel || inside.map { $0.candidates.refusesClientCredentials(of: client.identity) } == true
        }
    }

    /// Where what the client asks for in its tunnel goes, under the rules that its CONNECT began under.
    func findInside() -> Destination? {
        guard let client, let destination = exchange.machine.destination, destination.isOpened else { return nil }
        let redirection = destination.terms.redirection
        return worker.destination(
            in: OpenedTunnel(origin: destination.origin, failure: nil, redirection: redirection),
            of: client.identity,
            by: destination.terms.hops,
            at: destination.terms.place
        )
    }

    /// The tunnel's connection becomes one to what is inside it, whose handshake is to be done next.
    func turnInside() -> ExchangeStateMachine.Layer? {
        guard let upstream, let hop = inside?.hop else { return nil }
        worker.pool.turn(upstream, to: hop)
        return hop.tunnel == nil ? .hop : .origin
    }
}

// MARK: our handshake with the client

extension ExchangeRunner {
    /// Does our handshake with the client; nil while it, or a leaf for it, is waited for.
    func welcome() -> ExchangeStateMachine.Step? {
        if exchange.machine.isOriginRefused { giveUpUpstream() }
        guard let mint = policy.mint, let origin = exchange.machine.destination?.origin else {
            return exchange.machine.hangUp()
        }
        let (peers, index, number) = (worker.shared.peers, worker.index, number)
        worker.minting[number] = self
        let leaf = mint.leaf(for: ReferenceIdentity(host: origin.host), now: worker.loop.unixSeconds) { outcome in
            peers.send(to: index) { $0.minting.removeValue(forKey: number)?.minted(outcome) }
        }
        guard let leaf else { return nil }
        worker.minting[number] = nil
        return greet(leaf)
    }

    private func minted(_ outcome: LeafMint.Outcome) {
        switch outcome {
        case .minted(let leaf):
            if let step = greet(leaf) { perform(step) }
        case .failed(let words):
            record.reason = "interception.minting"
            worker.shared.log.warn("no certificate could be made for a client: \(words)")
            perform(exchange.machine.hangUp())
        }
    }

    private func greet(_ leaf: MintedLeaf) -> ExchangeStateMachine.Step? {
        guard let client, exchange.machine.state == .welcoming else { return nil }
        do throws(TLSError) {
            let session = try TLSSession(
                worker.shared.tls.clientSide(),
                as: leaf,
                over: .descriptor(client.stream.descriptorNumber),
                behind: firstBytes.span
            )
            let handshake = SecureHandshake(session, on: client.stream) { [self] outcome in
                securing = nil
                if let step = greeted(outcome) { perform(step) }
            }
            securing = handshake
            return greeted(handshake.start())
        } catch {
            return notGreeted(error)
        }
    }

    private func greeted(_ outcome: SecureHandshake.Outcome) -> ExchangeStateMachine.Step? {
        switch outcome {
        case .waiting:
            return nil
        case .complete(let channel):
            securing = nil
            greeting = channel
            return exchange.machine.welcomed()
        case .failed(let error, _):
            securing = nil
            return notGreeted(error)
        }
    }

    /// The client didn't take us for the host that it named, for the most part since it doesn't trust our authority.
    private func notGreeted(_ error: TLSError) -> ExchangeStateMachine.Step {
        record.reason = "interception.client"
        let host = exchange.machine.destination?.origin.authorityWithPort ?? ""
        worker.shared.log.warn("interception.client: a client refused the TLS connection opened for \(host): \(error)")
        return exchange.machine.hangUp()
    }
}

// MARK: ends

extension ExchangeRunner {
    /// The CONNECT is done with; what the client asks for in its tunnel are exchanges of their own.
    func serve(_ failure: LocalResponse?) {
        guard let client, let origin = exchange.machine.destination?.origin else { return }
        let channel = greeting
        let scheme: Scheme = channel == nil ? .http : .https
        let tunnel = OpenedTunnel(
            origin: Origin(scheme: scheme, host: origin.host, port: origin.port),
            failure: failure,
            redirection: exchange.machine.destination?.terms.redirection
        )
        keepUpstream(for: tunnel, client)
        self.client = nil
        finish(reusesUpstream: true)
        client.serve(tunnel, through: channel)
    }

    /// The connection that the CONNECT opened serves this client's requests, and nobody else's: it may log in on it.
    private func keepUpstream(for tunnel: OpenedTunnel, _ client: ClientConnection) {
        guard let upstream else { return }
        let terms = exchange.machine.destination.flatMap { tunnel.origin.scheme == .https ? $0.terms : nil }
        let destination = worker.destination(in: tunnel, of: client.identity, by: terms?.hops, at: terms?.place)
        let isSame =
            destination.hop.serverKey == upstream.hop.serverKey && destination.origin.scheme == tunnel.origin.scheme
        // What it has said by now is no response to anything.
        guard isSame, policy === worker.policy, upstream.stream.peek() == .silent else { return giveUpUpstream() }
        worker.pool.turn(upstream, to: destination.hop)
        bind(upstream)
        // What it says unasked, or its end, must be seen.
        upstream.stream.resumeReading()
    }

    /// Ends the client's connection behind what has been sent.
    func hangUp() {
        let client = client
        self.client = nil
        finish(reusesUpstream: false)
        client?.tunnelClosed()
    }

    /// Nothing of the opening is waited for any more.
    func forgetOpening() {
        worker.minting[number] = nil
        firstBytes = []
        greeting = nil
        inside = nil
    }
}
