internal import Bytes
internal import HTTP

extension Explanation {
    /// By which listener the request comes.
    var listenerText: String {
        guard let listener else { return "none that this client may use" }
        var text = [listener.address.text, listener.name.map { "(\($0))" }].compactMap { $0 }.joined(separator: " ")
        switch listener.mode {
        case .forward: break
        case .fixed(let fixed):
            text += ", fixed to \(fixed.origin.scheme.text)://\(fixed.origin.authority)\(fixed.prefix)"
        case .tunnel(let target): text += ", a tunnel to \(target.authorityWithPort)"
        case .transparent: text += ", transparent"
        case .socks5: text += ", socks5"
        }
        if case .htpasswd(let path, _) = login { text += "; clients log in by \(path)" }
        return text
    }

    /// By which way it goes on.
    var routeText: String {
        var text = "\(route.name)\(Self.suffix(route.place)): "
        let hops = route.hops(to: question.origin)
        switch route.choice {
        case .listed: text += Self.text(of: hops)
        case .pac(let pac, _): text += "as \(pac.text) says; while it can't be had: \(Self.text(of: hops))"
        case .environment: text += "as the environment says: \(Self.text(of: hops))"
        }
        if let to = route.to {
            text += ", to \(to.address.map { "\($0)" } ?? question.origin.host) port \(to.port ?? question.origin.port)"
        }
        if dialled.scheme != question.origin.scheme, !asksForTunnel {
            text += ", upgraded to https at port \(dialled.port)"
        }
        return text
    }

    private static func text(of hops: [NextHop]) -> String {
        hops.map { hop in
            switch hop {
            case .direct: "direct"
            case .parent(let parent): text(of: parent)
            }
        }.joined(separator: ", then ")
    }

    private static func text(of parent: ParentProxy) -> String {
        let through = sequence(first: parent, next: \.via).dropFirst().map { ", through \($0.name) (\($0.address))" }
        return "\(parent.name) (\(parent.address))\(through.joined())"
    }

    /// How names are looked up, where that isn't the usual way.
    var nameLines: [Line] {
        let servers = dns.servers.map { server in
            server.port == 0 ? "\(server.address)" : "\(server.address) port \(server.port)"
        }
        switch dns.kind {
        case .system: return [Line(topic: "names", text: "are looked up by the system's resolver")]
        case .cares where servers.isEmpty: return []
        case .cares: return [Line(topic: "names", text: "are looked up at \(Self.list(servers))")]
        }
    }
}

extension ParentProxy {
    fileprivate var address: String {
        (kind == .socks5 ? "socks5 " : "") + origin.authorityWithPort
    }
}

extension PACConfiguration {
    fileprivate var text: String {
        switch location {
        case .file(let path): "the PAC file \(path)"
        case .url(let url, _): "the PAC file at \(url)"
        }
    }
}

extension ListenerConfiguration.Address {
    /// As it is written in a rule file.
    fileprivate var text: String {
        switch self {
        case .tcp(let address, let port): "\(address.family == .v6 ? "[\(address)]" : "\(address)"):\(port)"
        case .unix(let path): "unix:\(path)"
        case .systemd(let name): "systemd:\(name)"
        }
    }
}
