internal import Bytes
internal import HTTP

extension Explanation {
    /// What `access` says of the destination, where it says anything; what a name leads to isn't looked up.
    var accessLines: [Line] {
        switch listener?.mode {
        case .fixed, .tunnel: return []
        case .forward, .transparent, .socks5, nil: break
        }
        let path = asksForTunnel ? [] : question.path
        let manner: DestinationStanding.Manner = !asksForTunnel ? .plain : isTunnelled ? .tunnel : .opened
        let standing = DestinationStanding(of: question.origin, manner, under: access)
        let refusal = standing.refusal(path: path.span, isLocal: question.client.isLocal, isInside: false)
        if let refusal { return [Line(topic: "access", text: "refused (403): \(text(of: refusal))")] }
        if standing.needsAllowedAddress(path: path.span) {
            return [
                Line(topic: "access", text: "'allow' names networks, so the address decides that the name leads to")
            ]
        }
        guard let allow = access.destinations.allow else { return [] }
        let entry = allow.first { $0.isAbout(question.origin) }
        return [Line(topic: "access", text: "allowed\(entry.map { Self.by($0, of: "allow") } ?? "")")]
    }

    private func text(of refusal: DestinationStanding.Refusal) -> String {
        switch refusal {
        case .port: return "'ports' leaves out port \(question.origin.port)"
        case .address: return "such an address is refused unless 'allow' names it (R-7)"
        case .destination:
            let entry = access.destinations.deny.first { $0.isAbout(question.origin) }
            return entry.map { "denied" + Self.by($0, of: "deny") } ?? "no entry of 'allow' is about it"
        }
    }

    private static func by(_ entry: DestinationRules.Entry, of list: String) -> String {
        " by an entry of '\(list)'\(suffix(entry.place))"
    }
}

extension DestinationRules.Entry {
    /// Whether it is about what a client asks for, but for the path.
    fileprivate func isAbout(_ origin: Origin) -> Bool {
        if let scheme, scheme != origin.scheme { return false }
        if case .number(let number) = port, number != origin.port { return false }
        return host.matches(host: origin.host, address: IPAddress(origin.host))
    }
}
