package import Bytes

/// Who sent a request, as far as `clients` may ask.
package struct Client: Hashable, Sendable {
    /// The peer's address; nil for a unix socket.
    package var address: IPAddress?
    /// The name of the listener that it came by, if that has one.
    package var listener: String?

    /// A client from all that is known of it.
    package init(address: IPAddress?, listener: String? = nil) {
        self.address = address
        self.listener = listener
    }

    /// Whether it came over the machine's own loopback interface or a unix socket.
    package var isLocal: Bool { address?.isLoopback ?? true }
}
