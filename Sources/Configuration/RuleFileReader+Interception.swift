internal import HTTP
internal import Rules
internal import Trust

extension RuleFileReader {
    mutating func readInterception(_ node: YAMLNode?) {
        guard let node, node.entries != nil else {
            if node == nil, let made = authority(for: hostsWorthOpening()) {
                interception = InterceptionConfiguration(
                    authority: made,
                    hosts: hostsWorthOpening(),
                    except: [],
                    other: nil
                )
            }
            return
        }
        let written = node["hosts"].map { hostPatterns($0) }
        let except = hostPatterns(node["except"])
        warnOfOneLabel(except, key: "except")
        let other = text(node["other"], as: .choice(["tunnel", "refuse"]))
        let hosts = written?.map(\.pattern) ?? hostsWorthOpening()
        let authorityNode = node["authority"]
        guard let authority = authorityNode.map({ self.authority($0) }) ?? authority(for: hosts) else {
            guard authorityNode == nil else { return }
            guard !hasUnknownKey(node, Schema.interception) else { return }
            if let key = node.entry("hosts")?.key {
                error(key, "'hosts' can't be opened without an 'authority': countersign ca init makes one")
            } else {
                warning(node, "nothing is opened without an 'authority': countersign ca init makes one")
            }
            return
        }
        let opened = InterceptionConfiguration(
            authority: authority,
            hosts: hosts,
            except: except.map(\.pattern),
            other: other.map { $0 == "tunnel" ? .tunnel : .refuse }
        )
        interception = opened
        check(opened, node["hosts"] ?? authorityNode?["certificate"] ?? node)
    }

    /// An authority where the file has none, if whoever reads it makes one.
    private func authority(for hosts: [HostPattern]) -> InterceptionConfiguration.Authority? {
        hosts.isEmpty ? nil : makeAuthority?(hosts)
    }

    private mutating func authority(_ node: YAMLNode) -> InterceptionConfiguration.Authority? {
        guard node.entries != nil else { return nil }
        let certificate = certificates(node["certificate"], what: "the authority's certificate")
        let key = privateKey(node["private_key"], hasPassphrase: nil)
        guard let certificate, let key else { return nil }
        let authority = InterceptionConfiguration.Authority(
            certificatePath: certificate.name,
            certificateFile: path(node["certificate"]),
            certificate: certificate.pem,
            privateKey: key
        )
        return check(authority, node) ? authority : nil
    }

    /// The hosts of origin rules with `use` and of policies with pins, but for `protocol: http` and `*`.
    private func hostsWorthOpening() -> [HostPattern] {
        let ofRules = rules.lazy.map(\.rule)
            .filter { $0.credential != nil && !$0.space.isProxy && $0.space.scheme != .http }
            .flatMap(\.space.hosts)
        let ofPins = policies.lazy.map(\.pattern).filter { $0.policy.terms.comparesPins }.flatMap(\.hosts)
        var hosts: [HostPattern] = []
        var seen: Set<HostPattern> = []
        for host in Array(ofRules) + Array(ofPins) where host.form != .any && seen.insert(host).inserted {
            hosts.append(host)
        }
        return hosts
    }

    /// `*.` where whoever writes it may well mean any depth, as elsewhere.
    mutating func warnOfOneLabel(_ hosts: [(pattern: HostPattern, mark: Mark)], key: String) {
        for (pattern, mark) in hosts {
            guard case .oneLabel(let name) = pattern.form else { continue }
            collector.warning(
                mark,
                "'*.\(name)' under '\(key)' is exactly one label deep: write '.\(name)' for that name and all below it"
            )
        }
    }
}
