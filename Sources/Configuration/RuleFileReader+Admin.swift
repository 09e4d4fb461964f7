internal import Bytes
internal import Rules

extension RuleFileReader {
    /// Where operators look at the process (O-2), once the listeners are read.
    mutating func readAdmin(_ node: YAMLNode?) -> AdminConfiguration? {
        guard let node, node.entries != nil else { return nil }
        let hosts = adminHosts(node["hosts"])
        guard let written = node["address"], let address = listenerAddress(written) else { return nil }
        if !address.isAnyPort, let place = listeners.firstIndex(where: { $0.address == address }) {
            let line = listenerNodes.isEmpty ? nil : listenerNodes[place]["address"]?.start.line
            let whose = line.map { "the listener in line \($0 + 1) has this address" }
            error(written, "\(whose ?? "clients reach the proxy at this address"): give 'admin' another port")
        }
        if case .tcp(let ip, _) = address, !ip.isLoopback {
            warning(
                written,
                "whoever reaches this address can read there which servers, realms and credentials are in use; "
                    + "no login is asked for"
            )
        }
        return AdminConfiguration(address: address, hosts: hosts)
    }

    /// The names by which a browser may ask: a page of another site must not get there by a name of its own.
    private mutating func adminHosts(_ node: YAMLNode?) -> [HostPattern] {
        guard let node, node.elements?.isEmpty != true else { return [] }
        var hosts: [HostPattern] = []
        for (pattern, mark) in hostPatterns(node) {
            switch pattern.form {
            case .any:
                collector.error(
                    mark,
                    "with '*' any web site could have a browser read the page: write the names that it is asked for by, "
                        + "such as proxy.example.com"
                )
            case .network:
                collector.error(
                    mark,
                    "'hosts' are names, not who may connect: any address is taken anyway; write a name such as proxy.example.com"
                )
            case .address: collector.warning(mark, "an address is taken anyway: 'hosts' are further names")
            case .exact, .oneLabel, .domain: hosts.append(pattern)
            }
        }
        return hosts
    }
}
