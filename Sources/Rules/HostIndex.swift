internal import Bytes
internal import HTTP

/// Finds the entries of a long list whose host patterns match, by looking at the few that can.
///
/// Names are found by hash: the whole name, and each of its suffixes; addresses by one look for each prefix length in use.
struct HostIndex: Sendable {
    private var exact: [String: [Int]] = [:]
    private var oneLabelBelow: [String: [Int]] = [:]
    private var domains: [String: [Int]] = [:]
    private var networks: [IPNetwork: [Int]] = [:]
    private var prefixLengths: [IPAddress.Family: Set<Int>] = [:]
    private var any: [Int] = []

    /// Adds an entry by its place in the list.
    mutating func insert(_ entry: Int, hosts: [HostPattern]) {
        for pattern in hosts {
            switch pattern.form {
            case .exact(let name): exact[name, default: []].append(entry)
            case .oneLabel(let name): oneLabelBelow[name, default: []].append(entry)
            case .domain(let name): domains[name, default: []].append(entry)
            case .address(let address): insert(entry, IPNetwork(address))
            case .network(let network): insert(entry, network)
            case .any: any.append(entry)
            }
        }
    }

    /// The entries that match a host as `HostPattern.matches` says, in the order of the list.
    func entries(host: String, address: IPAddress?) -> [Int] {
        var found = any
        if let address {
            collect(address, into: &found)
            if address.unmapped != address { collect(address.unmapped, into: &found) }
        } else {
            found += exact[host] ?? []
            found += domains[host] ?? []
            var suffix = Substring(host)
            var isFirstLabel = true
            while let dot = suffix.utf8.firstIndex(of: UInt8(ascii: ".")) {
                suffix = suffix[suffix.utf8.index(after: dot)...]
                let name = String(suffix)
                found += domains[name] ?? []
                if isFirstLabel, dot != host.utf8.startIndex { found += oneLabelBelow[name] ?? [] }
                isFirstLabel = false
            }
        }
        guard found.count > 1 else { return found }
        found.sort()
        var last: Int?
        found.removeAll { entry in
            defer { last = entry }
            return entry == last
        }
        return found
    }

    private mutating func insert(_ entry: Int, _ network: IPNetwork) {
        networks[network, default: []].append(entry)
        prefixLengths[network.address.family, default: []].insert(network.prefixLength)
    }

    private func collect(_ address: IPAddress, into found: inout [Int]) {
        for length in prefixLengths[address.family] ?? [] {
            guard let network = IPNetwork(address: address, prefixLength: length) else { continue }
            found += networks[network] ?? []
        }
    }
}
