internal import Bytes
internal import HTTP
internal import Rules
internal import Trust

extension RuleFileReader {
    /// How long before the end of pins or of an authority it is told, in seconds.
    static let expiryNotice: Int64 = 30 * 86_400

    /// Tells what is legal but unsafe or useless in `trust`.
    mutating func warnOfTrust(opensOtherwise: Bool) {
        for (entry, earlier) in TrustTable(policies.map(\.pattern)).hidden {
            let policy = policies[entry]
            let line = (earlier.file == policy.pattern.place.file ? "" : "\(earlier.file), ") + "line \(earlier.line)"
            warning(policy.node, "this policy never holds: the one in \(line) matches all that it does")
        }
        for entry in policies {
            warnOfOneLabel(entry.hosts, key: "trust")
            warnOfPins(entry)
            if !opensOtherwise { warnOfTunnels(entry) }
        }
    }

    private mutating func warnOfPins(_ entry: TrustEntry) {
        let terms = entry.pattern.policy.terms
        let node = entry.node
        guard terms.comparesPins else {
            guard !hasUnknownKey(node, Schema.trust) else { return }
            for key in ["expires", "enforce"] + (terms.pinning == .none ? ["report"] : []) {
                if let key = node.entry(key)?.key {
                    warning(key, "'\(key.text ?? "")' is about pins, and here are none")
                }
            }
            return
        }
        if let enforce = node["enforce"], !terms.enforces {
            warning(enforce, "'enforce: false' only reports a server whose pins don't match")
        }
        guard let expires = terms.expires, let written = node["expires"] else { return }
        if expires <= now {
            warning(written, "these pins have expired: the validation alone decides")
        } else if expires - now <= Self.expiryNotice {
            warning(written, "these pins expire within 30 days: from then on the validation alone decides")
        }
    }

    /// Pins, or their observation, of a host whose certificate is never seen because its CONNECT is passed on.
    private mutating func warnOfTunnels(_ entry: TrustEntry) {
        let policy = entry.pattern.policy
        guard policy.terms.pinning != .none, policy.terms.tunnel != .refuse else { return }
        if policy.terms.pinning != .observe, policy.terms.enforces, policy.terms.tunnel == nil { return }
        let parents = proxyNames.compactMap { proxies[$0]?.parent?.origin.host }
        for (pattern, mark) in entry.hosts {
            let isParent = parents.contains { pattern.matches(host: $0, address: IPAddress($0)) }
            guard !isParent, interception?.mightOpen(pattern) != true else { continue }
            if routes.contains(where: { $0.route.mightUpgrade(pattern) }) { continue }
            if fixedOrigins.contains(where: { pattern.matches(host: $0.host, address: IPAddress($0.host)) }) {
                continue
            }
            let what = policy.terms.pinning == .observe ? "nothing is observed" : "these pins hold nobody off"
            collector.warning(mark, "\(what): a CONNECT to this host is tunnelled, its certificate isn't seen")
        }
    }
}
