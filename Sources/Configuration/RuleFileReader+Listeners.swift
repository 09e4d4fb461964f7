internal import Bytes
internal import HTTP
internal import Rules

extension RuleFileReader {
    /// What a listener's path may have on Linux, less its end [unix(7)].
    private static let maximumSocketPath = 107

    mutating func readListeners(_ node: YAMLNode?) {
        if let node, node.elements?.isEmpty == true { error(node, "without a listener nobody can reach the proxy") }
        let nodes = (node?.elements ?? []).filter { $0.entries != nil }
        listenerNames = nodes.compactMap { text($0["name"], as: .nonEmptyText) }
        var addresses: [(address: ListenerConfiguration.Address, mark: Mark)] = []
        for node in nodes {
            guard let written = node["address"], let address = listenerAddress(written) else { continue }
            if !address.isAnyPort, let twin = addresses.first(where: { $0.address == address }) {
                error(written, "another listener has this address, in line \(twin.mark.line + 1)")
            }
            addresses.append((address, written.start))
            readListener(node, address)
        }
        if node == nil {
            listeners = [ListenerConfiguration(address: .tcp(.loopbackV4, 3128), name: nil, clients: nil)]
        }
    }

    /// An address that can be bound; nil where it can't be read, which was told.
    mutating func listenerAddress(_ node: YAMLNode) -> ListenerConfiguration.Address? {
        guard let text = text(node, as: .listenerAddress), case .success(let address) = ListenerAddress.read(text)
        else { return nil }
        guard case .unix(let written) = address else { return address }
        let path = set.resolved(written, in: set.folders[node.start.file])
        if path.utf8.count > Self.maximumSocketPath {
            error(node, "the path of a socket has at most \(Self.maximumSocketPath) bytes: \(Quoting.quoted(path))")
        }
        return .unix(path)
    }

    private mutating func readListener(_ node: YAMLNode, _ address: ListenerConfiguration.Address) {
        let name = text(node["name"], as: .nonEmptyText)
        if let name, let written = node["name"], listeners.contains(where: { $0.name == name }) {
            error(written, "another listener has this name")
        }
        let mode = readMode(node)
        refuseForeignKeys(node, address)
        listeners.append(
            ListenerConfiguration(
                address: address,
                mode: mode,
                name: name,
                clients: clients(node["clients"]),
                require: readRequire(node["require"]),
                modeBits: text(node["mode_bits"], as: .permissions).flatMap(ScalarValue.permissions) ?? 0o600,
                group: group(node["group"])
            )
        )
        listenerNodes.append(node)
    }

    private mutating func readMode(_ node: YAMLNode) -> ListenerConfiguration.Mode {
        let names = hostPatterns(node["names"]).map(\.pattern)
        switch node["mode"]?.text {
        case "fixed":
            if node["origin"] == nil, !hasUnknownKey(node, Schema.listener) {
                error(node, "a listener with 'mode: fixed' needs 'origin': the one origin that it leads to")
            }
            guard let text = text(node["origin"], as: .fixedOrigin), case .success(let read) = FixedURL.read(text)
            else { return .forward }
            return .fixed(FixedOrigin(origin: read.origin, prefix: read.prefix, names: names))
        case "tunnel":
            if node["target"] == nil, !hasUnknownKey(node, Schema.listener) {
                error(node, "a listener with 'mode: tunnel' needs 'target': HOST:PORT")
            }
            guard let text = text(node["target"], as: .hostAndPort),
                case .success(let read) = HostAndPort.read(text, of: "a target")
            else { return .forward }
            return .tunnel(Origin(scheme: .https, host: read.host, port: read.port))
        case "transparent": return .transparent
        case "socks5": return .socks5
        default: return .forward
        }
    }

    /// Keys that say something in another mode or at another kind of address.
    private mutating func refuseForeignKeys(_ node: YAMLNode, _ address: ListenerConfiguration.Address) {
        let mode = node["mode"]?.text ?? "forward"
        let isKnownMode = text(node["mode"], as: Schema.listenerMode) != nil || node["mode"] == nil
        for (key, owner) in [("origin", "fixed"), ("names", "fixed"), ("target", "tunnel")] {
            guard let entry = node.entry(key), mode != owner, isKnownMode else { continue }
            error(entry.key, "'\(key)' belongs to 'mode: \(owner)'")
        }
        if case .unix = address {
            if mode == "transparent", let written = node["mode"] {
                error(written, "the kernel redirects TCP connections only: write HOST:PORT for 'transparent'")
            }
            return
        }
        for key in ["mode_bits", "group"] {
            if let entry = node.entry(key) { error(entry.key, "'\(key)' belongs to a socket of 'unix:PATH'") }
        }
    }

    /// The number of a unix socket's group.
    private mutating func group(_ node: YAMLNode?) -> UInt32? {
        guard let node, let text = text(node, as: .nonEmptyText) else { return nil }
        let number = accounts.number(ofGroup: text)
        if number == nil, readsSecrets { error(node, ClientPatternError.unknownGroup(text).message) }
        return number
    }

    /// The origins of `fixed` listeners.
    var fixedOrigins: [Origin] { listeners.compactMap(\.fixedOrigin) }

    /// A listener that the network reaches while only this machine may use it.
    mutating func warnOfUnreachableListeners() {
        guard access.clients == nil else { return }
        for (node, listener) in zip(listenerNodes, listeners) where node["clients"] == nil {
            guard let written = node["address"], case .tcp(let address, _) = listener.address, !address.isLoopback
            else { continue }
            warning(
                written,
                "only this machine may use the proxy unless 'clients' says who else: access: { clients: [10.0.0.0/8] }"
            )
        }
    }
}

extension ListenerConfiguration.Address {
    /// Whether the system chooses the port.
    var isAnyPort: Bool {
        if case .tcp(_, 0) = self { true } else { false }
    }
}
