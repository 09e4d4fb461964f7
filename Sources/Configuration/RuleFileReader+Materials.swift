internal import Authentication
internal import Bytes
internal import Rules
internal import Trust

extension RuleFileReader {
    /// Tells what the TLS library finds wrong with a client certificate; true where it can be shown.
    mutating func check(_ certificate: ClientCertificate, _ node: YAMLNode) -> Bool {
        guard readsSecrets, let materials else { return true }
        let file = node["certificate"] ?? node["pkcs12"] ?? node
        switch materials.finding(on: certificate) {
        case .faulty(let fault):
            let place =
                switch fault.part {
                case .privateKey: node["private_key"]
                case .passphrase: node["passphrase"]
                default: file
                }
            error(place ?? file, fault.message)
            return false
        case .usable(let notBefore, let notAfter):
            if notAfter < now {
                warning(file, "this certificate ended on \(CivilDate(unixSeconds: notAfter)): servers will refuse it")
            } else if now < notBefore {
                warning(file, "this certificate isn't valid before \(CivilDate(unixSeconds: notBefore))")
            }
            return true
        }
    }

    /// Tells what the TLS library finds wrong with the authority of `interception`; true where it can mint.
    mutating func check(_ authority: InterceptionConfiguration.Authority, _ node: YAMLNode) -> Bool {
        guard readsSecrets, let materials else { return true }
        let file = node["certificate"] ?? node
        switch materials.finding(on: authority, now: now) {
        case .faulty(let fault):
            error((fault.part == .privateKey ? node["private_key"] : file) ?? file, fault.message)
            return false
        case .usable(_, let notAfter):
            if notAfter - now <= Self.expiryNotice {
                let end = CivilDate(unixSeconds: notAfter)
                warning(
                    file,
                    "this authority ends on \(end): make another with countersign ca init, and have clients trust it"
                )
            }
            return true
        }
    }

    /// Tells of hosts to be opened that the authority's name constraints leave out: their clients would refuse its leafs.
    mutating func check(_ opened: InterceptionConfiguration, _ hosts: YAMLNode) {
        guard readsSecrets, let materials else { return }
        // Beyond so many, nobody wrote them one by one for an authority that is held to a few.
        for host in opened.hosts.prefix(64) {
            guard let identity = host.example else { continue }
            if materials.believes(opened.authority, for: identity, now: now) { continue }
            warning(
                hosts,
                "clients will refuse what is shown for \(identity): the authority's name constraints leave it out"
            )
        }
    }

    /// Tells what the TLS library finds wrong with what a policy names.
    mutating func check(_ terms: TrustPolicy.Terms, _ node: YAMLNode) {
        guard readsSecrets, let materials else { return }
        for fault in materials.faults(of: terms) {
            let place: YAMLNode? =
                switch fault.part {
                case .anchor(let number): anchorNode(number, node["anchors"])
                case .revocation: node["revocation"]?["crl"]
                case .ciphers: node["ciphers"]
                case .groups: node["groups"]
                case .certificate, .privateKey, .passphrase: nil
                }
            error(place ?? node, fault.message)
        }
    }

    private func anchorNode(_ number: Int, _ node: YAMLNode?) -> YAMLNode? {
        let nodes = node?.elementsOrSelf ?? []
        return nodes.indices.contains(number) ? nodes[number] : node
    }
}

extension HostPattern {
    /// Somebody whom it matches; nil where that is anybody.
    fileprivate var example: ReferenceIdentity? {
        switch form {
        case .exact(let name), .domain(let name): .name(name)
        case .oneLabel(let name): .name("a.\(name)")
        case .address(let address): .address(address)
        case .network(let network): .address(network.address)
        case .any: nil
        }
    }
}
