internal import Bytes
internal import HTTP

/// Finds the earlier rules or routes that might match all that a later one does, without comparing each with each.
struct HidingIndex {
    /// How many comparisons a file may cost in all; ten thousand rules for one host would else cost fifty million.
    private static let budget = 250_000

    private var byName: [String: [Int]] = [:]
    private var byAddress: [IPAddress: [Int]] = [:]
    private var wide: [Int] = []
    private var spent = 0

    /// Adds an entry by its place.
    mutating func insert(_ place: Int, hosts: [HostPattern]) {
        for host in hosts {
            switch host.form {
            case .exact(let name), .domain(let name), .oneLabel(let name): byName[name, default: []].append(place)
            case .address(let address): byAddress[address, default: []].append(place)
            case .network, .any: wide.append(place)
            }
        }
    }

    /// Those of which some pattern might cover the first of these hosts, in file order.
    mutating func candidates(for hosts: [HostPattern]) -> [Int] {
        guard let first = hosts.first, spent < Self.budget else { return [] }
        var found = wide
        switch first.form {
        case .exact(let name), .domain(let name), .oneLabel(let name):
            var rest = Substring(name)
            found += byName[name] ?? []
            while let dot = rest.firstIndex(of: ".") {
                rest = rest[rest.index(after: dot)...]
                found += byName[String(rest)] ?? []
            }
        case .address(let address): found += byAddress[address] ?? []
        case .network, .any: break
        }
        spent += found.count + 1
        return found.sorted()
    }
}

extension Rule {
    /// Whether everything that a later rule matches is matched by this one, so that the later one never decides.
    func hides(_ later: Rule) -> Bool {
        guard space.isProxy == later.space.isProxy, space.scheme == nil || space.scheme == later.space.scheme,
            space.port.covers(later.space.port), space.realm.covers(later.space.realm),
            methods.isSuperset(of: later.methods), isForClientCertificate == later.isForClientCertificate,
            isForHeader == later.isForHeader,
            !later.space.hosts.isEmpty
        else { return false }
        if let path = space.path {
            guard let laterPath = later.space.path, path.covers(laterPath) else { return false }
        }
        if let clients {
            guard let laterClients = later.clients else { return false }
            guard laterClients.allSatisfy({ client in clients.contains { $0.covers(client) } }) else { return false }
        }
        return later.space.hosts.allSatisfy { host in space.hosts.contains { $0.covers(host) } }
    }

    /// Whether all that it answers shows the secret and none of it may do so without TLS.
    var isHeldBackWithoutTLS: Bool {
        credential != nil && !sends.isEmpty && sends.isSubset(of: .exposing) && sends.isDisjoint(with: cleartext)
    }
}

extension RoutePattern {
    /// Whether everything that a later route matches is matched by this one.
    func hides(_ later: RoutePattern) -> Bool {
        guard scheme == nil || scheme == later.scheme, port.covers(later.port) else { return false }
        guard let hosts else { return true }
        let laterHosts = later.hosts ?? [HostPattern(form: .any)]
        return !laterHosts.isEmpty && laterHosts.allSatisfy { host in hosts.contains { $0.covers(host) } }
    }
}

extension ClientPattern {
    /// Whether every client that the other entry is about is one of this one's.
    func covers(_ other: ClientPattern) -> Bool {
        guard case .network(let network) = self, case .network(let inner) = other else { return self == other }
        return network.prefixLength <= inner.prefixLength && network.contains(inner.address)
    }
}

extension HostPattern {
    /// Whether it may name this machine, to which nothing needs TLS.
    var mightBeLoopback: Bool {
        switch form {
        case .any: true
        case .exact(let name), .domain(let name), .oneLabel(let name):
            name == "localhost" || name.hasSuffix(".localhost")
        case .address(let address): address.isLoopback
        case .network(let network):
            network.address.isLoopback || network.contains(.loopbackV4) || network.contains(.loopbackV6)
        }
    }
}
