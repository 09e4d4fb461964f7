internal import Bytes
internal import HTTP
internal import Rules
internal import Trust

extension ScalarType {
    /// What is wrong with an address to listen on, a proxy's URL, or another URL.
    func addressProblem(_ text: String) -> ScalarProblem? {
        switch self {
        case .listenerAddress:
            if text.hasPrefix("unix:") { return .notBuilt("unix:") }
            if text.hasPrefix("systemd:") { return .notBuilt("systemd:") }
            switch ListenerAddress.read(text) {
            case .success: return nil
            case .failure(let problem): return problem
            }
        case .proxyURL:
            switch ProxyURL.read(text) {
            case .success: return nil
            case .failure(let problem): return problem
            }
        default:
            guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
                return .wrong("a URL begins with https:// or http://")
            }
            if text.contains("@") { return .wrong("a URL can't hold a login here") }
            let bytes = Array(text.utf8)
            let target = RequestTarget.parse(bytes.span, in: bytes.indices, method: .get)
            return target?.scheme == nil ? .wrong("\(Quoting.quoted(text)) is no URL: write https://HOST/PATH") : nil
        }
    }

    /// What is wrong with a pin, a date or an upgrade.
    func trustProblem(_ text: String) -> ScalarProblem? {
        switch self {
        case .pin: return Self.pinProblem(text)
        case .date:
            return ScalarValue.date(text) == nil ? .wrong("\(Quoting.quoted(text)) is no date: write YYYY-MM-DD") : nil
        default:
            let port = text.split(separator: ":", omittingEmptySubsequences: false).dropFirst().first
            let isRight =
                text == "https" || (text.hasPrefix("https:") && port.flatMap { ScalarValue.port(String($0)) } != nil)
            return isRight ? nil : .wrong("\(Quoting.quoted(text)) must be 'https' or 'https:PORT'")
        }
    }

    private static func pinProblem(_ text: String) -> ScalarProblem? {
        guard text.hasPrefix("sha256/") else { return .wrong("a pin is sha256/BASE64 or { certificate: FILE }") }
        if let hash = text.firstIndex(of: "#") {
            return text[..<hash].hasSuffix("=")
                ? .wrong("the comment belongs to the pin: write a blank before '#'") : .wrong("a pin has no '#'")
        }
        return PublicKeyPin(text) == nil ? .wrong("a pin is 'sha256/' and 44 characters of base64 (32 bytes)") : nil
    }
}

/// `HOST:PORT` of a listener.
enum ListenerAddress {
    static func read(_ text: String) -> Result<(address: IPAddress, port: UInt16), ScalarProblem> {
        guard let colon = text.lastIndex(of: ":") else {
            let isPort = ScalarValue.port(text) != nil
            return .failure(
                .wrong("an address to listen on is HOST:PORT: write \(isPort ? "127.0.0.1:\(text)" : "127.0.0.1:3128")")
            )
        }
        if text.hasSuffix("]") { return .failure(.wrong("a port is missing: write \"\(text):3128\"")) }
        let host = String(text[..<colon])
        let digits = String(text[text.index(after: colon)...])
        guard let port = ScalarValue.integer(digits).flatMap({ UInt16(exactly: $0) }) else {
            return .failure(.wrong("a port is missing behind the address, or isn't a number up to 65535"))
        }
        if host.isEmpty || host == "*" {
            return .failure(.wrong("write 127.0.0.1:\(port) for this machine only, 0.0.0.0:\(port) for all addresses"))
        }
        if host == "localhost" { return .success((.loopbackV4, port)) }
        if host.hasPrefix("["), host.hasSuffix("]") {
            guard let address = IPAddress(String(host.dropFirst().dropLast())), address.family == .v6 else {
                return .failure(.wrong("\(Quoting.quoted(host)) holds no IPv6 address"))
            }
            return .success((address, port))
        }
        if host.contains(":") {
            return .failure(.wrong("an IPv6 address stands in brackets and quotes: \"[::1]:\(port)\""))
        }
        guard let address = IPAddress(host) else {
            return .failure(
                .wrong("\(Quoting.quoted(host)) is no address of this machine: names aren't looked up here")
            )
        }
        return .success((address, port))
    }
}

/// `http://HOST:PORT` or `https://HOST:PORT` of a parent.
struct ProxyURL {
    let scheme: Scheme
    let host: String
    let port: UInt16

    /// Never tells what a login in the URL is.
    static func read(_ text: String) -> Result<ProxyURL, ScalarProblem> {
        guard let separator = text.firstRange(of: "://") else {
            return .failure(.wrong("a proxy's URL begins with http:// or https://: write http://HOST:PORT"))
        }
        let scheme = text[..<separator.lowerBound].lowercased()
        var authority = String(text[separator.upperBound...])
        if authority.contains("@") {
            return .failure(
                .wrong("a login can't stand in a proxy's URL: make it a credential and name it under 'use'")
            )
        }
        guard let known = Scheme(scheme.utf8.span) else {
            let isKnown = scheme == "socks5"
            return .failure(
                isKnown ? .notBuilt("\(scheme)://") : .wrong("a proxy's URL begins with http:// or https://")
            )
        }
        if authority.hasSuffix("/") { authority.removeLast() }
        guard !authority.contains(where: { "/?# ".contains($0) }) else {
            return .failure(.wrong("a proxy's URL has no path: write http://HOST:PORT"))
        }
        return hostAndPort(authority, known)
    }

    private static func hostAndPort(_ authority: String, _ scheme: Scheme) -> Result<ProxyURL, ScalarProblem> {
        guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else {
            return .failure(
                .wrong(
                    "the port is missing: write \(scheme.text)://HOST:PORT, for example \(scheme.text)://\(authority):8080"
                )
            )
        }
        guard let port = ScalarValue.port(String(authority[authority.index(after: colon)...])) else {
            return .failure(.wrong("the port of a proxy's URL is a number between 1 and 65535"))
        }
        var host = String(authority[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        do throws(HostPatternError) {
            switch try HostPattern(host).form {
            case .exact(let name): return .success(ProxyURL(scheme: scheme, host: name, port: port))
            case .address(let address): return .success(ProxyURL(scheme: scheme, host: address.description, port: port))
            default: return .failure(.wrong("a proxy's URL names one host"))
            }
        } catch {
            return .failure(.wrong("the host of a proxy's URL: \(error.message)"))
        }
    }
}
