internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules

/// What one request may have dialled.
struct Reaching {
    /// Its client is of this machine.
    var isLocal = true
    /// The operator named its destination, against which nothing is held.
    var isExempt = false
    /// Its name isn't allowed, so its address must be.
    var needsAllowed = false
}

extension Worker {
    /// Whether a connection for the request may be opened to an address.
    func mayDial(_ address: IPAddress, for destination: Destination, _ reaching: Reaching) -> Bool {
        guard !reaching.isExempt else { return true }
        return reach(of: address, destination, needsAllowed: reaching.needsAllowed).admits(isLocal: reaching.isLocal)
    }

    /// Whether a connection may serve a request, having been dialled for another one.
    func admits(_ connection: UpstreamConnection, to destination: Destination, _ reaching: Reaching) -> Bool {
        guard !connection.isForEverybody, let address = connection.address else { return true }
        return mayDial(address, for: destination, reaching)
    }

    /// Whether every request for the hop may go on a connection that was dialled at that address.
    func isForEverybody(_ address: IPAddress, _ destination: Destination) -> Bool {
        if destination.hop.isProxy || destination.hop.isLiteral { return true }
        guard !configuration.access.destinations.nameAddresses else { return false }
        return reach(of: address, destination, needsAllowed: false) == .everybody
    }

    /// For whose requests an address may be dialled; a literal one was judged when it was asked for.
    private func reach(of address: IPAddress, _ destination: Destination, needsAllowed: Bool) -> DestinationReach {
        let hop = destination.hop
        if hop.isProxy || hop.isLiteral { return .everybody }
        // Where the kernel redirected a connection is no operator's word.
        if destination.route.to?.address != nil && !needsAllowed { return .everybody }
        return configuration.access.destinations.reach(
            of: address,
            at: destination.asked,
            needsAllowed: needsAllowed,
            isOwn: shared.ownAddresses.isOwn
        )
    }
}

extension ExchangeRunner {
    /// What the client may have dialled, before its destination is known.
    func reaching(of client: ClientConnection) -> Reaching {
        Reaching(isLocal: client.isOfThisMachine, isExempt: client.reachesNamedDestination)
    }

    /// Whether a name for which a parent is asked leads where `deny` forbids; not to be resolved is no refusal.
    func judgeDestination(of client: ClientConnection) -> Arrival.Outcome {
        let rules = policy.configuration.access.destinations
        guard rules.denyAddresses, !reaching(of: client).isExempt,
            policy.admission.refusal(exchange.request, isClientAllowed: client.isAdmitted, in: client.opened) == nil
        else { return .passed }
        let destination = exchange.destination(
            worker,
            client.identity,
            client.opened,
            upgrades: policy.admission.upgrades(exchange.request),
            by: arrival.via,
            at: arrival.redirection
        )
        guard destination.standing.isWorthResolving, destination.hop.isProxy else { return .passed }
        guard let addresses = addresses(of: destination.asked.host) else { return .pending }
        let isDenied = addresses.contains { rules.denies($0, at: destination.asked) }
        return isDenied ? .refused(LocalResponse(.address)) : .passed
    }

    /// All addresses of a name; nil where they are waited for, and none where it can't be resolved.
    func addresses(of host: String) -> [IPAddress]? {
        if let known = arrival.addresses { return known }
        let take = awaitArrival { (runner, answer: NameAnswer) in runner.arrival.addresses = answer.addresses }
        switch worker.resolver.resolve(host, within: worker.timeouts.dns, { if $0.isWhole { take($0) } }) {
        case .known(let answer):
            forgetArrival()
            return answer.addresses
        case .pending:
            return nil
        }
    }
}

extension Hop {
    /// What is dialled is a proxy, which the operator chose.
    var isProxy: Bool { isParent || socks != nil }
    /// The client itself named the address that is dialled.
    fileprivate var isLiteral: Bool { address == nil && literalAddress != nil }
}

extension ListenerConfiguration.Mode {
    /// What its clients reach is in the rule file.
    var namesDestination: Bool {
        switch self {
        case .fixed, .tunnel: true
        case .forward, .transparent, .socks5: false
        }
    }
}
