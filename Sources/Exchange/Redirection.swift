package import Bytes
internal import HTTP

/// Where a connection was going that the kernel redirected to us.
package struct Redirection: Hashable, Sendable {
    /// What is dialled, whatever the client calls it.
    package let address: IPAddress
    package let port: UInt16
    /// The address may not be that of the host that the client names, so that no credential of ours may go there.
    package var isDoubtful = false

    package init(address: IPAddress, port: UInt16) {
        self.address = address.unmapped
        self.port = port
    }

    /// The origin of a request that names none.
    var unnamedOrigin: Origin { Origin(scheme: .http, host: address.description, port: port) }

    /// The origin that a Host names; nil where that is of another port, or nothing.
    func origin(named host: Span<UInt8>) -> Origin? {
        guard let authority = Authority.parse(host) else { return nil }
        let origin = Origin(scheme: .http, authority: authority, bytes: host)
        return origin.port == port ? origin : nil
    }
}
