internal import Bytes
internal import Rules
internal import Trust

/// A trust policy with the places of what it says.
struct TrustEntry {
    let node: YAMLNode
    let hosts: [(pattern: HostPattern, mark: Mark)]
    let pattern: TrustPattern
}

extension RuleFileReader {
    mutating func readTrust(_ node: YAMLNode?) {
        for (number, node) in (node?.elements ?? []).enumerated() where node.entries != nil {
            readPolicy(node, name: "trust[\(number)]")
        }
    }

    private mutating func readPolicy(_ node: YAMLNode, name: String) {
        let hosts = hostPatterns(node["host"])
        var terms = TrustPolicy.Terms()
        readPins(node, &terms)
        readValidation(node, &terms)
        readTLS(node, &terms)
        terms.enforces = boolean(node["enforce"]) ?? true
        terms.expires = text(node["expires"], as: .date).flatMap(ScalarValue.date)?.unixSeconds
        terms.reportURL = text(node["report"], as: .url)
        switch node["tunnel"]?.text {
        case "refuse": terms.tunnel = .refuse
        case "pass": terms.tunnel = .pass
        default: break
        }
        check(terms, node)
        guard !hosts.isEmpty || !readsSecrets else { return }
        let pattern = TrustPattern(
            hosts: hosts.map(\.pattern),
            port: text(node["port"], as: .portOrAny).flatMap(ScalarValue.port),
            policy: TrustPolicy(name: name, terms: terms),
            place: place(node)
        )
        policies.append(TrustEntry(node: node, hosts: hosts, pattern: pattern))
    }

    // MARK: pins

    private mutating func readPins(_ node: YAMLNode, _ terms: inout TrustPolicy.Terms) {
        let written = node["pinning"]?.text
        let pins = node["pins"]
        if let pins, pins.elements?.isEmpty == true { error(pins, "'pins' is empty: nothing would be trusted") }
        switch written {
        case "none": terms.pinning = .none
        case "observe": terms.pinning = .observe
        case "certificate": terms.pinning = .certificate
        case "public-key": terms.pinning = .publicKey
        default: terms.pinning = pins == nil ? .none : .publicKey
        }
        switch terms.pinning {
        case .none, .observe:
            if pins != nil, let key = node.entry("pins")?.key {
                error(key, "'pins' can't stand beside 'pinning: \(written ?? "")', which compares nothing with them")
            }
        case .publicKey, .certificate:
            if pins == nil, let pinning = node["pinning"], !hasUnknownKey(node, Schema.trust) {
                error(pinning, "'pinning: \(written ?? "")' needs 'pins'")
            }
        }
        if let pins { terms.pins = pinSet(pins, inCertificateMode: terms.pinning == .certificate) }
    }

    private mutating func pinSet(_ list: YAMLNode, inCertificateMode: Bool) -> PinSet {
        let nodes = list.elements ?? []
        var keys: [PublicKeyPin] = []
        var certificates: [PinnedCertificate] = []
        for node in nodes where !node.isFaulty {
            if node.entries != nil {
                if let pin = pinnedCertificate(node["certificate"]) { certificates.append(pin) }
            } else if let pin = text(node, as: .pin).flatMap({ PublicKeyPin($0) }) {
                if inCertificateMode {
                    error(node, "'sha256/…' pins a key: under 'pinning: certificate' write { certificate: FILE }")
                }
                keys.append(pin)
            }
        }
        let pins = PinSet(publicKeys: keys, certificates: certificates)
        // Of a list with a bad entry it isn't known what it would be without it.
        let isComplete = keys.count + certificates.count == nodes.count && (keys.isEmpty || !inCertificateMode)
        if isComplete, (inCertificateMode ? pins.certificates.count : pins.keys.count) == 1 {
            warning(list, "a pin without a backup: when its key is lost or renewed, nothing reaches the host")
        }
        return pins
    }

    private mutating func pinnedCertificate(_ node: YAMLNode?) -> PinnedCertificate? {
        guard let node, let file = certificates(node, what: "the file of this pin") else { return nil }
        guard readsSecrets else {
            // It is counted all the same.
            let stand = Fingerprint(of: Array(file.name.utf8).span)
            return PinnedCertificate(
                name: file.name,
                fingerprint: stand,
                publicKeyPin: PublicKeyPin(fingerprint: stand)
            )
        }
        let found = CertificateFile.certificates(file.pem) ?? []
        guard found.count == 1, let der = found.first else {
            error(node, "the file of this pin holds \(found.count) certificates; each pin is one")
            return nil
        }
        return PinnedCertificate(name: file.name, der: der)
    }

    // MARK: validation

    private mutating func readValidation(_ node: YAMLNode, _ terms: inout TrustPolicy.Terms) {
        terms.validatesDomainName = boolean(node["validates_domain_name"]) ?? true
        terms.allowsInvalidCertificates = boolean(node["allow_invalid_certificates"]) ?? false
        // Where the chain need not be valid, only some shapes of it would be looked at that closely.
        terms.strict = boolean(node["strict"]) ?? (terms.comparesPins && !terms.allowsInvalidCertificates)
        if terms.allowsInvalidCertificates, !terms.comparesPins, terms.validatesDomainName,
            let key = node.entry("allow_invalid_certificates")?.key
        {
            error(
                key,
                "a name in a certificate that anyone may have made says nothing: 'allow_invalid_certificates' needs 'pins', "
                    + "or name the server's authority in 'anchors'"
            )
        }
        terms.anchors = anchors(node["anchors"])
        terms.revocation = revocation(node["revocation"])
    }

    private mutating func anchors(_ node: YAMLNode?) -> [AnchorSource] {
        guard let node, !node.isFaulty, !node.isEmptyPlain else { return [.system] }
        if node.elements?.isEmpty == true { error(node, "'anchors' is empty: nothing would be trusted") }
        return node.elementsOrSelf.compactMap { node in
            guard node.entries != nil else { return node.text == "system" ? .system : nil }
            let file = certificates(node, what: "the file of anchors")
            return file.map { .file(name: $0.name, pem: $0.pem) }
        }
    }

    private mutating func revocation(_ node: YAMLNode?) -> Revocation {
        guard let node, !node.isFaulty else { return .staple }
        if node.entries != nil {
            guard let written = node["crl"], let file = content(written, what: "the file of revocation lists") else {
                return .staple
            }
            let isPEM = String(decoding: file.bytes, as: UTF8.self).contains("-----BEGIN X509 CRL-----")
            if readsSecrets, !isPEM, file.bytes.first != 0x30 {
                error(written, "the file of revocation lists holds none (PEM or DER)")
            }
            return .crl(name: file.name, bytes: file.bytes)
        }
        switch node.text {
        case "off": return .off
        case "must-staple": return .mustStaple
        default: return .staple
        }
    }

    private mutating func readTLS(_ node: YAMLNode, _ terms: inout TrustPolicy.Terms) {
        if node["minimum_tls"]?.text == "1.3" { terms.minimumVersion = .v13 }
        if node["maximum_tls"]?.text == "1.2" { terms.maximumVersion = .v12 }
        if terms.minimumVersion > terms.maximumVersion, let written = node["maximum_tls"] {
            error(written, "'maximum_tls' lies below 'minimum_tls'")
        }
        terms.ciphers = text(node["ciphers"], as: .nonEmptyText)
        terms.groups = text(node["groups"], as: .nonEmptyText)
    }
}
