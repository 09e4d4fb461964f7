import Bytes

/// Where a resource lives: scheme, host and port [RFC 9110 s.4.3.1].
package struct Origin: Hashable, Sendable {
    /// The scheme.
    package let scheme: Scheme
    /// The host in lower case, without brackets and without a trailing dot; an IPv6 address in the form of RFC 5952.
    package let host: String
    /// The port, the scheme's default where none was named.
    package let port: UInt16

    /// The origin of these parts; `host` may be in any case, with a trailing dot, and an IPv6 address in any form.
    package init(scheme: Scheme, host: String, port: UInt16? = nil) {
        self.scheme = scheme
        self.host = Self.normalized(host)
        self.port = port ?? scheme.defaultPort
    }

    /// The origin that an authority names; `bytes` are those that it was read from.
    package init(scheme: Scheme, authority: Authority, bytes: Span<UInt8>) {
        self.init(scheme: scheme, host: String(bytes.extracting(authority.host)), port: authority.port)
    }

    /// Whether the host is an IPv6 address.
    package var isIPv6Literal: Bool { host.utf8.contains(.colon) }

    /// The authority as Host has it: an IPv6 address in brackets, the port only if it isn't the default.
    package var authority: String {
        port == scheme.defaultPort ? bracketedHost : "\(bracketedHost):\(port)"
    }

    /// The authority with its port in any case, as CONNECT has it.
    package var authorityWithPort: String { "\(bracketedHost):\(port)" }

    /// Whether a target of this scheme, host and port is certainly of this origin; allocates nothing.
    ///
    /// False may also mean that the host is written in an unusual form: then make an `Origin` and compare.
    package func matches(scheme: Scheme, host bytes: Span<UInt8>, port: UInt16?) -> Bool {
        guard scheme == self.scheme, port ?? scheme.defaultPort == self.port else { return false }
        let utf8 = host.utf8
        return ByteClass.equalsIgnoringCase(bytes, utf8.span)
    }

    private var bracketedHost: String { isIPv6Literal ? "[\(host)]" : host }

    private static func normalized(_ host: String) -> String {
        if let address = IPAddress(host) { return address.description }
        var bytes = host.utf8.map { ByteClass.lowercased($0) }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
