internal import Bytes
package import Trust

/// One entry of `trust`: which upstreams it is about, and what must hold of them.
package struct TrustPattern: Sendable {
    /// One of them must match.
    package let hosts: [HostPattern]
    /// nil: any.
    package let port: UInt16?
    /// What must hold.
    package let policy: TrustPolicy
    /// Where it stands.
    package let place: SourcePlace

    /// An entry from all its parts.
    package init(hosts: [HostPattern], port: UInt16?, policy: TrustPolicy, place: SourcePlace) {
        self.hosts = hosts
        self.port = port
        self.policy = policy
        self.place = place
    }

    /// Whether everything that a later entry matches is matched by this one.
    func hides(_ later: TrustPattern) -> Bool {
        guard port == nil || port == later.port, !later.hosts.isEmpty else { return false }
        return later.hosts.allSatisfy { host in hosts.contains { $0.covers(host) } }
    }
}

/// The trust policies of a rule file with an index by host; the first that matches decides.
package struct TrustTable: Sendable {
    /// In file order.
    package let patterns: [TrustPattern]
    private let index: HostIndex

    /// A table of entries in file order.
    package init(_ patterns: [TrustPattern]) {
        var index = HostIndex()
        for (place, pattern) in patterns.enumerated() {
            index.insert(place, hosts: pattern.hosts)
        }
        self.patterns = patterns
        self.index = index
    }

    /// The policy for what is dialled, after `upgrade` and before `to`: an origin or an https parent; the default where
    /// none matches.
    ///
    /// `host` is in lower case, without brackets and trailing dot, as `Origin` keeps it.
    package func policy(host: String, port: UInt16) -> TrustPolicy {
        pattern(host: host, port: port)?.policy ?? .standard
    }

    /// The entry that decides for what is dialled; nil: the default holds.
    func pattern(host: String, port: UInt16) -> TrustPattern? {
        let entries = index.entries(host: host, address: IPAddress(host))
        return entries.lazy.map { self.patterns[$0] }.first { $0.port == nil || $0.port == port }
    }

    /// The entries that an earlier one hides, with the place of that one.
    package var hidden: [(entry: Int, by: SourcePlace)] {
        var earlier = HidingIndex()
        return patterns.indices.compactMap { place in
            let hosts = patterns[place].hosts
            defer { earlier.insert(place, hosts: hosts) }
            let hiding = earlier.candidates(for: hosts).first { patterns[$0].hides(patterns[place]) }
            return hiding.map { (place, patterns[$0].place) }
        }
    }
}
