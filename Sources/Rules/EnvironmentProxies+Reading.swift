internal import Authentication
internal import Bytes
internal import Crypto
package import HTTP

extension EnvironmentProxies {
    /// What came of reading the variables.
    package struct Reading: Sendable {
        /// What they say, as far as it can be used.
        package fileprivate(set) var proxies = EnvironmentProxies(http: nil, https: nil)
        /// The variables that can't be used, and why; never what is in them.
        package fileprivate(set) var faults: [(variable: String, message: String)] = []
        /// The variables that name this proxy itself.
        package fileprivate(set) var passedOver: [String] = []
    }

    /// Reads the variables in curl's order.
    ///
    /// - Parameters:
    ///   - place: where the rule file asks for them.
    ///   - isOwn: whether an address is one that this proxy listens at.
    ///   - variable: the value of a variable; nil where it isn't set or empty.
    /// - Returns: what they say, and what is wrong with them.
    package static func read(
        place: SourcePlace,
        isOwn: (Origin) -> Bool,
        variable: (String) -> String?
    ) -> Reading {
        var reading = Reading()
        var made: [String: ParentProxy?] = [:]
        func proxy(_ names: [String]) -> ParentProxy? {
            for name in names {
                guard let text = variable(name) else { continue }
                // One proxy in two variables is one proxy, with one set of connections.
                if let known = made[text] { return known }
                let parent = reading.proxy(text, of: name, place, isOwn)
                made[text] = .some(parent)
                return parent
            }
            return nil
        }
        // A CGI program's HTTP_PROXY is the client's field `Proxy`, so that curl never reads it. Here it is read, as
        // most programs do, but where the process is such a program.
        let upper = variable("REQUEST_METHOD") == nil ? ["HTTP_PROXY"] : []
        let http = proxy(["http_proxy"] + upper + ["all_proxy", "ALL_PROXY"])
        let https = proxy(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
        let exempt = ExemptHosts(variable("no_proxy") ?? variable("NO_PROXY") ?? "")
        reading.proxies = EnvironmentProxies(http: http, https: https, exempt: exempt)
        return reading
    }

    /// The proxies, each once.
    package var parents: [ParentProxy] {
        guard let http else { return [https].compactMap(\.self) }
        return [http] + [https].compactMap { $0 === http ? nil : $0 }
    }
}

extension EnvironmentProxies.Reading {
    fileprivate mutating func proxy(
        _ text: String,
        of name: String,
        _ place: SourcePlace,
        _ isOwn: (Origin) -> Bool
    ) -> ParentProxy? {
        do throws(EnvironmentProxyURL.Fault) {
            let url = try EnvironmentProxyURL(text)
            guard !isOwn(url.origin) else {
                passedOver.append(name)
                return nil
            }
            let credential = url.login.map { login in
                let kind = Credential.Kind.password(
                    username: login.name,
                    domain: nil,
                    password: Secret(login.password.span)
                )
                return Credential(name: "environment \(name)", kind: kind)
            }
            return ParentProxy(
                name: "environment \(name)",
                place: place,
                kind: url.kind,
                origin: url.origin,
                credentials: [credential].compactMap(\.self)
            )
        } catch {
            faults.append((name, error.message))
            return nil
        }
    }
}

/// A proxy as curl takes it from a variable: `[SCHEME://][USER[:PASSWORD]@]HOST[:PORT]`, whatever path follows.
struct EnvironmentProxyURL {
    /// Why a value is none.
    struct Fault: Error {
        let message: String
    }

    let kind: ParentProxy.Kind
    let origin: Origin
    let login: (name: [UInt8], password: [UInt8])?

    init(_ text: String) throws(Fault) {
        var rest = Substring(text)
        var scheme = "http"
        if let separator = text.firstRange(of: "://") {
            scheme = text[..<separator.lowerBound].lowercased()
            rest = text[separator.upperBound...]
        }
        guard ["http", "https", "socks5", "socks5h"].contains(scheme) else {
            throw Fault(message: "a proxy's URL begins with http://, https:// or socks5://")
        }
        kind = scheme.hasPrefix("socks5") ? .socks5 : .http
        rest = rest.prefix { !"/?#".contains($0) }
        login = try Self.login(in: rest)
        if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        // curl's own default, and the one of https.
        var port: UInt16 = scheme == "https" ? 443 : 1080
        if let colon = rest.lastIndex(of: ":"), !rest.hasSuffix("]") {
            guard let written = UInt16(rest[rest.index(after: colon)...]), written > 0 else {
                throw Fault(message: "the port of a proxy's URL is a number between 1 and 65535")
            }
            port = written
            rest = rest[..<colon]
        }
        origin = Origin(scheme: scheme == "https" ? .https : .http, host: try Self.host(rest), port: port)
    }

    private static func host(_ text: Substring) throws(Fault) -> String {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let host = isBracketed ? String(text.dropFirst().dropLast()) : String(text)
        switch try? HostPattern(host).form {
        case .exact(let name)? where !isBracketed: return name
        case .address(let address)? where isBracketed == (address.family == .v6): return address.description
        default: throw Fault(message: "its host is neither a name nor an address")
        }
    }

    /// What stands before the last `@`, its two parts with their percent-encoding taken off.
    private static func login(in authority: Substring) throws(Fault) -> (name: [UInt8], password: [UInt8])? {
        guard let at = authority.lastIndex(of: "@") else { return nil }
        let userinfo = authority[..<at]
        let colon = userinfo.firstIndex(of: ":") ?? userinfo.endIndex
        let name = try decoded(userinfo[..<colon])
        let password = try decoded(userinfo[colon...].dropFirst())
        return name.isEmpty && password.isEmpty ? nil : (name, password)
    }

    private static func decoded(_ text: Substring) throws(Fault) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let high = Hex.value(rest[rest.startIndex]),
                let low = Hex.value(rest[rest.index(after: rest.startIndex)])
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        guard !bytes.contains(where: ASCII.isControl), String(validating: bytes, as: UTF8.self) != nil else {
            throw Fault(message: "its login isn't text")
        }
        return bytes
    }
}
