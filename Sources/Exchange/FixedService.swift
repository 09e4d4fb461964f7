internal import Bytes
internal import HTTP
package import Rules

/// The one origin of a `fixed` listener, and what its clients may call it.
package final class FixedService: Sendable {
    package let fixed: FixedOrigin
    /// The listener's own port; nil for a unix socket.
    private let port: UInt16?
    /// The origin as it begins a URL, and what is put before a path.
    let base: [UInt8]
    let prefix: [UInt8]

    package init(_ fixed: FixedOrigin, port: UInt16?) {
        self.fixed = fixed
        self.port = port
        base = Array("\(fixed.origin.scheme.text)://\(fixed.origin.authority)".utf8)
        prefix = Array(fixed.prefix.utf8)
    }

    /// What a client calls the listener, where it may: the origin's authority, an address or `localhost` with the
    /// listener's port, one of its names, and on a unix socket whatever it wants.
    func called(_ host: Span<UInt8>) -> Origin? {
        guard let authority = Authority.parse(host) else { return nil }
        let called = Origin(scheme: .http, authority: authority, bytes: host)
        if Origin(scheme: fixed.origin.scheme, authority: authority, bytes: host) == fixed.origin { return called }
        guard let port else { return called }
        let address = IPAddress(called.host)
        if called.port == port, address != nil || called.host == "localhost" { return called }
        return fixed.names.contains { $0.matches(host: called.host, address: address) } ? called : nil
    }
}
