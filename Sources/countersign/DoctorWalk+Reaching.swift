internal import Bytes
internal import Configuration
internal import Events
internal import HTTP
internal import Proxy
internal import Rules
internal import Telemetry
internal import Trust

extension DoctorWalk {
    /// Addresses that are tried at most.
    private static let mostAddresses = 8

    /// Resolves a name and connects to each of its addresses; the first connection, or nil.
    func connect(to server: Origin, at fixed: IPAddress?, isOrigin: Bool, isLast: Bool) -> ProbeConnection? {
        let addresses: [IPAddress]
        if let literal = fixed ?? IPAddress(server.host) {
            addresses = [literal]
        } else {
            guard let found = resolve(server.host, isLast: isLast) else { return nil }
            addresses = found
        }
        var step = DoctorStep(name: "connect")
        var first: ProbeConnection?
        var isRefused = false
        for address in addresses.prefix(Self.mostAddresses) {
            let place = SocketAddress(address, port: server.port)
            guard !isOrigin || inquiry.mayDial(address, for: request.origin, path: request.path) else {
                step.lines.append("\(place): not dialled, access.destinations refuses it (R-7)")
                isRefused = true
                continue
            }
            let watch = Stopwatch()
            do throws(ProbeConnection.Failure) {
                let connection = try ProbeConnection.open(place, limit: request.limit)
                step.lines.append("\(place): connected, \(watch.text)")
                first = first ?? connection
            } catch {
                step.lines.append("\(place): \(error.code): \(error.message), \(watch.text)")
                // Programs on this machine listen at one of its two loopback addresses as a rule.
                if !address.isLoopback { step.verdict = .warn }
            }
        }
        if first == nil {
            step.verdict = isLast ? .fail : .warn
            step.cure =
                isRefused
                ? "name the address under access.destinations.allow"
                : isLast
                    ? "see that something listens at port \(server.port), and that no firewall is between"
                    : "the next way is gone instead"
        }
        tell(step)
        return first
    }

    private func resolve(_ host: String, isLast: Bool) -> [IPAddress]? {
        var step = DoctorStep(name: "resolve")
        let watch = Stopwatch()
        let asked =
            switch configuration.dns.kind {
            case .system: "the system's resolver"
            case .cares where configuration.dns.servers.isEmpty: "/etc/hosts and the name servers of /etc/resolv.conf"
            case .cares: "the name servers of 'dns'"
            }
        switch inquiry.addresses(of: host) {
        case .success(let addresses):
            step.lines.append(
                "\(host) is \(addresses.map { "\($0)" }.joined(separator: ", ")) by \(asked), \(watch.text)"
            )
            tell(step)
            return addresses
        case .failure(let failure):
            step.lines.append("\(host): \(failure.code): \(failure.message), by \(asked), \(watch.text)")
            step.verdict = isLast ? .fail : .warn
            step.cure = "look at the spelling; compare `getent hosts \(host)`, and `dns: { resolver: system }`"
            tell(step)
            return nil
        }
    }

    /// Has TLS and tells what it showed; false where nothing may be sent.
    func secure(_ way: ProbeConnection, _ server: Origin, name: String) -> Bool {
        var step = DoctorStep(name: "\(name)tls")
        let policy = configuration.trust.policy(host: server.host, port: server.port)
        let watch = Stopwatch()
        let sighting: TLSSighting
        do throws(ProbeConnection.Failure) {
            sighting = try way.secure(policy, host: server.host, now: now)
        } catch {
            step.lower(to: .fail, "\(error.code): \(error.message)", cure: "correct the entry of 'trust'")
            tell(step)
            return false
        }
        if let version = sighting.version, let cipher = sighting.cipher {
            step.lines.append("\(version), \(cipher), \(watch.text)")
        }
        if let failure = sighting.failure {
            let cure =
                sighting.askedForCertificate
                ? "the server wants a certificate: a rule with a credential of `certificate`" : "see what listens there"
            step.lower(to: .fail, "\(failure.code): \(failure.message)", cure: cure)
        }
        tellOfCertificate(sighting, server, &step)
        tell(step)
        var verdict = DoctorStep(name: "\(name)trust")
        guard let decision = sighting.decision else { return false }
        tellOfChain(sighting.path, &verdict)
        switch decision {
        case .accept: verdict.lines.append("accepted by \(policy.name)\(pinWords(policy))")
        case .acceptAndReport(let failure):
            verdict.lower(to: .warn, "let through by \(policy.name): \(failure.reasonCode): \(failure.message)")
        case .reject(let failure):
            verdict.lower(to: .fail, "\(failure.reasonCode): \(failure.message)", cure: cure(of: failure))
        }
        tell(verdict)
        return sighting.isOpen
    }

    private func tellOfCertificate(_ sighting: TLSSighting, _ server: Origin, _ step: inout DoctorStep) {
        guard sighting.askedForCertificate else { return }
        let shown = explanation.lines.first { $0.topic == "shown" }
        if let shown, server == dialled {
            step.lines.append("it asks for a client certificate; the proxy would show \(shown.text); doctor shows none")
        } else {
            step.lower(to: .warn, "it asks for a client certificate, and no rule is known to have one for it")
        }
    }

    private func tellOfChain(_ path: [CertificateFacts], _ step: inout DoctorStep) {
        for certificate in path { step.lines.append(String(certificate.pinLine.dropFirst(2))) }
        guard let leaf = path.first else { return }
        let days = (leaf.notAfter - now) / 86_400
        if leaf.notAfter > now, days < 14 {
            step.lower(to: .warn, "the certificate ends in \(days) days", cure: "have the server's certificate renewed")
        }
    }

    private func pinWords(_ policy: TrustPolicy) -> String {
        guard policy.terms.comparesPins else { return "" }
        return policy.hasPins(at: now) ? ", and pinned" : ", whose pins no longer hold"
    }

    private func cure(of failure: TrustFailure) -> String {
        switch failure.kind {
        case .pins: "if the change is meant, put one of these pins under 'pins' of \(failure.policy)"
        case .name: "ask for it by a name of the certificate, or have the server get one for this name"
        case .chain(.notYetValid), .chain(.expired):
            "have the server's certificate renewed; or this machine's clock is wrong, it says \(UniversalTime(unixSeconds: now).text)"
        case .chain: "name its authority under 'trust': anchors: { file: … }"
        case .observed: "none is needed"
        }
    }

    /// In seconds of Unix time.
    var now: Int64 { SystemFiles.now }
}
