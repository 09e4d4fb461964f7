package import Bytes
package import HTTP

/// What `access` says of one destination, as far as its name and port tell.
package struct DestinationStanding: Sendable {
    /// How a destination is asked for.
    package enum Manner: Sendable {
        /// By a request that is forwarded.
        case plain
        /// By a CONNECT, whose inside nobody sees.
        case tunnel
        /// By a CONNECT that is opened, so that each request inside has its path looked at.
        case opened
    }

    /// Why a request may not go there.
    package enum Refusal: Equatable, Sendable {
        /// To that port none leads.
        case port
        /// The lists don't let it.
        case destination
        /// The address is refused.
        case address
    }

    /// No list and no default says anything, whoever asks; but for the address of a name, of course.
    package let isOpen: Bool
    /// Its port is none of those for this manner.
    private let isPortRefused: Bool
    /// It is denied whatever the path.
    private let isDenied: Bool
    private let deniedPaths: [PathPattern]
    /// It is allowed by name, whatever the path.
    private let isAllowed: Bool
    private let allowedPaths: [PathPattern]
    /// Some network is allowed, and the name may lead there.
    private let mayBeAllowedByAddress: Bool
    /// For whom it is, where it is a literal address.
    private let reach: DestinationReach
    /// A network is denied, so a name is worth resolving though a parent is asked for it.
    package let isWorthResolving: Bool

    /// The standing of what a client asked for; `isOwn` tells the machine's own addresses.
    package init(
        of origin: Origin,
        _ manner: Manner,
        under access: AccessConfiguration,
        isOwn: (IPAddress) -> Bool = { _ in false }
    ) {
        let rules = access.destinations
        let address = IPAddress(origin.host)
        let ports = manner == .plain ? access.plainPorts : access.connectPorts
        isPortRefused = ports.map { !$0.contains(origin.port) } ?? false
        let denying = rules.deny.filter { $0.names(origin, address) }
        isDenied = denying.contains { $0.path == nil || manner == .tunnel }
        deniedPaths = manner == .plain ? denying.compactMap(\.path) : []
        let allowing = (rules.allow ?? []).filter { $0.names(origin, address) }
        isAllowed = rules.allow == nil || allowing.contains { $0.path == nil || manner == .opened }
        allowedPaths = manner == .plain ? allowing.compactMap(\.path) : []
        mayBeAllowedByAddress = address == nil && rules.allow?.contains { $0.isOfAddresses(at: origin) } == true
        isWorthResolving = address == nil && rules.deny.contains { $0.isOfAddresses(at: origin) }
        reach = address.map { rules.reachByDefault(of: $0, at: origin, isOwn) } ?? .everybody
        isOpen = !isPortRefused && !isDenied && deniedPaths.isEmpty && isAllowed && reach == .everybody
    }

    /// Nothing is held against it.
    package static let open = DestinationStanding(of: Origin(scheme: .http, host: "a"), .plain, under: .init())

    /// Whether a request with this path is refused before anything is dialled; `isInside` for one in an opened tunnel,
    /// whose port was looked at with its CONNECT.
    package func refusal(path: Span<UInt8>, isLocal: Bool, isInside: Bool) -> Refusal? {
        if isPortRefused && !isInside { return .port }
        if isDenied { return .destination }
        if !reach.admits(isLocal: isLocal) { return .address }
        if !deniedPaths.isEmpty {
            // Where servers don't agree on what a path names, it may be that one.
            guard RequestPath.isUnambiguous(path) else { return .destination }
            for pattern in deniedPaths where pattern.matches(path) { return .destination }
        }
        return isAllowed(path: path) || mayBeAllowedByAddress ? nil : .destination
    }

    /// Whether only an address that is dialled can allow it.
    package func needsAllowedAddress(path: Span<UInt8>) -> Bool { !isAllowed(path: path) }

    private func isAllowed(path: Span<UInt8>) -> Bool {
        if isAllowed { return true }
        guard !allowedPaths.isEmpty, RequestPath.isUnambiguous(path) else { return false }
        for pattern in allowedPaths where pattern.matches(path) { return true }
        return false
    }
}

extension DestinationRules {
    /// For whom an address may be dialled that a name of `origin` has; `needsAllowed` where no name is allowed.
    package func reach(
        of address: IPAddress,
        at origin: Origin,
        needsAllowed: Bool,
        isOwn: (IPAddress) -> Bool
    ) -> DestinationReach {
        if denies(address, at: origin) { return .nobody }
        let isAllowed = { (entry: Entry) in
            entry.path == nil && address.anyForm { entry.holds($0, at: origin) }
        }
        if needsAllowed, allow?.contains(where: isAllowed) != true { return .nobody }
        return reachByDefault(of: address, at: origin, isOwn)
    }

    /// Whether a network of the list holds an address that a name has, whatever the path.
    package func denies(_ address: IPAddress, at origin: Origin) -> Bool {
        deny.contains { entry in address.anyForm { entry.holds($0, at: origin) } }
    }

    /// Some network is denied, so that names may have to be resolved for a parent.
    package var denyAddresses: Bool { deny.contains(where: \.isOfAddresses) }

    /// Some network or address is named in either list.
    package var nameAddresses: Bool { denyAddresses || allow?.contains(where: \.isOfAddresses) == true }

    /// R-7's, unless `allow` names the address itself.
    fileprivate func reachByDefault(
        of address: IPAddress,
        at origin: Origin,
        _ isOwn: (IPAddress) -> Bool
    ) -> DestinationReach {
        let isNamed = allow?.contains { $0.isAddress(address) && $0.meansPort(of: origin) } == true
        return isNamed ? .everybody : DestinationReach(byDefault: address, isOwn: isOwn)
    }
}

extension DestinationRules.Entry {
    /// Whether it is about a host as the client names it; an address in any spelling.
    fileprivate func names(_ origin: Origin, _ address: IPAddress?) -> Bool {
        guard meansPort(of: origin) else { return false }
        guard let address else { return host.matches(host: origin.host, address: nil) }
        return host.form == .any || address.anyForm { host.matches(host: "", address: $0) }
    }

    /// Whether it is about that address, and not about a name.
    fileprivate func holds(_ address: IPAddress, at origin: Origin) -> Bool {
        isOfAddresses && meansPort(of: origin) && host.matches(host: "", address: address)
    }

    /// Whether addresses may fall under it that names at this port and protocol have.
    fileprivate func isOfAddresses(at origin: Origin) -> Bool { isOfAddresses && meansPort(of: origin) }

    fileprivate var isOfAddresses: Bool {
        switch host.form {
        case .address, .network: true
        case .exact, .oneLabel, .domain, .any: false
        }
    }

    /// Whether it names this address alone.
    fileprivate func isAddress(_ address: IPAddress) -> Bool {
        switch host.form {
        case .address(let own): own == address.unmapped
        case .network(let network): network == IPNetwork(address) || network == IPNetwork(address.unmapped)
        case .exact, .oneLabel, .domain, .any: false
        }
    }

    fileprivate func meansPort(of origin: Origin) -> Bool {
        if let scheme, scheme != origin.scheme { return false }
        switch port {
        case .any: return true
        case .number(let number): return number == origin.port
        case .protocolDefault: return origin.port == origin.scheme.defaultPort
        }
    }
}
