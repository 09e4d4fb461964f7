internal import Bytes
internal import HTTP
internal import Rules

/// `HOST[:PORT]` of a URL or a target.
struct HostAndPort {
    /// In lower case, in A-labels, without brackets and without a trailing dot.
    let host: String
    /// Nil where none is written.
    let port: UInt16?

    /// Reads it; `whose` says in messages what it belongs to, as "a proxy's URL".
    static func read(_ text: String, of whose: String) -> Result<HostAndPort, ScalarProblem> {
        if seemsToHoldLogin(text) { return .failure(.wrong("\(whose) can't hold a login: write HOST:PORT")) }
        var host = text
        var port: UInt16?
        if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
            port = ScalarValue.port(String(text[text.index(after: colon)...]))
            guard port != nil else {
                return .failure(.wrong("the port of \(whose) is a number between 1 and 65535"))
            }
            host = String(text[..<colon])
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return .failure(.wrong("an IPv6 address in \(whose) stands in brackets: [::1]:PORT"))
        }
        do throws(HostPatternError) {
            switch try HostPattern(host).form {
            case .exact(let name) where !isBracketed: return .success(HostAndPort(host: name, port: port))
            case .address(let address): return .success(HostAndPort(host: address.description, port: port))
            default: return .failure(.wrong("\(whose) names one host"))
            }
        } catch {
            switch error {
            case .empty, .malformedAddress, .emptyLabel, .tooLong, .invalidCharacter, .needsALabel:
                return .failure(.wrong("the host of \(whose): \(error.message)"))
            // Other messages repeat a part of the text, which may be that of a login.
            default: return .failure(.wrong("\(whose) names one host, by its name or address"))
            }
        }
    }
}

/// `http://HOST:PORT`, `https://HOST:PORT` or `socks5://HOST:PORT` of a parent.
struct ProxyURL {
    let kind: ParentProxy.Kind
    /// http for a SOCKS5 proxy.
    let scheme: Scheme
    let host: String
    let port: UInt16

    /// Never tells what a login in the URL is.
    static func read(_ text: String) -> Result<ProxyURL, ScalarProblem> {
        guard let separator = text.firstRange(of: "://") else {
            return .failure(
                .wrong("a proxy's URL begins with http://, https:// or socks5://: write http://HOST:PORT")
            )
        }
        let scheme = text[..<separator.lowerBound].lowercased()
        var authority = String(text[separator.upperBound...])
        if seemsToHoldLogin(authority) {
            return .failure(
                .wrong("a login can't stand in a proxy's URL: make it a credential and name it under 'use'")
            )
        }
        guard scheme == "socks5" || Scheme(scheme.utf8.span) != nil else {
            let isNear = ["socks", "socks5h"].contains(scheme)
            let advice = isNear ? ": write socks5://HOST:PORT, the proxy looks names up" : ""
            return .failure(.wrong("a proxy's URL begins with http://, https:// or socks5://\(advice)"))
        }
        if authority.hasSuffix("/") { authority.removeLast() }
        guard !authority.contains(where: { "/?# ".contains($0) }) else {
            return .failure(.wrong("a proxy's URL has no path: write \(scheme)://HOST:PORT"))
        }
        return HostAndPort.read(authority, of: "a proxy's URL").flatMap { read in
            guard let port = read.port else {
                let example = scheme == "socks5" ? 1080 : 8080
                return .failure(
                    .wrong(
                        "the port is missing: write \(scheme)://HOST:PORT, for example \(scheme)://\(authority):\(example)"
                    )
                )
            }
            return .success(
                ProxyURL(
                    kind: scheme == "socks5" ? .socks5 : .http,
                    scheme: Scheme(scheme.utf8.span) ?? .http,
                    host: read.host,
                    port: port
                )
            )
        }
    }
}

/// `http://HOST[:PORT][/prefix]` or `https://…` of a fixed listener.
enum FixedURL {
    /// The origin, and the prefix as `FixedOrigin` has it.
    static func read(_ text: String) -> Result<(origin: Origin, prefix: String), ScalarProblem> {
        guard let separator = text.firstRange(of: "://"),
            let scheme = Scheme(text[..<separator.lowerBound].lowercased().utf8.span)
        else { return .failure(.wrong("an origin begins with https:// or http://")) }
        let rest = text[separator.upperBound...]
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        if rest.contains("@") || seemsToHoldLogin(rest[..<slash]) {
            return .failure(.wrong("an origin can't hold a login: make it a credential and a rule for this host"))
        }
        var prefix = String(rest[slash...])
        if prefix.hasSuffix("/") { prefix.removeLast() }
        if let message = problem(inPrefix: prefix) { return .failure(.wrong(message)) }
        return HostAndPort.read(String(rest[..<slash]), of: "an origin").map { read in
            (Origin(scheme: scheme, host: read.host, port: read.port), prefix)
        }
    }

    private static func problem(inPrefix prefix: String) -> String? {
        if prefix.isEmpty { return nil }
        do throws(PathPatternError) {
            _ = try PathPattern(prefix)
        } catch {
            return error == .query ? "an origin has no query and no fragment" : error.message
        }
        let url = Array("http://a\(prefix)".utf8)
        return RequestTarget.parse(url.span, in: url.indices, method: .get) == nil
            ? "the path of an origin is written as it is sent: escape what a URL can't hold" : nil
    }
}
