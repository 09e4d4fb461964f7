/// Where operators look at the running proxy (O-2).
package struct AdminConfiguration: Equatable, Sendable {
    /// Where it listens: a port of an address, a unix socket, or a socket passed on.
    package let address: ListenerConfiguration.Address
    /// The names, besides addresses and localhost, by which `/metrics`, the page and its JSON may be asked for.
    package let hosts: [HostPattern]

    /// The admin listener.
    package init(address: ListenerConfiguration.Address, hosts: [HostPattern] = []) {
        self.address = address
        self.hosts = hosts
    }
}
