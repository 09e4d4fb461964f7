package import Bytes

/// Who sent a request, as far as `clients` may ask.
package struct Client: Hashable, Sendable {
    /// The peer's address; nil for a unix socket.
    package var address: IPAddress?
    /// The name of the listener that it came by, if that has one.
    package var listener: String?
    /// The user of the process at the other end of a unix socket or of a loopback connection; nil where that isn't known.
    package var user: UInt32?
    /// The groups of the process at the other end of a unix socket.
    package var groups: [UInt32] = []
    /// The name under which it logged in at the proxy.
    package var login: String?

    /// A client from all that is known of it.
    package init(
        address: IPAddress?,
        listener: String? = nil,
        user: UInt32? = nil,
        groups: [UInt32] = [],
        login: String? = nil
    ) {
        self.address = address
        self.listener = listener
        self.user = user
        self.groups = groups
        self.login = login
    }

    /// What it is known by: the name of its login, else its user, else its address.
    package var identity: Client {
        if login != nil { return Client(address: nil, login: login) }
        return user == nil ? Client(address: address) : Client(address: nil, user: user)
    }

    /// Whether it came over the machine's own loopback interface or a unix socket.
    package var isLocal: Bool { address?.isLoopback ?? true }
}
