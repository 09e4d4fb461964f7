internal import Events
internal import HTTP
internal import PAC
internal import Rules

/// The proxies that PAC files name, each made once, so that equal names share connections.
final class PACParents: Sendable {
    /// Proxies that are made at most; items that name further ones are passed over.
    static let most = 1024

    private let made = Locked<[PACResult.Item: ParentProxy]>([:])

    /// The hops that items stand for; one that names a parent of the rule file is that parent, with its credentials.
    func hops(_ items: [PACResult.Item], under configuration: ServerConfiguration) -> [NextHop] {
        items.compactMap { item in
            guard case .proxy(let kind, let host, let port) = item else { return .direct }
            let spoken: ParentProxy.Kind = kind == .socks5 ? .socks5 : .http
            let origin = Origin(scheme: kind == .https ? .https : .http, host: host, port: port)
            let written = configuration.parents.first { $0.kind == spoken && $0.origin == origin }
            return (written ?? make(item, spoken, origin)).map(NextHop.parent)
        }
    }

    private func make(_ item: PACResult.Item, _ kind: ParentProxy.Kind, _ origin: Origin) -> ParentProxy? {
        made.withLock { made in
            if let known = made[item] { return known }
            guard made.count < Self.most else { return nil }
            let scheme = kind == .socks5 ? "socks5://" : origin.scheme == .https ? "https://" : ""
            let parent = ParentProxy(
                name: "pac \(scheme)\(origin.authorityWithPort)",
                place: SourcePlace(line: 0),
                kind: kind,
                origin: origin
            )
            made[item] = parent
            return parent
        }
    }
}
