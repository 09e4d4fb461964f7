internal import Authentication
internal import Bytes
internal import HTTP
internal import Trust

extension Explanation {
    /// What holds of the TLS to one server of the request.
    struct Security: Sendable {
        /// The origin, or the parent on the way.
        let server: Origin
        let isProxy: Bool
        let policy: TrustPolicy
        /// Where the policy stands; nil for the default.
        let place: SourcePlace?
        /// The rule whose certificate is shown where the server asks for one.
        let certificateRule: Rule?

        /// nil where the server is spoken to in the clear.
        init?(_ server: Origin, isProxy: Bool, _ client: Client, _ configuration: ServerConfiguration) {
            guard server.scheme == .https else { return nil }
            self.server = server
            self.isProxy = isProxy
            let pattern = configuration.trust.pattern(host: server.host, port: server.port)
            policy = pattern?.policy ?? .standard
            place = pattern?.place
            certificateRule = configuration.rules.clientCertificateRule(for: server, isProxy: isProxy, client: client)
        }
    }

    /// What is trusted, whether the client's TLS is opened, and which certificate of ours is shown.
    var trustLines: [Line] {
        var lines: [Line] = []
        if asksForTunnel, let interception {
            let text =
                isTunnelled
                ? "no: 'interception' leaves this host alone"
                : "by interception: the client sees a certificate of \(interception.authority.certificatePath)"
            lines.append(Line(topic: "opened", text: text))
        }
        for security in security {
            var text = security.isProxy ? "the parent by " : ""
            text += "\(security.policy.name)\(security.place.map(Self.suffix) ?? ""): "
            text += security.policy.terms.words(now: question.now)
            if isTunnelled, !security.isProxy {
                text +=
                    security.policy.refusesTunnel(at: question.now)
                    ? "; a tunnel to it is refused (403 pin.tunnel-refused)" : "; in a tunnel only the client judges it"
            }
            lines.append(Line(topic: "trust", text: text))
            guard let rule = security.certificateRule, !isTunnelled || security.isProxy else { continue }
            let whom = security.isProxy ? "the parent" : "the server"
            let certificate = "the certificate '\(rule.credential?.name ?? "")', where \(whom) asks for one"
            lines.append(Line(topic: "shown", text: "\(rule.name)\(Self.suffix(rule.place)): \(certificate)"))
        }
        return lines
    }
}

extension TrustPolicy.Terms {
    /// What the policy asks of a server, in words; `now` is in seconds of Unix time.
    fileprivate func words(now: Int64) -> String {
        var parts = [anchorWords]
        if allowsInvalidCertificates { parts.append("an invalid chain is let through") }
        if !validatesDomainName { parts.append("the name isn't looked at") }
        if strict { parts.append("strict") }
        return (parts + pinWords(now: now)).joined(separator: ", ")
    }

    private var anchorWords: String {
        let names = anchors.map { anchor in
            switch anchor {
            case .system: "the system's"
            case .file(let name, _): name
            }
        }
        return "anchors \(names.joined(separator: " and "))"
    }

    private func pinWords(now: Int64) -> [String] {
        let count = pins.publicKeys.count + pins.certificates.count
        let kind: String
        switch pinning {
        case .none: return ["no pins"]
        case .observe: return ["pinning observe: what is seen is told, nothing is refused for it"]
        case .publicKey: kind = "public-key"
        case .certificate: kind = "certificate"
        }
        var words = ["pinning \(kind) by \(count) pin\(count == 1 ? "" : "s")"]
        if let expires {
            let day = CivilDate(unixSeconds: expires)
            words.append(expires <= now ? "which no longer hold since \(day)" : "which hold until \(day)")
        }
        if !enforces { words.append("a mismatch is only reported") }
        return words
    }
}
